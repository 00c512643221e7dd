// The fair deal, checked by the page itself: the server promised a secret before it knew the number
// that the browser chose, so neither could pick the cards. Here the secret is held against the
// promise, and the cards are dealt and drawn again from both numbers, exactly as the server does.

import { chanceOf } from "./chance.js";
import { cardsIn, sorted } from "./games/game.js";
import { gameOf } from "./games/index.js";
import { sha256 } from "./sha256.js";

/** The seed that secret and nonce make together, as a number of 128 bits. */
function seedOf(secret, nonce) {
  return BigInt(`0x${sha256(`${secret}:${nonce}`).slice(0, 32)}`);
}

/** The version of chance that a secret deals by: those of 128 bits are from before there were two. */
const versionOf = (secret) => (secret.length === 32 ? 1 : 2);

/** The moves told are those that were seen, but for a last draw for which no card was left. */
function otherNumber(actions, moves) {
  const last = actions.at(-1) === "draw" ? 1 : 0;
  return moves.length === actions.length - last ? null : `There were ${moves.length} moves, and ${actions.length} are told.`;
}

function difference(faceUp, found, told) {
  if ((told.hands ?? []).length !== found.hands.length) return "The number of hands is wrong.";
  const seat = found.hands.findIndex((hand, k) => sorted(hand) !== sorted(told.hands[k]));
  if (seat >= 0) {
    return `Seat ${seat} should have been dealt ${found.hands[seat].join(" ")}, not ${cardsIn(told.hands[seat]).join(" ")}.`;
  }
  const name = Object.keys(faceUp).find((one) => (told[one] ?? null) !== (found[one] ?? null));
  if (name) return `The ${faceUp[name]} should have been ${found[name] ?? "none"}, not ${told[name] ?? "none"}.`;
  const more = Object.keys(told).find((name) => !(name in found) && told[name] !== null);
  return more ? `A deal has no ${more}.` : null;
}

/** The moves that this page heard of while the game was on must still be those that are told. */
function otherThanHeard(heard, events) {
  const at = heard.findIndex((line, k) => events[k] !== line);
  return at < 0 ? null : `While you played it was "${heard[at]}", and now it is told as "${events[at] ?? "nothing"}".`;
}

/** What the player saw at the table must be of this deal, whatever the server tells of it at the end. */
function unlikeSeen(faceUp, found, seen, seat) {
  if (seen.hand && sorted(seen.hand) !== sorted(found.hands[seat])) {
    return `You were dealt ${cardsIn(seen.hand).join(" ")}, not ${found.hands[seat].join(" ")}.`;
  }
  const name = Object.keys(faceUp).find((one) => (seen[one] ?? found[one]) !== found[one]);
  return name ? `You were shown ${seen[name]} as the ${faceUp[name]}, not ${found[name] ?? "none"}.` : null;
}

/** A rule in the one way to write it: ranks may be typed in any order, and lists as "7 6 5". */
function plainRule(name, value) {
  if (name === "ranks") return [...String(value)].sort().join("");
  const words = Array.isArray(value) ? value : String(value).split(/[\s,]+/).filter(Boolean);
  return words.map((word) => (Number.isNaN(Number(word)) ? word : Number(word))).join(" ");
}

function otherRules(asked, rules) {
  const names = Object.keys(asked).filter((name) => name !== "start" || !asked.schedule); // a schedule has its own start
  const name = names.find((one) => plainRule(one, asked[one]) !== plainRule(one, rules[one]));
  return name ? `You asked for ${name} ${asked[name]}, and it was ${rules[name]}.` : null;
}

/**
 * Whether a finished game was dealt fairly. Give the commitment that was shown BEFORE the deal and
 * the nonce that this browser chose, not what the server says of them afterwards; so with `seen`,
 * what `seat` saw when it sat down (its hand, and what lay face up), and `asked`, the rules that were
 * agreed on; and `heard`, the lines of the game that the page last had while it was on. `rules`, `deal`
 * and `actions` are as in the game's record, and `events` are all lines as `seat` saw them. Every card
 * is checked, those drawn and dealt later included. The answer: {ok, text for people, seed in hex}.
 */
export function verifyDeal({
  commitment, secret, nonce, game, rules, deal, actions, events, seat = 0, seen = {}, asked = {}, heard = [],
}) {
  const no = (text, seed = null) => ({ ok: false, text, seed });
  if (!/^[0-9a-f]{64}$/.test(commitment ?? "")) return no("There is no commitment to hold the deal against.");
  if (!/^([0-9a-f]{32}|[0-9a-f]{64})$/.test(secret ?? "")) return no("The server has not shown its secret.");
  if (typeof nonce !== "string" || nonce === "") return no("This browser's own number is not known any more.");
  if (sha256(secret) !== commitment) {
    return no("NOT FAIR: the secret is not the one that was promised before the deal.");
  }
  const known = gameOf(game);
  if (!known.replay) return no("This page cannot repeat the deal of the game.");
  const seed = seedOf(secret, nonce);
  const digits = seed.toString(16).padStart(32, "0");
  let wrong;
  try {
    const { faceUp } = known;
    const again = known.replay(rules ?? {}, chanceOf(versionOf(secret), seed));
    const moves = (events ?? []).map((line) => known.moveOf(line)).filter(Boolean);
    wrong = otherRules(asked, rules ?? {}) ?? difference(faceUp, again.dealt, deal ?? {})
      ?? unlikeSeen(faceUp, again.dealt, seen, seat) ?? otherThanHeard(heard, events ?? [])
      ?? otherNumber(actions ?? [], moves) ?? again.wrong(actions ?? [], moves, seat, events ?? []);
  } catch (error) {
    return no(`The deal cannot be checked: ${error.message}.`, digits);
  }
  if (wrong) return no(`NOT FAIR: this is not the deal that the two numbers give. ${wrong}`, digits);
  return {
    ok: true,
    text: "Fair: the secret is the one promised before the deal, and with your browser's number it gives exactly the cards that were dealt and drawn.",
    seed: digits,
  };
}
