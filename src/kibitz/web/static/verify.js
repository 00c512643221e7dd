// The fair deal, checked by the page itself: the server promised a secret before it knew the number
// that the browser chose, so neither could pick the cards. Here the secret is held against the
// promise, and the cards are dealt and drawn again from both numbers, exactly as the server does.

import { chanceOf } from "./chance.js";
import { dealtAgain, listed, sorted } from "./replay.js";
import { sha256 } from "./sha256.js";

/** The seed that secret and nonce make together, as a number of 128 bits. */
export function seedOf(secret, nonce) {
  return BigInt(`0x${sha256(`${secret}:${nonce}`).slice(0, 32)}`);
}

/** The version of chance that a secret deals by: those of 128 bits are from before there were two. */
const versionOf = (secret) => (secret.length === 32 ? 1 : 2);

const FACE_UP_NAMES = { top: "top card", trump: "trump", turned: "card turned up" };
const FACE_UP = Object.keys(FACE_UP_NAMES);

function difference(found, told) {
  if ((told.hands ?? []).length !== found.hands.length) return "The number of hands is wrong.";
  const seat = found.hands.findIndex((hand, k) => sorted(hand) !== sorted(told.hands[k]));
  if (seat >= 0) {
    return `Seat ${seat} should have been dealt ${found.hands[seat].join(" ")}, not ${listed(told.hands[seat]).join(" ")}.`;
  }
  const name = FACE_UP.find((one) => (told[one] ?? null) !== (found[one] ?? null));
  if (name) return `The ${FACE_UP_NAMES[name]} should have been ${found[name] ?? "none"}, not ${told[name] ?? "none"}.`;
  const more = Object.keys(told).find((name) => !(name in found) && told[name] !== null);
  return more ? `A deal has no ${more}.` : null;
}

/** The moves that this page heard of while the game was on must still be those that are told. */
function otherThanHeard(heard, events) {
  const at = heard.findIndex((line, k) => events[k] !== line);
  return at < 0 ? null : `While you played it was "${heard[at]}", and now it is told as "${events[at] ?? "nothing"}".`;
}

/** What the player saw at the table must be of this deal, whatever the server tells of it at the end. */
function unlikeSeen(found, seen, seat) {
  if (seen.hand && sorted(seen.hand) !== sorted(found.hands[seat])) {
    return `You were dealt ${listed(seen.hand).join(" ")}, not ${found.hands[seat].join(" ")}.`;
  }
  const name = FACE_UP.find((one) => (seen[one] ?? found[one]) !== found[one]);
  return name ? `You were shown ${seen[name]} as the ${FACE_UP_NAMES[name]}, not ${found[name] ?? "none"}.` : null;
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
  const seed = seedOf(secret, nonce);
  const digits = seed.toString(16).padStart(32, "0");
  let wrong;
  try {
    const again = dealtAgain(game, rules ?? {}, chanceOf(versionOf(secret), seed));
    const found = again.dealt;
    wrong = otherRules(asked, rules ?? {}) ?? difference(found, deal ?? {}) ?? unlikeSeen(found, seen, seat)
      ?? otherThanHeard(heard, events ?? []) ?? again.wrong(actions ?? [], events ?? [], seat);
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
