// The hand: buttons in a row, moved along by arrow keys, overlapping when there are many, in two
// rows and then scrolling when there are very many. What may be played is lit.

import { el } from "./dom.js";

const STRIP = 44; // of an overlapped card, what stays in sight: wide enough for a finger
const GAP = 6;
const EDGE = 4;
const USUAL = 10; // cards that a hand often grows to where cards are drawn

/** The moves that play a card, alone or with something declared. */
export function movesOf(card, legal) {
  return legal.filter((move) => move === card || move.startsWith(`${card}:`));
}

export class Hand {
  #cards = [];
  #last = null;
  #reserve = USUAL;

  constructor(onPlay) {
    this.onPlay = onPlay;
    this.rows = el("div", { class: "hand-rows" });
    this.element = el("div", {
      class: "hand", role: "group", tabindex: -1, data: { testid: "hand" },
      on: { keydown: (event) => this.#keys(event) },
    }, this.rows);
    this.watcher = new ResizeObserver(() => this.#place());
    this.watcher.observe(this.element);
  }

  /** Show a hand. `legal` are moves, and `choosing` says that one is wanted; `notes` are short texts
   *  by card, such as a win chance, `best` the cards to mark; there is always room for `reserve`. */
  show({ label, hand, game, legal, choosing, notes, best, reserve = USUAL }) {
    this.#reserve = reserve;
    this.element.setAttribute("aria-label", label);
    const focused = this.#cards.indexOf(document.activeElement);
    const inside = this.element.contains(document.activeElement);
    this.#cards = game.sort(hand).map((card) => {
      const may = movesOf(card, legal).length > 0;
      const note = may ? notes.get(card) : null;
      const shown = el("button", {
        type: "button",
        class: `hand-card${may ? " lit" : choosing ? " dim" : ""}${may && best.has(card) ? " advised" : ""}`,
        tabindex: -1,
        "aria-disabled": may ? null : "true",
        "aria-label": [game.cardName(card), choosing && !may ? "not playable now" : null, note].filter(Boolean).join(", "),
        data: { testid: `card-${card}`, card },
        on: { click: (event) => this.#click(event, card, shown), focus: () => this.#enter(shown) },
      },
        game.card(card, { size: "fit", quiet: true }),
        note ? el("span", { class: "card-note", "aria-hidden": "true" }, note) : null);
      return shown;
    });
    this.rows.replaceChildren(...this.#cards);
    const entry = this.#cards[Math.min(focused < 0 ? this.#first() : focused, this.#cards.length - 1)];
    if (entry) this.#enter(entry);
    this.#place();
    if (inside) (entry ?? this.element).focus(); // after the last card the hand waits for the next
  }

  /** Go to the first card that may be played. */
  focus() {
    this.#cards[this.#first()]?.focus();
  }

  close() {
    this.watcher.disconnect();
  }

  find(card) {
    return this.#cards.find((one) => one.dataset.card === card) ?? null;
  }

  #first() {
    return Math.max(0, this.#cards.findIndex((card) => card.classList.contains("lit")));
  }

  #enter(card) {
    this.#last?.setAttribute("tabindex", "-1");
    card.setAttribute("tabindex", "0");
    this.#last = card;
  }

  /** The second of a double click would hit the card that has moved to the place of the first. */
  #click(event, card, shown) {
    if (event.detail < 2) this.onPlay(card, shown);
  }

  #keys(event) {
    if (event.key === "Enter" && event.repeat) event.preventDefault(); // so would a key that is held
    const at = this.#cards.indexOf(document.activeElement);
    const last = this.#cards.length - 1;
    const to = { ArrowLeft: Math.max(0, at - 1), ArrowRight: Math.min(last, at + 1), Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.#cards[to]?.focus();
  }

  #place() {
    const number = this.#cards.length;
    if (!number) return;
    const width = this.#cards[0].offsetWidth;
    const room = this.element.clientWidth - 2 * EDGE;
    if (!width || room <= 0) return;
    const fits = Math.max(2, Math.floor((room - width) / STRIP) + 1);
    const rows = number > fits ? 2 : 1;
    const across = Math.ceil(number / rows);
    const step = across > 1 ? Math.max(STRIP, Math.min(width + GAP, (room - width) / (across - 1))) : 0;
    const used = width + step * (across - 1);
    const start = Math.max(0, (room - used) / 2);
    this.rows.style.width = used > room ? `${used}px` : "100%";
    this.element.dataset.rows = rows;
    this.element.dataset.reserved = Math.max(number, this.#reserve) > fits ? 2 : 1;
    this.#cards.forEach((card, k) => {
      const row = Math.floor(k / across);
      card.style.left = `${start + (k - row * across) * step}px`;
      card.dataset.row = row;
    });
  }
}
