// What can be, at a real table: which cards there are, which are still hidden, and which of them
// the seat to act could play. Only what the rules and the events seen so far say; the server checks.

import { FRENCH_RANKS, UNO_RANKS } from "./pips.js";
import { moveOf } from "./story.js";

const STANDARD = "0112233445566778899SSRR++";

/** All cards of the game with their copies, in the order of a grid. */
export function deckOf(game, rules = {}) {
  const found = new Map();
  if (game === "uno") {
    for (const colour of "RYGB".slice(0, rules.colours ?? 4)) {
      for (const rank of UNO_RANKS) {
        const copies = [...(rules.ranks ?? STANDARD)].filter((letter) => letter === rank[0]).length;
        if (copies) found.set(colour + rank, copies);
      }
    }
    if (rules.wilds ?? 4) found.set("W", rules.wilds ?? 4);
    if (rules.wild_fours ?? 4) found.set("W+4", rules.wild_fours ?? 4);
    return found;
  }
  for (const suit of ["S", "H", "C", "D"].filter((letter) => "CDHS".indexOf(letter) < (rules.suits ?? 4))) {
    for (const rank of [...FRENCH_RANKS.slice(0, rules.ranks ?? 13)].reverse()) found.set(rank + suit, 1);
  }
  return found;
}

/** A card as the server writes it, or null if the text is none. */
export function cardIn(text, game) {
  const said = text.trim().toUpperCase();
  if (game === "uno") {
    const wild = /^W(\+?4)?$/.exec(said);
    if (wild) return wild[1] ? "W+4" : "W";
    const found = /^([RYGB])([0-9SR]|\+2?)$/.exec(said);
    return found ? found[1] + (found[2][0] === "+" ? "+2" : found[2]) : null;
  }
  const found = /^(10|[2-9TJQKA])([CDHS♣♦♥♠])$/.exec(said);
  return found ? found[1].replace("10", "T") + ("CDHS"["♣♦♥♠".indexOf(found[2])] ?? found[2]) : null;
}

function without(cards, gone) {
  const left = new Map(cards);
  for (const card of gone) {
    if ((left.get(card) ?? 0) > 1) left.set(card, left.get(card) - 1);
    else left.delete(card);
  }
  return left;
}

const faceOf = (move) => move.split(":")[0];

/** The discard pile of UNO, from the events; a reshuffle leaves its top card alone. */
function pileOf(events) {
  let pile = [];
  for (const line of events) {
    const move = moveOf(line);
    if (move?.verb === "plays") pile.push(faceOf(move.rest));
    else if (line.startsWith("top ")) pile.push(line.slice(4));
    else if (line.startsWith("pile ")) pile.unshift(...line.slice(5).split(" "));
    else if (line === "reshuffle") pile = pile.slice(-1);
  }
  return pile;
}

/** The lines since the last deal. */
function thisRound(events) {
  return events.slice(Math.max(0, events.findLastIndex((line) => line.startsWith("round "))));
}

/** Cards that the seat cannot see: in other hands, in the deck or not dealt. */
export function hiddenCards(view) {
  const { game, rules, state, events } = view;
  const deck = deckOf(game, rules);
  if (game === "uno") return without(deck, [...state.hand, ...pileOf(events)]);
  const played = thisRound(events).map(moveOf).filter((move) => move?.verb === "plays").map((move) => move.rest);
  return without(deck, [...state.hand, ...played, ...(state.turned ? [state.turned] : [])]);
}

/** How many cards the seat to act has to draw, and from which: with too few in the deck, the pile
 *  is shuffled in. None at all ends the game. */
export function drawable(view) {
  const { state, events } = view;
  const number = state.pending || 1;
  if (state.deck >= number) return { number, cards: hiddenCards(view) };
  const pile = pileOf(events).slice(0, -1);
  if (state.deck + pile.length < number) return { number: 0, cards: new Map() };
  const cards = hiddenCards(view);
  pile.forEach((card) => cards.set(card, (cards.get(card) ?? 0) + 1));
  return { number, cards };
}

/** Suits that a seat has shown to have none of this round. */
function voidsOf(view, seat) {
  const players = view.rules.players;
  const found = new Set();
  let led = null;
  let cards = 0;
  for (const move of thisRound(view.events).map(moveOf)) {
    if (move?.verb !== "plays") continue;
    if (cards % players === 0) led = move.rest[1];
    if (move.seat === seat && move.rest[1] !== led) found.add(led);
    cards += 1;
  }
  return found;
}

/** What another seat, whose turn it is, could have done: moves in notation. */
export function couldDo(view) {
  const { game, state, rules, to_act: seat } = view;
  const hidden = [...hiddenCards(view).keys()];
  if (game === "uno") {
    if (state.pending > 0) return ["draw"];
    const fits = (card) => card[0] === state.colour || (state.top[0] !== "W" && card.slice(1) === state.top.slice(1));
    const plays = hidden.flatMap((card) => {
      if (card[0] !== "W") return fits(card) ? [card] : [];
      return [..."RYGB".slice(0, rules.colours ?? 4)].map((colour) => `${card}:${colour}`);
    });
    return ["draw", ...plays];
  }
  if (state.phase === "bidding") {
    const told = state.bids.reduce((sum, bid) => sum + (bid ?? 0), 0);
    const bids = Array.from({ length: state.cards + 1 }, (_, bid) => bid);
    return bids.filter((bid) => seat !== state.dealer || told + bid !== state.cards).map(String);
  }
  const voids = voidsOf(view, seat);
  return hidden.filter((card) => !voids.has(card[1]));
}

/** The largest hands that the deck allows. */
export function mostCards(players, turnedUp) {
  return Math.min(26, Math.floor((52 - (turnedUp ? 1 : 0)) / players));
}
