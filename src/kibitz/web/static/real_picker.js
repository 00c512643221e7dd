// A grid of cards to tap: one of them, or a number of them with copies.

import { cardElement, cardName, signElement } from "./cards.js";
import { el } from "./dom.js";

/** A card as a button; `count` shows how many of it are chosen. */
export function cardButton(card, game, { testid, onClick, count = 0, best = false, disabled = false }) {
  const words = cardName(card, game);
  const [, declared] = card.split(":");
  return el(
    "button",
    {
      type: "button",
      class: `real-card${count ? " chosen" : ""}${best ? " best" : ""}`,
      "aria-label": count ? `${words}, ${count} chosen` : words,
      "aria-pressed": count ? "true" : null,
      title: words,
      disabled,
      data: { testid },
      on: { click: onClick },
    },
    cardElement(card, { game, size: "fit", quiet: true }),
    declared ? el("span", { class: "real-declares" }, signElement(declared, { uno: true })) : null,
    count ? el("span", { class: "real-count", "aria-hidden": "true" }, count > 1 ? `×${count}` : "✓") : null,
  );
}

/** Buttons in rows, a colour or a suit each; `given(card)` says what each does. */
export function cardRows(cards, game, given) {
  const rows = new Map();
  for (const card of cards) {
    const key = game === "uno" ? card[0] : card[1];
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

  /** Draw the grid: which cards there are, and how many may be chosen in all. */
  show(there, most) {
    this.there = there;
    this.most = most;
    const focused = document.activeElement?.dataset?.testid;
    this.element.replaceChildren(
      ...cardRows([...there.keys()], this.game, (card) => ({
        testid: `${this.testid}-${card}`,
        count: this.chosen.get(card) ?? 0,
        disabled: there.get(card) === 0,
        onClick: () => this.#tap(card, there.get(card)),
      })),
    );
    // the tapped button was drawn anew: a keyboard should not lose its place
    if (focused) this.element.querySelector(`[data-testid="${CSS.escape(focused)}"]`)?.focus();
  }

  #tap(card, copies) {
    const now = this.chosen.get(card) ?? 0;
    const single = this.most === 1;
    if (single && !now) this.chosen = new Map([[card, 1]]);
    else if (now < copies && this.cards.length < this.most) this.chosen.set(card, now + 1);
    else this.chosen.delete(card);
    this.show(this.there, this.most);
    this.onChange(this.cards);
  }
}
