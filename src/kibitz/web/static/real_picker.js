// A grid of cards to tap: one of them, or a number of them with copies.

import { el } from "./dom.js";

/** A card as a button. */
export function cardButton(card, game, { testid, onClick, best = false }) {
  const words = game.cardName(card);
  const mark = game.mark(card);
  return el(
    "button",
    {
      type: "button", class: `real-card${best ? " best" : ""}`, "aria-label": words, title: words, data: { testid, card },
      on: { click: onClick },
    },
    game.card(card, { size: "fit", quiet: true }),
    mark ? el("span", { class: "real-declares" }, mark) : null,
  );
}

/** Buttons in rows, such as one for each suit; `given(card)` says what each does. */
export function cardRows(cards, game, given) {
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
