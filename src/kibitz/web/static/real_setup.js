// The beginning of a game at a real table: which game and rules, my cards, and what lies face up.

import { allow, allowed, button, el, options, plural } from "./dom.js";
import { gameOf } from "./games/index.js";
import { Picker } from "./real_cards.js";

/** A form for what is told of the beginning; `onStart` gets {game, rules, seat, told, names}, and
 *  what it throws is shown. `given` fills the form, as for the next round. */
export class Setup {
  constructor(list, onStart, given = null) {
    this.onStart = onStart;
    this.games = list.games.filter(({ name }) => gameOf(name).real);
    const game = given?.game ?? this.games[0].name;
    this.form = { ...blank(game), ...given };
    this.filling = "hand";
    this.element = el("div", { class: "real-setup" });
    this.#build();
  }

  get #game() {
    return gameOf(this.form.game);
  }

  get #real() {
    return this.#game.real;
  }

  #rule(name) {
    return this.games.find((game) => game.name === this.form.game).rules.find((rule) => rule.name === name);
  }

  #choose(game) {
    this.form = blank(game);
    this.filling = "hand";
    this.#build();
    this.element.querySelector("[aria-pressed=true]").focus();
  }

  // --- the parts ---

  #build() {
    const { form } = this;
    this.inputs = {};
    this.picker = new Picker({ game: this.#game, testid: "real-hand", onChange: (cards) => this.#picked(cards) });
    this.typed = el("input", {
      type: "text", id: "real-typed", autocomplete: "off", autocapitalize: "characters", spellcheck: "false",
      data: { testid: "real-typed" }, on: { change: () => this.#typed() },
    });
    this.modes = { hand: this.#mode("hand"), up: this.#mode("up") };
    const modes = Object.values(this.modes).map(({ label }) => label);
    this.told = el("p", { class: "real-told", role: "status" });
    this.problem = el("p", { class: "notice", role: "alert", hidden: true, data: { testid: "real-problem" } });
    this.start = button("Start", () => this.#begin(), { kind: "primary", testid: "real-start" });
    const kinds = this.games.map(({ name, title }) =>
      button(title, () => this.#choose(name), {
        testid: `real-game-${name}`, kind: form.game === name ? "primary" : "", "aria-pressed": form.game === name ? "true" : "false",
      }),
    );
    const fields = this.#real.fields((...field) => this.#field(...field), (name) => this.#rule(name));
    this.element.replaceChildren(
      el("section", { class: "panel" },
        el("h2", {}, "1. The game"),
        el("div", { class: "real-row" }, kinds),
        el("div", { class: "real-fields" }, fields),
      ),
      el("section", { class: "panel" },
        el("h2", {}, "2. The cards"),
        el("p", { class: "muted small" }, "Tap the cards, or type them below."),
        el("div", { class: "segments", role: "group", "aria-label": "What a tap fills in" }, modes),
        this.picker.element,
        el("div", { class: "real-field" }, el("label", { for: "real-typed" }, "Typed"), this.typed),
      ),
      el("section", { class: "panel real-go" }, this.told, this.problem, this.start),
    );
    this.#fit();
    this.#show();
  }

  /** Whether a tap fills in my hand or the card turned up. */
  #mode(key) {
    const input = el("input", {
      type: "radio", name: "real-mode", data: { testid: `real-mode-${key}` },
      on: { change: () => {
        this.filling = key;
        this.#show();
      } },
    });
    const words = el("span", {});
    return { input, words, label: el("label", {}, input, words) };
  }

  #field(name, title, choices, { number = false, low = 0, high = 0, help = null } = {}) {
    const id = `real-${name}`;
    const numeric = number || typeof this.form[name] === "number";
    const kind = number ? { type: "number", min: low, max: high, inputmode: "numeric" } : { type: "text" };
    const input = choices ? el("select", { id }, options(choices)) : el("input", { id, autocomplete: "off", ...kind });
    input.addEventListener("change", () => this.#set(name, numeric ? Number(input.value) : input.value));
    input.dataset.testid = id;
    this.inputs[name] = input;
    const more = help ? el("p", { class: "muted small" }, help) : null;
    return el("div", { class: "real-field" }, el("label", { for: id }, title), input, more);
  }

  #set(name, value) {
    const { form } = this;
    form[name] = value;
    this.#real.fit(form, name);
    if (!this.#turnedUp) {
      form.up = null;
      this.filling = "hand";
    }
    form.hand = form.hand.slice(0, this.#size);
    this.#fit();
    this.#show();
  }

  /** The fields as the form has them. They are not made anew: a field is left by a click on the next,
   *  and that click must find it. */
  #fit() {
    const { form, inputs } = this;
    this.#real.offer?.(form, inputs);
    for (const [name, input] of Object.entries(inputs)) input.value = form[name];
  }

  // --- the cards ---

  get #size() {
    return this.#real.handSize(this.form);
  }

  /** What the card is called that is turned up, or null if there is none. */
  get #turnedUp() {
    return this.#real.turnedUp(this.form);
  }

  #picked(cards) {
    if (this.filling === "hand") this.form.hand = cards;
    else this.form.up = cards[0] ?? null;
    if (this.filling === "hand" && cards.length === this.#size && this.#turnedUp && !this.form.up) this.filling = "up";
    this.#show();
  }

  #typed() {
    const words = this.typed.value.split(/[\s,]+/).filter(Boolean);
    const cards = words.map((word) => this.#real.cardIn(word));
    const wrong = words[cards.indexOf(null)];
    const deck = this.#real.deck();
    const many = cards.find((card) => card && cards.filter((other) => other === card).length > (deck.get(card) ?? 0));
    this.#complain(wrong ? `“${wrong}” is no card; write them such as ${this.#real.example}.` : many ? `There are not so many of ${many}.` : null);
    if (wrong || many) return;
    this.#picked(cards.slice(0, this.filling === "hand" ? this.#size : 1));
  }

  #show() {
    const { form, filling } = this;
    const up = form.up ? [form.up] : [];
    const [chosen, elsewhere] = filling === "hand" ? [form.hand, up] : [up, form.hand];
    const there = this.#real.deck(); // cards that are elsewhere stay in their place, but cannot be taken
    elsewhere.forEach((card) => there.set(card, there.get(card) - 1));
    if (filling === "up") [...there.keys()].filter((card) => !this.#real.mayTurnUp(card)).forEach((card) => there.set(card, 0));
    this.picker.testid = filling === "hand" ? "real-hand" : "real-up";
    this.picker.choose(chosen);
    this.picker.show(there, filling === "hand" ? this.#size : 1);
    this.typed.value = chosen.join(" ");
    const { modes } = this;
    modes[filling].input.checked = true;
    modes.hand.words.textContent = `My hand: ${form.hand.length} of ${this.#size}`;
    modes.up.words.textContent = `Turned up: ${form.up ?? "?"}`;
    modes.up.label.hidden = !this.#turnedUp;
    const missing = [];
    if (form.hand.length < this.#size) missing.push(plural(this.#size - form.hand.length, "more card"));
    if (this.#turnedUp && !form.up) missing.push("the card turned up");
    this.told.textContent = missing.length ? `Still to tell: ${missing.join(" and ")}.` : "All there. Good luck!";
    allow(this.start, missing.length === 0);
  }

  #complain(text) {
    this.problem.textContent = text ?? "";
    this.problem.hidden = !text;
  }

  async #begin() {
    if (!allowed(this.start)) return;
    const { form } = this;
    const { real } = this.#game;
    const told = { hand: form.hand.join(" ") };
    if (this.#turnedUp) told[this.#turnedUp] = form.up;
    const start = { game: form.game, rules: real.rules(form), seat: real.seat(form), names: real.names(form), told };
    allow(this.start, false);
    this.#complain(null);
    try {
      await this.onStart({ ...start, form: { ...form, hand: [], up: null } });
    } catch (error) {
      this.#complain(error.message);
      allow(this.start, true);
    }
  }
}

/** A form with nothing told yet. */
function blank(game) {
  return { game, ...gameOf(game).real.form, hand: [], up: null };
}
