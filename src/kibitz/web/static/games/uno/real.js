// UNO with real cards: the form of the beginning, what stands on the table, and what can be. Only what
// the rules and the events seen so far say; the server checks.

import { button, el, plural } from "../../dom.js";
import { Picker } from "../../real_cards.js";
import { without } from "../game.js";
import { COLOURS, RANKS, sign, topCard } from "./faces.js";

const STANDARD = "0112233445566778899SSRR++";
const MOST = 53; // cards each

/** The discard pile, from the events; a reshuffle leaves its top card alone. */
function pileOf(events) {
  let pile = [];
  for (const line of events) {
    const played = /^\d plays ([^:]+)/.exec(line);
    if (played) pile.push(played[1]);
    else if (line.startsWith("top ")) pile.push(line.slice(4));
    else if (line.startsWith("pile ")) pile.unshift(...line.slice(5).split(" "));
    else if (line === "reshuffle") pile = pile.slice(-1);
  }
  return pile;
}

export const real = {
  // --- the beginning ---

  form: { first: "me", skip: "forfeit", hand_size: 7 },
  example: "R5, G+2 or W",
  another: "Another game",

  fields: (field) => [
    field("first", "Who begins", [["me", "I begin"], ["other", "The other player begins"]]),
    field("skip", "Skip and Reverse", [["forfeit", "Same player again"], ["pass", "The turn passes"]]),
    field("hand_size", "Cards each", null, { number: true, low: 1, high: MOST }),
  ],
  fit(form) {
    form.hand_size = Math.max(1, Math.min(MOST, form.hand_size || 7));
  },
  names: ({ first }) => (first === "me" ? ["You", "Opponent"] : ["Opponent", "You"]),
  seat: ({ first }) => (first === "me" ? 0 : 1),
  rules: ({ skip, hand_size }) => ({ skip, hand_size }),
  handSize: (form) => form.hand_size,
  turnedUp: () => "top",
  mayTurnUp: (card) => card[0] !== "W",
  next: (form) => form,

  // --- cards ---

  row: (card) => card[0],

  deck(rules = {}) {
    const found = new Map();
    for (const colour of "RYGB".slice(0, rules.colours ?? 4)) {
      for (const rank of RANKS) {
        const copies = [...(rules.ranks ?? STANDARD)].filter((letter) => letter === rank[0]).length;
        if (copies) found.set(colour + rank, copies);
      }
    }
    if (rules.wilds ?? 4) found.set("W", rules.wilds ?? 4);
    if (rules.wild_fours ?? 4) found.set("W+4", rules.wild_fours ?? 4);
    return found;
  },

  cardIn(text) {
    const said = text.trim().toUpperCase();
    const wild = /^W(\+?4)?$/.exec(said);
    if (wild) return wild[1] ? "W+4" : "W";
    const found = /^([RYGB])([0-9SR]|\+2?)$/.exec(said);
    return found ? found[1] + (found[2][0] === "+" ? "+2" : found[2]) : null;
  },

  hidden: ({ rules, state, events }) => without(real.deck(rules), [...state.hand, ...pileOf(events)]),

  could(view) {
    const { state, rules } = view;
    if (state.pending > 0) return ["draw"];
    const fits = (card) => card[0] === state.colour || (state.top[0] !== "W" && card.slice(1) === state.top.slice(1));
    const plays = [...real.hidden(view).keys()].flatMap((card) => {
      if (card[0] !== "W") return fits(card) ? [card] : [];
      return [..."RYGB".slice(0, rules.colours ?? 4)].map((colour) => `${card}:${colour}`);
    });
    return ["draw", ...plays];
  },

  /** How many cards the seat to act has to draw, and from which: with too few in the deck, the pile is
   *  shuffled in. None at all ends the game. */
  drawable(view) {
    const { state, events } = view;
    const number = state.pending || 1;
    const cards = real.hidden(view);
    if (state.deck >= number) return { number, cards };
    const pile = pileOf(events).slice(0, -1);
    if (state.deck + pile.length < number) return { number: 0, cards: new Map() };
    pile.forEach((card) => cards.set(card, (cards.get(card) ?? 0) + 1));
    return { number, cards };
  },

  // --- the page ---

  tableFacts(game, { state, seat }, names) {
    const colour = el("span", { class: "real-colour" }, sign(state.colour), COLOURS[state.colour]);
    const facts = [
      el("li", {}, "On top: ", el("b", {}, game.cardName(state.top)), state.top[0] === "W" ? [", colour ", colour] : null),
      el("li", {}, `${names[1 - seat]}: ${plural(state.held[1 - seat], "card")}`),
      el("li", {}, `Deck: ${plural(state.deck, "card")}`),
    ];
    if (state.pending) facts.push(el("li", { class: "real-pending" }, `${plural(state.pending, "card")} to draw`));
    return [el("div", { class: "real-table" }, game.card(topCard(state)), el("ul", { class: "real-facts" }, facts))];
  },

  /** The button for a draw. Which cards I drew only I know, and the advice needs them: `below` asks. */
  button(game, view, mine, tell, below) {
    const number = view.state.pending || 1;
    const words = `${mine ? "I" : "They"} drew ${number === 1 ? "a card" : plural(number, "card")}`;
    const attributes = { testid: "real-said-draw", kind: "real-draw" };
    if (!mine) return button(words, () => tell("draw"), attributes);
    const asked = real.drawable(view);
    if (asked.number === 0) return button("Nothing is left to draw", () => tell("draw"), attributes);
    return button(`${words} …`, () => askDrawn(game, asked, tell, below), attributes);
  },
};

function askDrawn(game, { number, cards }, tell, below) {
  const done = button("These", () => tell(`draw ${picker.cards.join(" ")}`), { kind: "primary", testid: "real-drew" });
  done.disabled = true;
  const picker = new Picker({
    game,
    testid: "real-drew",
    onChange: (chosen) => {
      done.disabled = chosen.length !== number;
      if (number === 1 && chosen.length === 1) tell(`draw ${chosen[0]}`);
    },
  });
  picker.show(cards, number);
  below.replaceChildren(
    el("h3", {}, number === 1 ? "Which card did you draw?" : `Which ${number} cards did you draw?`),
    picker.element,
    ...(number === 1 ? [] : [done]),
  );
  picker.element.querySelector("button")?.focus();
}
