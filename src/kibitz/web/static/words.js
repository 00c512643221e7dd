// Names of players and moves in words, for lists and for those who listen.

import { cardName } from "./cards.js";
import { plural } from "./dom.js";

/** A player's name, whether the message has a text or an object for it: a name that two have is
 *  numbered by the seat. */
export function nameOf(players, seat) {
  const names = (players ?? []).map((player) => (typeof player === "string" ? player : player?.name) || "");
  const name = names[seat];
  if (!name) return `Seat ${seat}`;
  const shown = name[0].toUpperCase() + name.slice(1);
  return names.filter((other) => other === name).length > 1 ? `${shown} ${seat}` : shown;
}

const isBid = (move) => /^\d+$/.test(move);

/** What a player does, as a sentence without its stop: "Ann plays red 5", "You draw". */
export function deed(name, move, game) {
  const [first, ...more] = String(move).split(" ");
  if (first === "draw") {
    const what = more.map((card) => (/^\d+$/.test(card) ? plural(Number(card), "card") : cardName(card, game)));
    return [verb(name, "draw"), listed(what)].join(" ").trim();
  }
  return isBid(first) ? `${verb(name, "bid")} ${first}` : `${verb(name, "play")} ${cardName(first, game)}`;
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
