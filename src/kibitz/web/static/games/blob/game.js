// Blob on the page: one round, or a whole game of them.

import { signElement } from "../../cards.js";
import { el, plural } from "../../dom.js";
import { verb } from "../../words.js";
import { Game, chanceTable } from "../game.js";
import { INK, RANKS, SHAPES, SUITS, SUIT_SIGNS, frenchFace } from "./faces.js";
import { real } from "./real.js";
import { replay } from "./replay.js";

const COURT = { T: "10", J: "jack", Q: "queen", K: "king", A: "ace" };
/** Suits as a hand is sorted, and as tables of them stand. */
const ORDER = "SHCD";
const TABLES = "SHDC";
/** Places of the others' cards in a trick, in percent, by the number of seats: so that no two cards
 *  cover each other, nor the middle, on a small screen. */
const SPOTS = {
  2: [[50, 20]],
  3: [[20, 36], [80, 36]],
  4: [[14, 50], [50, 20], [86, 50]],
  5: [[14, 62], [30, 20], [70, 20], [86, 62]],
  6: [[20, 75], [20, 25], [50, 20], [80, 25], [80, 75]],
  7: [[28, 80], [11, 47], [33, 20], [67, 20], [89, 47], [72, 80]],
  8: [[29, 80], [11, 51], [28, 20], [50, 20], [72, 20], [89, 51], [71, 80]],
};

const isBid = (move) => /^\d+$/.test(move);
/** The letter of a trump such as "hearts", null for "none". */
const suitOf = (trump) => (trump === "none" ? null : trump[0].toUpperCase());

export class Blob extends Game {
  move = /^(?<seat>\d+) (?<verb>plays|bids) (?<rest>.+)$/;
  stake = "percentage points of the bonus for an exact bid";
  keys = [["0 to 9", "bid"]];
  help = ["Blob", "First everybody bids how many tricks to win; the dealer, who is last, may not make the bids add up to "
    + "the number of tricks. Then follow the suit that was led if you can; the highest trump wins the trick, or "
    + "without one the highest card of that suit. Exactly your bid scores 10 and one for each trick; anything "
    + "else scores nothing."];
  tile = { line: "One round: bid your tricks, win exactly as many", cards: ["QH", "AS", "TD"] };
  mainRules = ["players", "cards", "trump"];
  ruleWords = {
    players: ["Players"],
    cards: ["Cards each"],
    trump: ["Trump", "random: any suit or none; turned: the suit of a card turned up"],
    start: ["Cards in the first round"],
  };
  faceUp = { trump: "trump", turned: "card turned up" };
  real = real;

  // --- words ---

  cardName(card) {
    return `${COURT[card[0]] ?? card[0]} of ${SUITS[card[1]]}`;
  }

  moveName(move) {
    return isBid(move) ? `bid ${move}` : this.cardName(move);
  }

  deed(name, move) {
    const [first] = String(move).split(" ");
    return isBid(first) ? `${verb(name, "bid")} ${first}` : `${verb(name, "play")} ${this.cardName(first)}`;
  }

  sentence(line, names) {
    const move = this.moveOf(line);
    if (move) return this.deed(names[move.seat], move.rest);
    const words = line.split(" ");
    const points = () => names.map((name, seat) => `${name} ${Number(words[seat + 1])}`).join(", ");
    if (words[1] === "takes") return `${verb(names[words[0]], "take")} the trick`;
    if (words[0] === "round") return this.#roundText(words, names);
    if (words[0] === "scores") return `Points: ${points()}`;
    return words[0] === "over" ? `Final points: ${points()}` : null;
  }

  #roundText([, number, , cards, , dealer, , trump, , turned], names) {
    const suit = suitOf(trump) ? `trump ${trump}` : "no trump";
    const up = turned ? `, turned up ${this.cardName(turned)}` : "";
    return `Round ${number}: ${plural(Number(cards), "card")}, ${verb(names[dealer], "deal")}, ${suit}${up}`;
  }

  wanted({ state }) {
    return state.phase === "bidding" ? "Your turn: bid" : "Your turn: play a card";
  }

  refusal(card, { state }) {
    return state.phase === "bidding" ? "First bid" : `The ${this.cardName(card)} does not follow suit`;
  }

  // --- cards ---

  sort(cards) {
    const place = (card) => 20 * ORDER.indexOf(card[1]) - RANKS.indexOf(card[0]);
    return [...cards].sort((a, b) => place(a) - place(b));
  }

  face(card) {
    return frenchFace(card);
  }

  cardOf(move) {
    return isBid(move) ? null : move;
  }

  /** With more players there may not be cards enough: the number each gets is lowered. */
  fitRules(input) {
    const cards = input("cards") ?? input("start");
    const most = Math.floor(
      (Number(input("suits").value) * Number(input("ranks").value)) / Number(input("players").value),
    );
    if (most >= 1 && Number(cards.value) > most) cards.value = most;
  }

  // --- the table ---

  plateFacts({ bids, won: tricks }, seat) {
    const bid = bids[seat];
    if (bid === null) return el("span", { class: "tricks" }, "no bid");
    const won = tricks[seat];
    const mark = won === bid ? "exact" : won > bid ? "over" : "";
    const words = `${won} of ${plural(bid, "trick")} bid`;
    return el("span", { class: `tricks ${mark}`, title: words },
      el("span", { "aria-hidden": "true" }, `${won} / ${bid}`), el("span", { class: "visually-hidden" }, words));
  }

  renderMiddle(place, frame, names) {
    const { state, events } = frame.view;
    const seats = frame.players.length;
    const bidding = state.phase === "bidding";
    const before = bidding ? null : this.#lastTrick(events);
    const over = !state.trick.length;
    const cards = over ? before?.cards ?? [] : state.trick;
    const winner = over ? before?.winner : state.winning;
    const laid = cards.map(({ seat, card }) => {
      const one = el("div", { class: `laid${seat === winner ? " winning" : ""}`, data: { seat, card, testid: `laid-${card}` } },
        this.card(card, { size: "fit", quiet: true }),
        el("span", { class: "laid-name" }, names[seat]),
        el("span", { class: "visually-hidden" }, ` played the ${this.cardName(card)}`));
      // ours below, the others clockwise from our left
      const [x, y] = [[50, 80], ...SPOTS[seats]][(seat - frame.seat + seats) % seats];
      Object.assign(one.style, { left: `${x}%`, top: `${y}%` });
      return one;
    });
    const taken = cards.length === seats && (winner ?? null) !== null;
    const bid = state.bids.reduce((total, number) => total + number, 0); // null counts as nought
    const note = taken ? `${verb(names[winner], "take")} the trick` : "";
    place.className = `middle trick-place ${state.phase}`;
    place.replaceChildren(
      this.#trump(state),
      el("div", {
        class: `trick${over ? " done" : ""}`, role: "group", "aria-label": over ? "Last trick" : "Trick",
        data: { testid: "trick" },
      }, laid),
      el("p", { class: "trick-note" }, bidding ? `${plural(bid, "trick")} bid of ${state.cards}` : note));
  }

  #trump({ trump, turned, round, rounds, cards }) {
    const suit = suitOf(trump);
    return el("div", { class: "trump", data: { testid: "trump", trump } },
      el("span", { class: "trump-sign" }, suit ? signElement(SHAPES[suit], INK[suit]) : "–"),
      el("span", { class: "trump-words" },
        el("span", {}, suit ? `Trump ${trump}` : "No trump"),
        el("span", { class: "felt-muted" },
          `${rounds > 1 ? `Round ${round}/${rounds}, ` : ""}${plural(cards, "card")}`)),
      turned ? this.card(turned, { size: "sm" }) : null);
  }

  /** The last finished trick of this round: {cards: [{seat, card}], winner}, or null. */
  #lastTrick(events) {
    let cards = [];
    let last = null;
    for (const line of events) {
      const move = this.moveOf(line);
      if (line.startsWith("round ")) last = null;
      else if (move?.verb === "plays") cards.push({ seat: move.seat, card: move.rest });
      else if (line.endsWith("takes the trick")) {
        last = { cards, winner: Number(line.split(" ")[0]) };
        cards = [];
      }
    }
    return last;
  }

  /** A frame before the last move's trick was taken away: all its cards on the table, so that people
   *  see who won it. */
  between(before, after) {
    const { state, events: known, seat: own } = before.view;
    const fresh = after.view.events.slice(known.length);
    const taken = fresh.findIndex((line) => line.endsWith("takes the trick"));
    if (taken < 0) return null;
    const events = after.view.events.slice(0, known.length + taken + 1);
    const { cards, winner } = this.#lastTrick(events);
    const { seat, card } = cards.at(-1);
    const plus = (numbers, who, more) => numbers.map((number, k) => number + (k === who ? more : 0));
    return {
      ...after,
      outcome: null,
      reveal: null,
      thinking: null,
      view: {
        ...before.view,
        to_act: winner,
        plies: after.view.plies,
        legal: [],
        events,
        state: {
          ...state, won: plus(state.won, winner, 1), held: plus(state.held, seat, -1), trick: cards, winning: winner,
          hand: seat === own ? state.hand.filter((other) => other !== card) : state.hand,
        },
      },
    };
  }

  // --- the hidden cards: a suit a table, a hidden card a row, a holder a column ---

  beliefTables({ cards, columns }) {
    return [...TABLES].filter((suit) => cards.some((card) => card[1] === suit)).map((suit) => {
      const sign = SUIT_SIGNS[suit];
      const rows = [...RANKS].reverse().map((rank) => rank + suit).filter((card) => cards.includes(card));
      const name = SUITS[suit][0].toUpperCase() + SUITS[suit].slice(1);
      const title = (card) => `${card[0] === "T" ? "10" : card[0]}${sign}`;
      return chanceTable(`suit belief-${SUITS[suit]}`, `${sign} ${name}`, { text: sign }, rows, columns, title);
    });
  }

  replay = (rules, chance) => replay(this.rounds(rules), rules, chance);

  /** The cards and the trump of each round. */
  rounds({ cards = 7, trump = "random" }) {
    return [[cards, trump]];
  }
}

export class BlobGame extends Blob {
  pointsHead = "Points this round";
  help = null; // that of a round says it all
  tile = { line: "All rounds, with a score sheet", cards: ["KC", "7D", "JH"] };
  mainRules = ["players", "start"];
  real = null;

  rounds({ schedule, start = 7, trumps }) {
    const suits = trumps?.length ? trumps : ["spades"];
    const cards = schedule?.length ? schedule : [start];
    return cards.map((number, round) => [number, suits[round % suits.length]]);
  }

  scores(frame, names) {
    const totals = names.map(() => 0);
    const rows = this.#rounds(frame.view.events, names.length).map((round) => {
      const suit = suitOf(round.trump);
      const cells = names.map((_, seat) => {
        const bid = round.bids[seat];
        if (bid === null) return el("td", {}, "");
        if (!round.scores) return el("td", { class: "open" }, `${round.won[seat]}/${bid}`);
        totals[seat] += round.scores[seat];
        return el("td", { class: round.won[seat] === bid ? "made" : "missed" },
          el("span", { class: "sheet-bid" }, `${round.won[seat]}/${bid}`), ` ${totals[seat]}`);
      });
      return el("tr", {}, el("th", { scope: "row" }, `${round.cards} ${suit ? SUIT_SIGNS[suit] : "–"}`), cells);
    });
    const heads = names.map((name) => el("th", { scope: "col" }, name));
    return el("table", { class: "sheet" },
      el("caption", { class: "visually-hidden" }, "Score sheet: tricks won of tricks bid, and points so far"),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Cards"), heads)),
      el("tbody", {}, rows),
      el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, "Total"), totals.map((total) => el("td", {}, total)))));
  }

  /** Each round: {cards, trump, bids, won, scores or null while it is played}. */
  #rounds(events, seats) {
    const rounds = [];
    for (const line of events) {
      const words = line.split(" ");
      const round = rounds.at(-1);
      const move = this.moveOf(line);
      if (words[0] === "round") {
        rounds.push({
          cards: Number(words[3]), trump: words[7],
          bids: Array(seats).fill(null), won: Array(seats).fill(0), scores: null,
        });
      } else if (move?.verb === "bids") round.bids[move.seat] = Number(move.rest);
      else if (words[1] === "takes") round.won[words[0]] += 1;
      else if (words[0] === "scores") round.scores = words.slice(1).map(Number);
    }
    return rounds;
  }
}
