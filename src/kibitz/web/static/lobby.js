// The lobby: choose a game, its rules and who sits where, and start.

import { BASE, allow, allowed, button, el, keepChildren, plural } from "./dom.js";
import { deal, fixDeck } from "./dealing.js";
import { gameOf } from "./games/index.js";
import { read, write } from "./kept.js";
import { rulesFields } from "./rules.js";
import { complain } from "./say.js";
import { segments } from "./settings.js";

const USUAL_LEVEL = 2;

export async function openLobby(app) {
  app.title("");
  const lobby = new Lobby(app);
  await lobby.fixDeck();
  return (main) => main.replaceChildren(lobby.element);
}

class Lobby {
  constructor(app) {
    this.app = app;
    this.mode = "play";
    this.each = false;
    this.seat = 0;
    this.fixed = null;
    const asked = new URLSearchParams(location.search).get("game");
    const last = read("last", {}); // what was played last is likely wanted again
    this.wanted = [asked, last.game, app.list.games[0].name].find((name) => this.#listed(name));
    this.levels = { ...last.levels };
    this.place = {
      fields: el("div", { class: "fields" }),
      others: el("div"),
      deck: el("div", { class: "deck-note" }),
    };
    this.seatLabel = el("label", { for: "seat" });
    this.seatChoice = el("select", {
      id: "seat", data: { testid: "seat" },
      on: { change: () => {
        this.seat = Number(this.seatChoice.value);
        this.#showSeats();
      } },
    });
    this.seatField = el("div", { class: "field" }, this.seatLabel, this.seatChoice);
    const each = el("input", {
      type: "checkbox", data: { testid: "each" },
      on: { change: () => {
        this.each = each.checked;
        this.#showSeats();
      } },
    });
    this.eachField = el("label", { class: "check wide" }, each, "A level for each seat");
    this.startButton = button("Deal the cards", () => this.start(), { kind: "primary large", testid: "start" });
    this.element = this.#page();
    this.choose(this.wanted);
  }

  #page() {
    const tiles = this.app.list.games.map((game) => this.#tile(game));
    const order = el("form", { class: "lobby-form panel", on: { submit: (event) => event.preventDefault() } },
      el("fieldset", { class: "tiles" }, el("legend", { class: "visually-hidden" }, "Game"), tiles),
      segments("mode", "You", [["play", "Play", "play"], ["watch", "Watch agents play", "watch"]], "play", (mode) => {
        this.mode = mode;
        this.#showSeats();
      }),
      this.place.fields,
      this.place.others,
      this.#coach(),
      el("div", { class: "start-row" }, this.startButton, this.place.deck),
    );
    return el("div", { class: "page lobby" },
      el("div", { class: "lobby-head" },
        el("h1", {}, "Cards on the table"),
        el("p", { class: "muted" }, "Play against Kibitz, with a coach that sees only what you may see.")),
      el("div", { class: "lobby-columns" }, order, this.#aside()),
    );
  }

  #listed(name) {
    return this.app.list.games.find((game) => game.name === name);
  }

  #tile({ name, title }) {
    const game = gameOf(name);
    const { line, cards } = game.tile;
    const fan = cards.map((card) => game.card(card, { size: "fit", quiet: true }));
    return el("label", { class: "tile" },
      el("input", {
        type: "radio", name: "game", value: name, checked: name === this.wanted,
        data: { testid: `lobby-game-${name}` },
        on: { change: () => this.choose(name) },
      }),
      el("span", { class: "tile-fan", "aria-hidden": "true" }, fan),
      el("span", { class: "tile-title" }, title),
      el("span", { class: "tile-line" }, line),
    );
  }

  #coach() {
    const box = el("input", {
      type: "checkbox", checked: this.app.settings.get("coach"), data: { testid: "lobby-coach" },
      on: { change: () => this.app.settings.set("coach", box.checked) },
    });
    return el("label", { class: "check" }, box, el("span", {},
      el("strong", {}, "Coach"), el("span", { class: "muted" }, " hints, grades, and what the others may hold")));
  }

  #aside() {
    const saved = this.app.saved.map((one) => {
      const href = `${BASE}table/${encodeURIComponent(one.table)}`;
      const facts = `${plural(one.plies, "move")}${one.over ? ", finished" : ""} · ${when(one.updated)}`;
      return el("li", {}, el("a", { class: "saved", href, data: { testid: "saved" } },
        el("span", { class: "saved-title" }, titleOf(one, this.#listed(one.game)?.title)),
        el("span", { class: "muted small" }, facts),
        el("span", { class: "saved-go" }, one.over ? "Look" : "Continue")));
    });
    const list = saved.length
      ? el("ul", { class: "saved-list", data: { testid: "saved-list" } }, saved)
      : el("p", { class: "muted small" }, "Games you begin are saved here; you can leave at any time.");
    const lost = this.app.unreadable
      ? el("p", { class: "muted small", data: { testid: "unreadable" } },
        `${plural(this.app.unreadable, "game")} cannot be read here: damaged, or of another version.`)
      : null;
    return el("aside", { class: "lobby-aside" },
      el("section", { class: "panel" }, el("h2", {}, "Continue"), list, lost),
      el("section", { class: "panel" },
        el("h2", {}, "Playing with real cards?"),
        el("p", { class: "muted small" }, "Tell Kibitz what happens at your own table, and ask what to play."),
        el("a", { class: "button", href: `${BASE}real` }, "Real table")),
      el("section", { class: "panel" }, el("h2", {}, "Looks"), this.app.settings.controls("lobby")));
  }

  choose(name) {
    this.game = this.#listed(name);
    const { main, others, rules } = rulesFields(this.game, () => this.#showSeats());
    this.rules = rules;
    this.main = main;
    this.levelFields = new Map();
    this.place.others.replaceChildren(others);
    this.#showSeats();
  }

  /** The seats that there are now. What stays is left in its place: this happens while people type, or
   *  when they leave a field with a click on the next. */
  #showSeats() {
    const chosen = this.rules();
    const usual = this.game.rules.find((rule) => rule.name === "players")?.default ?? 2;
    const seats = Number(chosen.players ?? usual);
    this.seat = Math.min(this.seat, seats - 1);
    const watch = this.mode === "watch";
    const others = Array.from({ length: seats }, (_, k) => k).filter((k) => watch || k !== this.seat);
    this.others = others;
    this.seatLabel.textContent = watch ? "Look over the shoulder of" : "Your seat";
    this.seatChoice.replaceChildren(...Array.from({ length: seats }, (_, k) =>
      el("option", { value: k, selected: k === this.seat }, `Seat ${k}`)));
    const all = watch ? "All players" : others.length > 1 ? "All opponents" : "Opponent";
    const levels = this.each ? others.map((seat) => this.#level(`Seat ${seat}`, seat)) : [this.#level(all, null)];
    keepChildren(this.place.fields,
      [...this.main, this.seatField, ...levels, ...(others.length > 1 ? [this.eachField] : [])]);
    this.startButton.textContent = watch ? "Deal, and watch" : "Deal the cards";
  }

  /** The level of a seat, or of all; made once for each game. */
  #level(title, seat) {
    const place = seat ?? "all";
    if (!this.levelFields.has(place)) this.levelFields.set(place, this.#levelField(place, seat));
    const field = this.levelFields.get(place);
    field.querySelector("label").textContent = title;
    return field;
  }

  #levelField(place, seat) {
    const levels = this.app.list.levels[this.game.name];
    const now = this.levels[place] ?? this.levels.all ?? levels[Math.min(USUAL_LEVEL, levels.length - 1)].name;
    const help = el("p", { class: "muted small help" });
    const select = el("select", { id: `level-${place}`, data: { testid: seat === null ? "level" : `level-${seat}` } },
      levels.map((level) => el("option", { value: level.name, selected: level.name === now }, level.title)));
    const tell = () => {
      this.levels[place] = select.value;
      help.textContent = levels.find((level) => level.name === select.value)?.help ?? "";
    };
    select.addEventListener("change", tell);
    tell();
    return el("div", { class: "field" }, el("label", { for: `level-${place}` }), select, help);
  }

  async fixDeck() {
    this.fixed = await fixDeck(this.app, this.place.deck);
  }

  async start() {
    if (!allowed(this.startButton)) return;
    allow(this.startButton, false);
    try {
      const levels = this.each ? this.others.map((seat) => this.levels[seat]) : [this.levels.all];
      const request = {
        game: this.game.name, rules: this.rules(), seat: this.seat, opponents: levels,
        coach: this.app.settings.get("coach"), watch: this.mode === "watch",
      };
      write("last", { game: this.game.name, levels: this.levels });
      const frame = await deal(this.app, request, this.fixed, () => this.fixDeck().then(() => this.fixed));
      if (this.element.isConnected) this.app.go(`${BASE}table/${encodeURIComponent(frame.table)}`);
    } catch (error) {
      complain(error);
    } finally {
      allow(this.startButton, true);
    }
  }
}

/** "whist(players=8, cards=6) against casual" for people. */
function titleOf({ title, game }, name = game) {
  const words = title.replace(/^[\w-]+/, name);
  return words.replace(/\((.*?)\)/, (_, rules) => ` (${rules.replace(/[=_]/g, " ")})`);
}

function when(updated) {
  const date = new Date(typeof updated === "number" ? updated * 1000 : updated);
  if (Number.isNaN(date.getTime())) return "";
  return date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
