// The real table: a game with real cards is told move by move, and Kibitz advises the seat of the
// person who tells it. The telling is kept in the browser, so nothing is lost by a reload or a line
// that breaks: it is simply told again.

import { BeliefPanel } from "./belief.js";
import { button, el } from "./dom.js";
import { gameOf } from "./games/index.js";
import { read, write } from "./kept.js";
import { inUnits, movesTable } from "./moves.js";
import { Setup } from "./real_setup.js";
import { tableFacts, turn } from "./real_cards.js";

const ABOUT = "Play with real cards, tell what happens, and hear what Kibitz would do in your seat.";
const KEPT = "real";
const EVERY_MS = 400;
const BUSY = ["busy", "too-fast"];
const BUSY_MS = 600;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Show the page; the way to leave it comes back. */
export function openReal(main, connection, list) {
  const element = el("div", { class: "page" });
  main.replaceChildren(element);
  const table = new RealTable(element, connection, list);
  table.open();
  return () => table.close();
}

class RealTable {
  #id = null; // the server's name of our game
  #frame = null;
  #start = null; // how the game began: game, rules, seat, told, names, form
  #said = [];
  #round = 0; // counts positions shown, so that late answers are dropped
  #asking = null; // the question for advice that runs
  #best = [];
  #belief = null;
  #closed = false;
  #telling = false;
  #lost = false;

  constructor(element, connection, list) {
    this.connection = connection;
    this.list = list;
    this.element = element;
    this.places = {
      problem: el("p", { class: "notice", role: "alert", hidden: true, data: { testid: "real-problem" } }),
      table: el("section", { class: "panel", "aria-label": "The table" }),
      advice: el("section", { class: "panel", "aria-label": "Advice", "aria-live": "polite", data: { testid: "real-advice" } }),
      turn: el("section", { class: "panel real-turn", "aria-label": "What happened", data: { testid: "real-turn" } }),
      told: el("section", { class: "panel", "aria-label": "What was told" }),
    };
    this.stop = connection.onState?.((state) => {
      this.#lost = state === "lost";
      if (!this.#start) return;
      this.#belief?.rest();
      if (this.#lost) this.#complain("The line to the server is lost. What you told is kept; one moment …");
      else this.#tellAgain();
    });
  }

  open() {
    const kept = read(KEPT, null);
    if (!kept?.start) {
      this.#setUp();
      return;
    }
    this.#start = kept.start;
    this.#said = kept.said ?? [];
    this.#tellAgain();
  }

  close() {
    this.#closed = true;
    this.stop?.();
    this.#forget();
  }

  // --- beginning ---

  #setUp(given = null) {
    this.#forget();
    this.#start = null;
    this.#said = [];
    const setup = new Setup(this.list, (start) => this.#begin(start), given);
    this.element.replaceChildren(
      el("div", { class: "real" },
        el("header", {}, el("h1", {}, "At a real table"), el("p", { class: "muted" }, ABOUT)),
        setup.element,
      ),
    );
  }

  async #begin(start) {
    const frame = await this.#new(start);
    this.#start = start;
    this.#said = [];
    this.#layOut();
    this.#take(frame);
    window.scrollTo(0, 0);
  }

  get #game() {
    return gameOf(this.#start.game);
  }

  async #new({ game, rules, seat, told }) {
    const frame = await this.connection.ask("new", { game, rules, seat, told });
    this.#id = frame.game_id;
    return frame;
  }

  /** The server forgets games when the line breaks; what we kept makes it again. */
  async #tellAgain() {
    if (this.#closed || this.#telling) return;
    this.#telling = true;
    const said = [...this.#said];
    this.element.replaceChildren(el("p", { class: "waiting" }, "Telling the game again …"));
    let frame = null;
    let trouble = null;
    try {
      frame = await this.#new(this.#start);
      for (const move of said) frame = await this.connection.ask("tell", { game_id: this.#id, said: move });
    } catch (error) {
      trouble = error;
    }
    this.#telling = false;
    if (this.#closed || trouble?.code === "lost") return; // told again when the line is back
    if (!frame) {
      this.#setUp(this.#start.form);
      return;
    }
    this.#layOut();
    this.#take(frame);
    if (trouble) this.#complain(`Told again only as far as it went: ${trouble.message}`);
  }

  /** Let the server's game go. */
  #forget() {
    this.#cancel();
    this.#belief?.rest();
    if (this.#id) this.connection.ask("close", { game_id: this.#id }).catch(() => {});
    this.#id = null;
    this.#round += 1;
  }

  #layOut() {
    const { places } = this;
    this.#belief?.rest();
    this.#belief = new BeliefPanel(this.#game, () => this.connection.ask("believe", { game_id: this.#id }));
    const anew = button("New game", () => this.#anew(anew), { kind: "ghost", testid: "real-new" });
    this.element.replaceChildren(
      el("div", { class: "real real-playing", data: { testid: "real-table" } },
        el("header", { class: "real-head" }, el("h1", {}, "At a real table"), anew),
        places.problem,
        el("div", { class: "real-main" }, places.turn, places.advice, places.table),
        el("div", { class: "real-side" }, places.told, this.#belief.element),
      ),
    );
  }

  /** A new game only after a second tap: what was told would be lost. */
  #anew(pressed) {
    if (pressed.dataset.sure || this.#frame?.view.to_act < 0) {
      const { form } = this.#start;
      write(KEPT, null);
      this.#setUp(form);
      return;
    }
    pressed.dataset.sure = "yes";
    pressed.textContent = "Really begin anew?";
    setTimeout(() => {
      delete pressed.dataset.sure;
      pressed.textContent = "New game";
    }, 4000);
  }

  // --- telling ---

  /** While one thing is told, no other can be: a second tap would tell of another turn. */
  #hold(on) {
    this.#telling = on;
    this.places.turn.inert = on;
    this.places.told.inert = on;
  }

  /** Tell a move, or take moves back. Where the server has lost the game, it is told again from
   *  what we keep, with this change made. */
  async #ask(verb, fields) {
    if (this.#telling || this.#lost) return;
    this.#hold(true);
    this.#round += 1;
    this.#cancel();
    let gone = false;
    try {
      this.#take(await this.connection.ask(verb, { game_id: this.#id, ...fields }));
    } catch (error) {
      gone = ["lost", "not-found"].includes(error.code);
      if (!gone) {
        this.#complain(error.message);
        this.#advise();
      }
    } finally {
      this.#hold(false);
    }
    if (!gone) {
      this.places.turn.querySelector("h2")?.focus({ preventScroll: true }); // the tapped button is gone
      return;
    }
    this.#said = verb === "tell" ? [...this.#said, fields.said] : this.#said.slice(0, -fields.moves);
    if (!this.#lost) this.#tellAgain();
  }

  #complain(text) {
    this.places.problem.textContent = text ?? "";
    this.places.problem.hidden = !text;
  }

  #take(frame) {
    this.#frame = frame;
    this.#said = frame.said ?? this.#said;
    this.#best = [];
    this.#round += 1;
    write(KEPT, { start: this.#start, said: this.#said });
    this.#complain(null);
    this.places.table.replaceChildren(el("h2", {}, "On the table"), ...tableFacts(this.#game, frame.view, this.#start.names));
    this.#showTurn();
    this.#showTold();
    this.#advise();
    const { seat, rules, to_act: mover } = frame.view;
    if (mover >= 0) this.#belief.show(this.#round, { names: this.#start.names, seat, rules });
  }

  #showTurn() {
    const { view } = this.#frame;
    const over = view.to_act < 0;
    this.places.turn.dataset.turn = over ? "over" : view.to_act === view.seat ? "mine" : "theirs";
    const tell = (said) => this.#ask("tell", { said });
    this.places.turn.replaceChildren(...(over ? this.#ending() : turn(this.#game, view, this.#start.names, tell, this.#best)));
  }

  #ending() {
    const { view } = this.#frame;
    const last = view.events.findLast((line) => line.startsWith("over")) ?? "";
    const { form, names } = this.#start;
    const { real } = this.#game;
    const again = () => {
      write(KEPT, null);
      this.#setUp(real.next(form));
    };
    return [
      el("h2", { tabindex: -1 }, "It is over"),
      el("p", {}, this.#game.sentence(last, names) ?? ""),
      button(real.another, again, { kind: "primary", testid: "real-next" }),
    ];
  }

  #showTold() {
    const { view } = this.#frame;
    const { names } = this.#start;
    const moves = view.events.filter((line) => this.#game.moveOf(line));
    const rows = this.#said.map((said, k) => {
      const words = (moves[k] && this.#game.sentence(moves[k], names)) ?? said;
      const back = button("Take back to here", () => this.#ask("correct", { moves: this.#said.length - k }), {
        kind: "ghost real-back", testid: `real-undo-${k}`, "aria-label": `Take back to here: ${words}`,
      });
      return el("li", {}, el("span", {}, words), back);
    });
    const list = el("ol", { class: "real-list", data: { testid: "real-list" } }, rows);
    const undo = button("Take back the last", () => this.#ask("correct", { moves: 1 }), { testid: "real-undo" });
    undo.disabled = rows.length === 0;
    this.places.told.replaceChildren(
      el("div", { class: "real-told-head" }, el("h2", {}, "Told so far"), undo),
      rows.length ? list : el("p", { class: "muted" }, "Nothing yet."),
    );
    list.scrollTop = list.scrollHeight;
  }

  // --- what Kibitz says ---

  #cancel() {
    if (this.#asking) this.connection.cancel(this.#asking);
    this.#asking = null;
  }

  async #advise() {
    delete this.places.advice.dataset.final;
    const { view } = this.#frame;
    const mine = view.to_act === view.seat && view.legal.length > 0;
    this.places.advice.hidden = !mine;
    if (!mine) return;
    const [only] = view.legal;
    if (view.legal.length === 1) {
      this.places.advice.dataset.final = "true";
      const words = `There is only one legal move: ${this.#game.moveName(only)}.`;
      this.places.advice.replaceChildren(el("h2", {}, "Advice"), el("p", {}, words));
      return;
    }
    this.places.advice.replaceChildren(el("h2", {}, "Advice"), el("p", { class: "muted" }, "Thinking …"));
    const round = this.#round;
    const show = (part) => {
      if (round === this.#round) this.#showAdvice(part);
    };
    const answer = this.connection.ask("analyse", { game_id: this.#id, every_ms: EVERY_MS }, { onPart: show });
    this.#asking = answer.id;
    try {
      show(await answer);
    } catch (error) {
      if (round !== this.#round || error.code === "lost") return;
      if (BUSY.includes(error.code)) {
        await pause(BUSY_MS);
        if (round === this.#round) this.#advise();
      } else {
        this.places.advice.replaceChildren(el("h2", {}, "Advice"), el("p", {}, error.message));
      }
    } finally {
      if (this.#asking === answer.id) this.#asking = null;
    }
  }

  #showAdvice(part) {
    const { view } = this.#frame;
    const percent = part.units.includes("%");
    const moves = inUnits(part);
    const thinking = part.final === false;
    const games = `${(part.simulations ?? 0).toLocaleString("en")} games played out${thinking ? " so far …" : ""}`;
    this.places.advice.replaceChildren(
      el("h2", {}, "Advice"),
      movesTable(moves, {
        game: this.#game, percent, head: percent ? "Wins" : "Points", best: part.best,
        marks: (move) => (move.equal && move.move !== part.best ? ["as good"] : []), testid: "real-moves",
      }),
      el("ul", { class: "real-why" }, (part.why ?? []).map((line) => el("li", {}, line))),
      el("p", { class: "muted small" }, games),
    );
    this.places.advice.dataset.final = String(!thinking);
    if (thinking) return;
    this.#best = moves.filter((move) => move.move === part.best || move.equal).map((move) => move.move);
    this.#markBest();
  }

  /** Mark the best among the buttons, without drawing them anew under a finger. */
  #markBest() {
    for (const move of this.#best) {
      this.places.turn.querySelector(`[data-testid="${CSS.escape(`real-said-${move}`)}"]`)?.classList.add("best");
    }
  }
}
