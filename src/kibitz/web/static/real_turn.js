// What stands on a real table now, and the buttons that tell what the seat to act did.

import { cardElement, cardName, signElement, sortCards } from "./cards.js";
import { button, el, plural } from "./dom.js";
import { COLOUR_NAMES, SUIT_SIGNS } from "./pips.js";
import { couldDo, drawable } from "./real_cards.js";
import { Picker, cardButton, cardRows } from "./real_picker.js";
import { possessive } from "./words.js";

// --- what stands there ---

/** The table as far as it is seen: a few facts, the cards on it, my hand. */
export function standing(view, names) {
  const { game, state, seat } = view;
  const parts = game === "uno" ? unoFacts(view, names) : blobFacts(view, names);
  const hand = sortCards(state.hand, game).map((card) => el("li", {}, cardElement(card, { game, size: "sm" })));
  return [
    ...parts,
    el("h3", {}, `Your hand (${names[seat] === "You" ? "" : `${names[seat]}, `}${plural(state.hand.length, "card")})`),
    el("ul", { class: "real-hand", "aria-label": "Your hand" }, hand),
  ];
}

function unoFacts({ state, seat }, names) {
  const colour = el("span", { class: "real-colour" }, signElement(state.colour, { uno: true }), COLOUR_NAMES[state.colour]);
  const facts = [
    el("li", {}, "On top: ", el("b", {}, cardName(state.top, "uno")), state.top[0] === "W" ? [", colour ", colour] : null),
    el("li", {}, `${names[1 - seat]}: ${plural(state.held[1 - seat], "card")}`),
    el("li", {}, `Deck: ${plural(state.deck, "card")}`),
  ];
  if (state.pending) facts.push(el("li", { class: "real-pending" }, `${plural(state.pending, "card")} to draw`));
  return [el("div", { class: "real-table" }, cardElement(topCard(state), { game: "uno", size: "md" }), el("ul", { class: "real-facts" }, facts))];
}

const topCard = ({ top, colour }) => (top[0] === "W" ? `${top}:${colour}` : top);

function blobFacts({ state }, names) {
  const sign = SUIT_SIGNS[state.trump[0].toUpperCase()];
  const trump = state.trump === "none" ? "No trump" : `Trump: ${sign} ${state.trump}${state.turned ? ` (${cardName(state.turned, "blob")})` : ""}`;
  const rows = names.map((name, seat) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, name, seat === state.dealer ? el("span", { class: "moves-tag" }, "deals") : null),
      el("td", {}, state.bids[seat] ?? "–"),
      el("td", {}, state.phase === "bidding" ? "" : String(state.won[seat])),
    ),
  );
  const trick = (state.trick ?? []).map(({ seat, card }) =>
    el(
      "li",
      { class: seat === state.winning ? "winning" : null },
      cardElement(card, { game: "blob", size: "sm" }),
      el("span", { class: "small" }, names[seat]),
    ),
  );
  return [
    el("p", {}, `${trump} · ${plural(state.cards, "card")} each`),
    trick.length ? el("ul", { class: "real-trick", "aria-label": "This trick" }, trick) : null,
    el(
      "table",
      { class: "real-bids" },
      el("caption", { class: "visually-hidden" }, "Bids and tricks"),
      el("thead", {}, el("tr", {}, ["Player", "Bid", "Tricks"].map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, rows),
    ),
  ].filter(Boolean);
}

// --- what was done ---

/** Buttons for what the seat to act did. `tell` gets it in notation; `best` are moves to mark. */
export function turn(view, names, tell, best = []) {
  const { game, state, seat, to_act: mover } = view;
  const mine = mover === seat;
  const verb = state.phase === "bidding" ? "bid" : "do";
  const title = mine ? `Your turn: what did you ${verb}?` : `${possessive(names[mover])} turn: what did they ${verb}?`;
  const moves = mine ? view.legal : couldDo(view);
  const below = el("div", { class: "real-below" });
  const draws = moves.filter((move) => move === "draw").map(() => drawButton(view, mine, below, tell));
  const bids = moves.filter((move) => /^\d+$/.test(move)).map((bid) =>
    button(bid, () => tell(bid), { testid: `real-said-${bid}`, kind: best.includes(bid) ? "real-bid best" : "real-bid", "aria-label": `bid ${bid}` }),
  );
  const cards = inOrder(moves.filter((move) => move !== "draw" && !/^\d+$/.test(move)), game);
  const given = (move) => ({ testid: `real-said-${move}`, best: best.includes(move), onClick: () => tell(move) });
  const bySuit = game !== "uno" && !mine; // many, and people look for a suit first
  return [
    el("h2", { tabindex: -1 }, title),
    draws.length ? el("div", { class: "real-row" }, draws) : null,
    bids.length ? el("div", { class: "real-row" }, bids) : null,
    bySuit
      ? el("div", { class: "real-rows" }, cardRows(cards, game, given))
      : el("div", { class: "real-grid" }, cards.map((move) => cardButton(move, game, given(move)))),
    below,
  ].filter(Boolean);
}

/** As in a hand; wilds last, by the colour they declare. */
function inOrder(moves, game) {
  return [...sortCards(moves.filter((move) => !move.includes(":")), game), ...moves.filter((move) => move.includes(":")).sort()];
}

function drawButton(view, mine, below, tell) {
  const number = view.state.pending || 1;
  const words = mine ? `I drew ${number === 1 ? "a card" : plural(number, "card")}` : `They drew ${number === 1 ? "a card" : plural(number, "card")}`;
  const attributes = { testid: "real-said-draw", kind: "real-draw" };
  if (!mine) return button(words, () => tell("draw"), attributes);
  const asked = drawable(view);
  if (asked.number === 0) return button("Nothing is left to draw", () => tell("draw"), attributes);
  return button(`${words} …`, () => askDrawn(view, asked, below, tell), attributes);
}

/** Which cards I drew: only I know, and the advice needs them. */
function askDrawn(view, { number, cards }, below, tell) {
  const done = button("These", () => tell(`draw ${picker.cards.join(" ")}`), { kind: "primary", testid: "real-drew" });
  done.disabled = true;
  const picker = new Picker({
    game: view.game,
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
