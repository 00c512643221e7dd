// The cards of a real table: what stands there, the buttons that tell what the seat to act did, and a
// grid from which cards are picked.

import { button, el, plural } from "./dom.js";
import { possessive } from "./words.js";

/** The table as far as it is seen: a few facts, the cards on it, my hand. */
export function tableFacts(game, view, names) {
  const { state, seat } = view;
  const hand = game.sort(state.hand).map((card) => el("li", {}, game.card(card, { size: "sm" })));
  return [
    ...game.real.tableFacts(game, view, names),
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
  const cards = game.sort(moves.filter((move) => game.cardOf(move)));
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

/** A card as a button. */
function cardButton(card, game, { testid, onClick, best = false }) {
  const words = game.cardName(card);
  const mark = game.mark(card);
  const kind = `real-card${best ? " best" : ""}`;
  const given = { type: "button", class: kind, "aria-label": words, title: words, data: { testid, card }, on: { click: onClick } };
  return el("button", given,
    game.card(card, { size: "fit", quiet: true }), mark ? el("span", { class: "real-declares" }, mark) : null);
}

/** Buttons in rows, such as one for each suit; `given(card)` says what each does. */
function cardRows(cards, game, given) {
  const rows = new Map();
  for (const card of cards) {
    const key = game.real.row(card);
    if (!rows.has(key)) rows.set(key, el("div", { class: "real-grid" }));
    rows.get(key).append(cardButton(card, game, given(card)));
  }
  return [...rows.values()];
}

/** Cards to choose from with their copies, 0 for one that cannot be. A tap takes one more, and after the last copy none. */
export class Picker {
  constructor({ game, testid, onChange }) {
    this.game = game;
    this.testid = testid;
    this.onChange = onChange;
    this.chosen = new Map();
    this.element = el("div", { class: "real-rows", role: "group", "aria-label": "Cards" });
  }

  get cards() {
    return [...this.chosen].flatMap(([card, number]) => Array(number).fill(card));
  }

  choose(cards) {
    this.chosen = new Map();
    for (const card of cards) this.chosen.set(card, (this.chosen.get(card) ?? 0) + 1);
  }

  /** Show which cards there are, and how many may be chosen in all. Buttons that are there stay: a
   *  click may be on its way to one, or the focus on it. */
  show(there, most) {
    const cards = [...there.keys()];
    const same = cards.join() === [...(this.there?.keys() ?? [])].join();
    this.there = there;
    this.most = most;
    if (!same) this.element.replaceChildren(...cardRows(cards, this.game, (card) => ({ onClick: () => this.#tap(card) })));
    this.element.querySelectorAll("button").forEach((shown) => this.#mark(shown));
  }

  #mark(shown) {
    const { card } = shown.dataset;
    const count = this.chosen.get(card) ?? 0;
    shown.dataset.testid = `${this.testid}-${card}`;
    shown.disabled = this.there.get(card) === 0;
    shown.classList.toggle("chosen", count > 0);
    shown.setAttribute("aria-label", count ? `${shown.title}, ${count} chosen` : shown.title);
    shown.setAttribute("aria-pressed", String(count > 0));
    shown.querySelector(".real-count")?.remove();
    if (count) shown.append(el("span", { class: "real-count", "aria-hidden": "true" }, count > 1 ? `×${count}` : "✓"));
  }

  #tap(card) {
    const copies = this.there.get(card);
    const now = this.chosen.get(card) ?? 0;
    const single = this.most === 1;
    if (single && !now) this.chosen = new Map([[card, 1]]);
    else if (now < copies && this.cards.length < this.most) this.chosen.set(card, now + 1);
    else this.chosen.delete(card);
    this.show(this.there, this.most);
    this.onChange(this.cards);
  }
}
