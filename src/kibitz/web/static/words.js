// Names of players and how they are spoken of, for lists and for those who listen.

/** A player's name, whether the message has a text or an object for it: a name that two have is
 *  numbered by the seat. */
export function nameOf(players, seat) {
  const names = (players ?? []).map((player) => (typeof player === "string" ? player : player?.name) || "");
  const name = names[seat];
  if (!name) return `Seat ${seat}`;
  const shown = name[0].toUpperCase() + name.slice(1);
  return names.filter((other) => other === name).length > 1 ? `${shown} ${seat}` : shown;
}

/** Names of the seats at a table, no two alike; the person is "You". */
export function namesOf(frame) {
  const given = frame.players.map((player, seat) =>
    !frame.watch && seat === frame.seat ? "You" : player.name,
  );
  const seen = new Map();
  return given.map((name) => {
    if (given.filter((other) => other === name).length === 1) return name;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return `${name} ${seen.get(name)}`;
  });
}

/** A name with its verb: "You draw", "Ann draws". */
export function verb(name, word) {
  return name === "You" ? `You ${word}` : `${name} ${word}s`;
}

/** "your" or "Ann’s". */
export function possessive(name) {
  return name === "You" ? "your" : `${name}’s`;
}

/** "A", "A and B", "A, B and C". */
export function listed(parts) {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** A number with its sign, and no sign before nought. */
export function signed(value, digits = 1) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${value < 0 ? "−" : "+"}${text}`;
}
