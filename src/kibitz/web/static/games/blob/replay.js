// A game of Blob dealt again from its chance.

import { below } from "../../chance.js";
import { otherMove, sorted, takeFrom } from "../game.js";
import { RANKS, SUITS } from "./faces.js";

const TRUMPS = Object.values(SUITS);
const cardText = (card) => RANKS[card % 16] + "CDHS"[Math.floor(card / 16)];

function deal(rules, chance, cards, trump) {
  const { players = 4, suits = 4, ranks = 13 } = rules;
  const stock = [];
  for (let suit = 0; suit < suits; suit += 1) {
    for (let rank = 0; rank < ranks; rank += 1) stock.push(16 * suit + rank);
  }
  const draw = () => stock.splice(below(chance, stock.length), 1)[0];
  const hands = [];
  for (let seat = 0; seat < players; seat += 1) {
    const hand = [];
    for (let n = 0; n < cards; n += 1) hand.push(cardText(draw()));
    hands.push(hand);
  }
  if (trump === "turned") {
    const card = draw();
    return { hands, trump: TRUMPS[Math.floor(card / 16)], turned: cardText(card) };
  }
  if (trump === "random") return { hands, trump: TRUMPS.slice(0, suits)[below(chance, suits + 1)] ?? "none" };
  return { hands, trump };
}

/** "deal 2C | 3D trump hearts turned 4S", as the record has it after the last card of a round. */
function dealText({ hands, trump, turned }) {
  const cards = hands.map((hand) => sorted(hand)).join(" | ");
  return `deal ${cards} trump ${trump}${turned ? ` turned ${turned}` : ""}`;
}

function sortedDeal(text) {
  return text.replace(/^deal (.*?) trump/, (_, hands) => `deal ${hands.split("|").map(sorted).join(" | ")} trump`);
}

/** `rounds`: the cards and the trump of each. */
export function replay(rounds, rules, chance) {
  const dealt = deal(rules, chance, ...rounds[0]);
  return { dealt, wrong: (...game) => wrong(dealt, rounds, rules, chance, ...game) };
}

function wrong(first, rounds, rules, chance, actions, moves, seat, events) {
  let hands = first.hands.map((hand) => [...hand]);
  let round = 0;
  let bids = hands.length;
  for (const [ply, action] of actions.entries()) {
    const said = action.split(" ")[0];
    const told = action.slice(said.length).trim();
    const move = moves[ply];
    if (move?.verb !== (bids > 0 ? "bids" : "plays") || move.rest !== said) return otherMove(ply, action);
    if (bids > 0) bids -= 1;
    else if (!takeFrom(hands[move.seat], said)) return `Move ${ply + 1}: seat ${move.seat} did not have ${said}.`;
    let dealt = "";
    if (hands.every((hand) => !hand.length) && round + 1 < rounds.length) {
      round += 1;
      const next = deal(rules, chance, ...rounds[round]);
      dealt = dealText(next);
      const lie = unlikeTold(next, events, round, seat);
      if (lie) return lie;
      hands = next.hands.map((hand) => [...hand]);
      bids = hands.length;
    }
    if (sortedDeal(told) !== dealt) return `Move ${ply + 1}: what follows should have been ${dealt || "nothing"}, not ${told || "nothing"}.`;
  }
  return null;
}

/** What the player was told of a later round's deal. */
function unlikeTold({ hands, trump, turned }, events, round, seat) {
  const begun = events.findIndex((line) => line.startsWith(`round ${round + 1} `));
  const named = / trump (\w+)(?: turned (\w+))?/.exec(events[begun] ?? "");
  if (!named || named[1] !== trump || named[2] !== turned) return `Round ${round + 1} should have had trump ${trump}.`;
  const own = events.slice(begun).find((line) => line.startsWith(`deal ${seat} `)) ?? "";
  if (sorted(own.split(" ").slice(2)) === sorted(hands[seat])) return null;
  return `In round ${round + 1} you should have been dealt ${hands[seat].join(" ")}.`;
}
