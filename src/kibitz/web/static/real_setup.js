// The beginning of a game at a real table: which game and rules, my cards, and what lies face up.

import { allow, allowed, button, el, plural } from "./dom.js";
import { SUIT_NAMES } from "./pips.js";
import { cardIn, deckOf, mostCards } from "./real_cards.js";
import { Picker } from "./real_picker.js";

const NEW = {
  uno: { game: "uno", first: "me", skip: "forfeit", hand_size: 7, hand: [], up: null },
  blob: {
    game: "blob", players: 4, cards: 7, seat: 0, dealer: 3, trump: "turned", names: "", miss: "zero",
    exact_bonus: 10, points_per_trick: 1, hand: [], up: null,
  },
};

const MISSES = [["zero", "nothing"], ["tricks", "its tricks"], ["penalty", "minus each off"]];

/** A form for what is told of the beginning; `onStart` gets {game, rules, seat, told, names}, and
 *  what it throws is shown. `given` fills the form, as for the next round. */
export class Setup {
  constructor(list, onStart, given = null) {
    this.list = list;
    this.onStart = onStart;
    this.form = { ...NEW.uno, ...given };
    this.filling = "hand";
    this.element = el("div", { class: "real-setup" });
    this.#build();
  }

  #rule(name) {
    return this.list?.games?.find((game) => game.name === this.form.game)?.rules?.find((rule) => rule.name === name);
  }

  #choose(game) {
    this.form = { ...NEW[game] };
    this.filling = "hand";
    this.#build();
    this.element.querySelector("[aria-pressed=true]").focus();
  }

  // --- the parts ---

  #build() {
    const { form } = this;
    this.inputs = {};
    this.picker = new Picker({ game: form.game, testid: "real-hand", onChange: (cards) => this.#picked(cards) });
    this.typed = el("input", {
      type: "text", id: "real-typed", autocomplete: "off", autocapitalize: "characters", spellcheck: "false",
      data: { testid: "real-typed" }, on: { change: () => this.#typed() },
    });
    this.modes = { hand: this.#mode("hand"), up: this.#mode("up") };
    const modes = Object.values(this.modes).map(({ label }) => label);
    this.told = el("p", { class: "real-told", role: "status" });
    this.problem = el("p", { class: "notice", role: "alert", hidden: true, data: { testid: "real-problem" } });
    this.start = button("Start", () => this.#begin(), { kind: "primary", testid: "real-start" });
    const kinds = [["uno", "UNO"], ["blob", "Blob"]].map(([name, title]) =>
      button(title, () => this.#choose(name), {
        testid: `real-game-${name}`, kind: form.game === name ? "primary" : "", "aria-pressed": form.game === name ? "true" : "false",
      }),
    );
    const fields = form.game === "uno" ? this.#unoFields() : this.#blobFields();
    this.element.replaceChildren(
      el(
        "section",
        { class: "panel" },
        el("h2", {}, "1. The game"),
        el("div", { class: "real-row" }, kinds),
        el("div", { class: "real-fields" }, fields),
      ),
      el(
        "section",
        { class: "panel" },
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

  #unoFields() {
    return [
      this.#field("first", "Who begins", [["me", "I begin"], ["other", "The other player begins"]]),
      this.#field("skip", "Skip and Reverse", [["forfeit", "Same player again"], ["pass", "The turn passes"]]),
      this.#field("hand_size", "Cards each", null, { number: true, low: 1, high: 53 }),
    ];
  }

  #blobFields() {
    return [
      this.#field("players", "Players", [2, 3, 4, 5, 6, 7, 8].map((n) => [n, String(n)])),
      this.#field("cards", "Cards each", null, { number: true, low: 1 }),
      this.#field("seat", "Your seat", [], { help: "Seats are counted to the left, from 0." }),
      this.#field("dealer", "Who deals", []),
      this.#field("trump", "Trump", [["turned", "A card is turned up"], ...Object.values(SUIT_NAMES).map((suit) => [suit, suit]), ["none", "No trump"]]),
      this.#field("names", "Names of the others", null, { help: "In order of their seats, with commas; may stay empty." }),
      el(
        "details",
        { class: "real-more" },
        el("summary", {}, "Scoring"),
        this.#field("exact_bonus", "For an exact bid", null, { number: true, high: 1000 }),
        this.#field("points_per_trick", "For a trick", null, { number: true, high: 100 }),
        this.#field("miss", "A missed bid", MISSES, { help: this.#rule("miss")?.help ?? null }),
      ),
    ];
  }

  /** Names of all seats; mine is "You". */
  #names() {
    const { form } = this;
    if (form.game === "uno") return form.first === "me" ? ["You", "Opponent"] : ["Opponent", "You"];
    const said = form.names.split(",").map((name) => name.trim());
    return Array.from({ length: form.players }, (_, seat) => {
      if (seat === form.seat) return "You";
      return said[seat < form.seat ? seat : seat - 1] || `Seat ${seat}`;
    });
  }

  #set(name, value) {
    const { form } = this;
    form[name] = value;
    if (form.game === "blob") {
      form.players = Math.max(2, Math.min(8, form.players));
      if (name === "players") form.dealer = form.players - 1;
      form.seat = Math.min(form.seat, form.players - 1);
      form.dealer = Math.min(form.dealer, form.players - 1);
      form.cards = Math.max(1, Math.min(form.cards || 1, this.#mostCards()));
      if (form.trump !== "turned") {
        form.up = null;
        this.filling = "hand";
      }
    } else form.hand_size = Math.max(1, Math.min(53, form.hand_size || 7));
    form.hand = form.hand.slice(0, this.#size());
    this.#fit();
    this.#show();
  }

  /** The fields as the form has them. They are not made anew: a field is left by a click on the next,
   *  and that click must find it. */
  #fit() {
    const { form, inputs } = this;
    if (form.game === "blob") {
      const names = this.#names();
      inputs.cards.max = this.#mostCards();
      inputs.seat.replaceChildren(...options(names.map((_, seat) => [seat, `Seat ${seat}`])));
      inputs.dealer.replaceChildren(...options(names.map((name, seat) => [seat, name])));
    }
    for (const [name, input] of Object.entries(inputs)) input.value = form[name];
  }

  #mostCards() {
    return mostCards(this.form.players, this.form.trump === "turned");
  }

  // --- the cards ---

  #size() {
    return this.form.game === "uno" ? this.form.hand_size : this.form.cards;
  }

  #needsUp() {
    return this.form.game === "uno" || this.form.trump === "turned";
  }

  #picked(cards) {
    if (this.filling === "hand") this.form.hand = cards;
    else this.form.up = cards[0] ?? null;
    if (this.filling === "hand" && cards.length === this.#size() && this.#needsUp() && !this.form.up) this.filling = "up";
    this.#show();
  }

  #typed() {
    const words = this.typed.value.split(/[\s,]+/).filter(Boolean);
    const cards = words.map((word) => cardIn(word, this.form.game));
    const wrong = words[cards.indexOf(null)];
    const deck = deckOf(this.form.game);
    const many = cards.find((card) => card && cards.filter((other) => other === card).length > (deck.get(card) ?? 0));
    const example = this.form.game === "uno" ? "R5, G+2 or W" : "QH or TD";
    this.#complain(wrong ? `“${wrong}” is no card; write them such as ${example}.` : many ? `There are not so many of ${many}.` : null);
    if (wrong || many) return;
    this.#picked(cards.slice(0, this.filling === "hand" ? this.#size() : 1));
  }

  #show() {
    const { form, filling } = this;
    const up = form.up ? [form.up] : [];
    const [chosen, elsewhere] = filling === "hand" ? [form.hand, up] : [up, form.hand];
    const there = deckOf(form.game); // cards that are elsewhere stay in their place, but cannot be taken
    elsewhere.forEach((card) => there.set(card, there.get(card) - 1));
    if (filling === "up" && form.game === "uno") ["W", "W+4"].forEach((card) => there.set(card, 0));
    this.picker.testid = filling === "hand" ? "real-hand" : "real-up";
    this.picker.choose(chosen);
    this.picker.show(there, filling === "hand" ? this.#size() : 1);
    this.typed.value = chosen.join(" ");
    const { modes } = this;
    modes[filling].input.checked = true;
    modes.hand.words.textContent = `My hand: ${form.hand.length} of ${this.#size()}`;
    modes.up.words.textContent = `Turned up: ${form.up ?? "?"}`;
    modes.up.label.hidden = !this.#needsUp();
    const missing = [];
    if (form.hand.length < this.#size()) missing.push(plural(this.#size() - form.hand.length, "more card"));
    if (this.#needsUp() && !form.up) missing.push("the card turned up");
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
    const hand = form.hand.join(" ");
    const names = this.#names();
    const start = form.game === "uno"
      ? { seat: form.first === "me" ? 0 : 1, rules: { skip: form.skip, hand_size: form.hand_size }, told: { hand, top: form.up } }
      : {
        seat: form.seat,
        rules: {
          players: form.players, cards: form.cards, dealer: form.dealer, miss: form.miss, exact_bonus: form.exact_bonus,
          points_per_trick: form.points_per_trick, trump: form.trump,
        },
        told: form.trump === "turned" ? { hand, turned: form.up } : { hand },
      };
    allow(this.start, false);
    this.#complain(null);
    try {
      await this.onStart({ game: form.game, names, form: { ...form, hand: [], up: null }, ...start });
    } catch (error) {
      this.#complain(error.message);
      allow(this.start, true);
    }
  }
}

function options(choices) {
  return choices.map(([value, text]) => el("option", { value }, text));
}
