// What happened, from the events of a view: in words, and as tricks and scores. Only what the seat
// saw is in them.

import { cardName, isUno } from "./cards.js";
import { plural } from "./dom.js";

export const ENDINGS = {
  emptied: "the hand is empty",
  exhausted: "no cards are left to draw",
  truncated: "cut short at the limit of moves",
};
const MOVE = /^(\d+) (plays|draws|bids) (.+)$/;

/** The seat, verb and rest of a line that is a move, or null. */
export function moveOf(line) {
  const found = MOVE.exec(line);
  return found ? { seat: Number(found[1]), verb: found[2], rest: found[3] } : null;
}

/** Names of the seats, no two alike; the person is "You". */
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

function says(name, plain, third, rest) {
  return `${name} ${name === "You" ? plain : third} ${rest}`.trim();
}

function cardsOrNumber(rest, game) {
  if (/^\d+$/.test(rest)) return plural(Number(rest), "card");
  return rest.split(" ").map((card) => cardName(card, game)).join(", ");
}

/** One line in words, or null if it is not worth any. */
export function sentence(line, names, game) {
  const move = moveOf(line);
  if (move) {
    const name = names[move.seat];
    if (move.verb === "bids") return says(name, "bid", "bids", move.rest);
    if (move.verb === "draws") return says(name, "draw", "draws", cardsOrNumber(move.rest, game));
    const [card, colour] = move.rest.split(":");
    const words = cardName(colour ? `${card}:${colour}` : card, game);
    return says(name, "play", "plays", words);
  }
  const words = line.split(" ");
  if (words[1] === "is") return says(names[words[0]], "are", "is", "skipped");
  if (words[1] === "takes") return says(names[words[0]], "take", "takes", "the trick");
  if (words[0] === "reshuffle") return "The pile is shuffled into the deck";
  if (words[0] === "top") return `Turned up: ${cardName(words[1], game)}`;
  if (words[0] === "round") return roundText(words, names);
  if (words[0] === "scores") return `Points: ${scoreText(words.slice(1), names)}`;
  if (words[0] === "over") return overText(words.slice(1), names, game);
  return null;
}

function roundText(words, names) {
  const [, number, , cards, , dealer, , trump, , turned] = words;
  const suit = trump === "none" ? "no trump" : `trump ${trump}`;
  const up = turned ? `, turned up ${cardName(turned, "blob")}` : "";
  return `Round ${number}: ${plural(Number(cards), "card")}, ${says(names[dealer], "deal", "deals", "")}, ${suit}${up}`;
}

function scoreText(values, names) {
  return names.map((name, seat) => `${name} ${Number(values[seat])}`).join(", ");
}

function overText(words, names, game) {
  const ending = words.at(-1);
  const values = words.slice(0, -1).map(Number);
  if (isUno(game)) {
    const why = ENDINGS[ending] ?? ending;
    if (values[0] === values[1]) return `A draw: ${why}`;
    return `${says(names[values[0] > values[1] ? 0 : 1], "win", "wins", "")}: ${why}`;
  }
  return `Final points: ${scoreText(values, names)}`;
}

/** The last finished trick of this round: {cards: [{seat, card}], winner}, or null. */
export function lastTrick(events) {
  let cards = [];
  let last = null;
  for (const line of events) {
    const move = moveOf(line);
    if (line.startsWith("round ")) last = null;
    else if (move?.verb === "plays") cards.push({ seat: move.seat, card: move.rest });
    else if (line.endsWith("takes the trick")) {
      last = { cards, winner: Number(line.split(" ")[0]) };
      cards = [];
    }
  }
  return last;
}

/** Rounds of a Blob game: {number, cards, trump, bids, won, scores or null while it is played}. */
export function roundsOf(events, seats) {
  const rounds = [];
  for (const line of events) {
    const words = line.split(" ");
    const round = rounds.at(-1);
    const move = moveOf(line);
    if (words[0] === "round") {
      rounds.push({
        number: Number(words[1]), cards: Number(words[3]), trump: words[7],
        bids: Array(seats).fill(null), won: Array(seats).fill(0), scores: null,
      });
    } else if (move?.verb === "bids") round.bids[move.seat] = Number(move.rest);
    else if (words[1] === "takes") round.won[words[0]] += 1;
    else if (words[0] === "scores") round.scores = words.slice(1).map(Number);
  }
  return rounds;
}

/** A frame before the last move's trick was taken away: all its cards on the table, so that people
 *  see who won it. Null if the last move finished no trick. */
export function fullTrick(before, after) {
  const events = after.view.events;
  const fresh = events.slice(before.view.events.length);
  const taken = fresh.findIndex((line) => line.endsWith("takes the trick"));
  if (taken < 0) return null;
  const trick = lastTrick(events.slice(0, before.view.events.length + taken + 1));
  const { seat, card } = trick.cards.at(-1);
  const state = before.view.state;
  const won = state.won.map((number, who) => number + (who === trick.winner ? 1 : 0));
  const held = state.held.map((number, who) => number - (who === seat ? 1 : 0));
  return {
    ...after,
    outcome: null,
    reveal: null,
    thinking: null,
    view: {
      ...before.view,
      to_act: trick.winner,
      plies: after.view.plies,
      legal: [],
      events: events.slice(0, before.view.events.length + taken + 1),
      state: {
        ...state, won, held, trick: trick.cards, winning: trick.winner,
        hand: seat === before.view.seat ? without(state.hand, card) : state.hand,
      },
    },
  };
}

function without(cards, card) {
  const place = cards.indexOf(card);
  return cards.filter((_, k) => k !== place);
}
