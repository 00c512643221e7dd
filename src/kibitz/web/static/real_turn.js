// What stands on a real table now, and the buttons that tell what the seat to act did.

import { button, el, plural } from "./dom.js";
import { cardButton, cardRows } from "./real_picker.js";
import { possessive } from "./words.js";

/** The table as far as it is seen: a few facts, the cards on it, my hand. */
export function standing(game, view, names) {
  const { state, seat } = view;
  const hand = game.sort(state.hand).map((card) => el("li", {}, game.card(card, { size: "sm" })));
  return [
    ...game.real.standing(game, view, names),
    el("h3", {}, `Your hand (${names[seat] === "You" ? "" : `${names[seat]}, `}${plural(state.hand.length, "card")})`),
    el("ul", { class: "real-hand", "aria-label": "Your hand" }, hand),
  ];
}

/** Buttons for what the seat to act did. `tell` gets it in notation; `best` are moves to mark. */
export function turn(game, view, names, tell, best = []) {
  const { real } = game;
  const mine = view.to_act === view.seat;
  const verb = real.verb?.(view) ?? "do";
  const title = mine ? `Your turn: what did you ${verb}?` : `${possessive(names[view.to_act])} turn: what did they ${verb}?`;
  const moves = mine ? view.legal : real.could(view);
  const below = el("div", { class: "real-below" });
  const buttons = moves.filter((move) => !game.cardOf(move)).map((move) =>
    real.button?.(game, view, mine, tell, below) ?? button(move, () => tell(move), {
      testid: `real-said-${move}`, kind: `real-bid${best.includes(move) ? " best" : ""}`, "aria-label": game.moveName(move),
    }),
  );
  const cards = inOrder(moves.filter((move) => game.cardOf(move)), game);
  const given = (move) => ({ testid: `real-said-${move}`, best: best.includes(move), onClick: () => tell(move) });
  return [
    el("h2", { tabindex: -1 }, title),
    buttons.length ? el("div", { class: "real-row" }, buttons) : null,
    real.bySuit && !mine
      ? el("div", { class: "real-rows" }, cardRows(cards, game, given))
      : el("div", { class: "real-grid" }, cards.map((move) => cardButton(move, game, given(move)))),
    below,
  ].filter(Boolean);
}

/** As in a hand; those that declare something last, by what it is. */
function inOrder(moves, game) {
  return [...game.sort(moves.filter((move) => !move.includes(":"))), ...moves.filter((move) => move.includes(":")).sort()];
}
