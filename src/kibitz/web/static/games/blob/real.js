// A round of Blob with real cards: the form of the beginning, what stands on the table, and what can
// be. Only what the rules and the events seen so far say; the server checks.

import { el, options, plural } from "../../dom.js";
import { without } from "../game.js";
import { RANKS, SUITS, SUIT_SIGNS } from "./faces.js";

const MISSES = [["zero", "nothing"], ["tricks", "its tricks"], ["penalty", "minus each off"]];

/** What was played since the last deal, as {seat, card}. */
function played(events) {
  const round = events.slice(Math.max(0, events.findLastIndex((line) => line.startsWith("round "))));
  const found = round.map((line) => /^(\d+) plays (.+)$/.exec(line)).filter(Boolean);
  return found.map(([, seat, card]) => ({ seat: Number(seat), card }));
}

/** Suits that a seat has shown to have none of this round. */
function voidsOf({ events, rules }, seat) {
  const cards = played(events);
  const led = (k) => cards[k - (k % rules.players)].card[1];
  return new Set(cards.flatMap(({ seat: who, card }, k) => (who === seat && card[1] !== led(k) ? [led(k)] : [])));
}

/** The largest hands that the deck allows. */
const mostCards = ({ players, trump }) => Math.min(26, Math.floor((52 - (trump === "turned" ? 1 : 0)) / players));

export const real = {
  // --- the beginning ---

  form: {
    players: 4, cards: 7, seat: 0, dealer: 3, trump: "turned", names: "", miss: "zero", exact_bonus: 10, points_per_trick: 1,
  },
  example: "QH or TD",
  another: "Next round",

  fields: (field, rule) => [
    field("players", "Players", [2, 3, 4, 5, 6, 7, 8].map((n) => [n, String(n)])),
    field("cards", "Cards each", null, { number: true, low: 1 }),
    field("seat", "Your seat", [], { help: "Seats are counted to the left, from 0." }),
    field("dealer", "Who deals", []),
    field("trump", "Trump", [["turned", "A card is turned up"], ...Object.values(SUITS).map((suit) => [suit, suit]), ["none", "No trump"]]),
    field("names", "Names of the others", null, { help: "In order of their seats, with commas; may stay empty." }),
    el("details", { class: "real-more" },
      el("summary", {}, "Scoring"),
      field("exact_bonus", "For an exact bid", null, { number: true, high: 1000 }),
      field("points_per_trick", "For a trick", null, { number: true, high: 100 }),
      field("miss", "A missed bid", MISSES, { help: rule("miss")?.help ?? null }),
    ),
  ],
  /** Keep the form to what can be, after `changed` was set. */
  fit(form, changed) {
    form.players = Math.max(2, Math.min(8, form.players));
    if (changed === "players") form.dealer = form.players - 1;
    form.seat = Math.min(form.seat, form.players - 1);
    form.dealer = Math.min(form.dealer, form.players - 1);
    form.cards = Math.max(1, Math.min(form.cards || 1, mostCards(form)));
  },
  /** What the fields offer, by what is in the others. */
  offer(form, inputs) {
    const names = real.names(form);
    inputs.cards.max = mostCards(form);
    inputs.seat.replaceChildren(...options(names.map((_, seat) => [seat, `Seat ${seat}`])));
    inputs.dealer.replaceChildren(...options(names.map((name, seat) => [seat, name])));
  },
  names(form) {
    const said = form.names.split(",").map((name) => name.trim());
    return Array.from({ length: form.players }, (_, seat) => {
      if (seat === form.seat) return "You";
      return said[seat < form.seat ? seat : seat - 1] || `Seat ${seat}`;
    });
  },
  seat: (form) => form.seat,
  rules: ({ players, cards, dealer, miss, exact_bonus, points_per_trick, trump }) =>
    ({ players, cards, dealer, miss, exact_bonus, points_per_trick, trump }),
  handSize: (form) => form.cards,
  turnedUp: ({ trump }) => (trump === "turned" ? "turned" : null),
  mayTurnUp: () => true,
  next: (form) => ({ ...form, dealer: (form.dealer + 1) % form.players }),

  // --- cards ---

  row: (card) => card[1],

  deck(rules = {}) {
    const suits = ["S", "H", "C", "D"].filter((letter) => "CDHS".indexOf(letter) < (rules.suits ?? 4));
    const ranks = [...RANKS.slice(0, rules.ranks ?? 13)].reverse();
    return new Map(suits.flatMap((suit) => ranks.map((rank) => [rank + suit, 1])));
  },

  cardIn(text) {
    const found = /^(10|[2-9TJQKA])([CDHS♣♦♥♠])$/.exec(text.trim().toUpperCase());
    return found ? found[1].replace("10", "T") + ("CDHS"["♣♦♥♠".indexOf(found[2])] ?? found[2]) : null;
  },

  hidden({ rules, state, events }) {
    const seen = played(events).map(({ card }) => card);
    return without(real.deck(rules), [...state.hand, ...seen, ...(state.turned ? [state.turned] : [])]);
  },

  could(view) {
    const { state, to_act: seat } = view;
    if (state.phase === "bidding") {
      const told = state.bids.reduce((sum, bid) => sum + (bid ?? 0), 0);
      const bids = Array.from({ length: state.cards + 1 }, (_, bid) => bid);
      return bids.filter((bid) => seat !== state.dealer || told + bid !== state.cards).map(String);
    }
    const voids = voidsOf(view, seat);
    return [...real.hidden(view).keys()].filter((card) => !voids.has(card[1]));
  },

  // --- the page ---

  verb: ({ state }) => (state.phase === "bidding" ? "bid" : "do"),
  bySuit: true, // another's cards are many, and people look for a suit first

  tableFacts(game, { state }, names) {
    const turned = state.turned ? ` (${game.cardName(state.turned)})` : "";
    const trump = state.trump === "none" ? "No trump"
      : `Trump: ${SUIT_SIGNS[state.trump[0].toUpperCase()]} ${state.trump}${turned}`;
    const rows = names.map((name, seat) =>
      el("tr", {},
        el("th", { scope: "row" }, name, seat === state.dealer ? el("span", { class: "moves-tag" }, "deals") : null),
        el("td", {}, state.bids[seat] ?? "–"),
        el("td", {}, state.phase === "bidding" ? "" : String(state.won[seat])),
      ),
    );
    const trick = state.trick.map(({ seat, card }) =>
      el("li", { class: seat === state.winning ? "winning" : null },
        game.card(card, { size: "sm" }),
        el("span", { class: "small" }, names[seat]),
      ),
    );
    return [
      el("p", {}, `${trump} · ${plural(state.cards, "card")} each`),
      trick.length ? el("ul", { class: "real-trick", "aria-label": "This trick" }, trick) : null,
      el("table", { class: "real-bids" },
        el("caption", { class: "visually-hidden" }, "Bids and tricks"),
        el("thead", {}, el("tr", {}, ["Player", "Bid", "Tricks"].map((text) => el("th", { scope: "col" }, text)))),
        el("tbody", {}, rows),
      ),
    ].filter(Boolean);
  },
};
