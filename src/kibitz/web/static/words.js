// Names of players and how they are spoken of, for lists and for those who listen.

/** Names of the seats, no two alike, whether the message has a text or an object for a player; `you` is
 *  the person's seat. */
export function namesIn(players, you = null) {
  const given = players.map((player, seat) => {
    const name = seat === you ? "You" : player?.name ?? player;
    return name ? name[0].toUpperCase() + name.slice(1) : `Seat ${seat}`;
  });
  return given.map((name, seat) => {
    const same = given.filter((other) => other === name).length > 1;
    return same ? `${name} ${given.slice(0, seat + 1).filter((other) => other === name).length}` : name;
  });
}

export function namesOf({ players, seat, watch }) {
  return namesIn(players, watch ? null : seat);
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
