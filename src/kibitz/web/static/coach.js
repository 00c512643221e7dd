// The coach: what each legal move is worth, why, and what the others may hold. It looks from the
// person's seat and knows only what that seat may know.

import { BeliefPanel } from "./belief.js";
import { Z95 } from "./charts.js";
import { allow, allowed, button, el, key, svg } from "./dom.js";
import { MEANING, inUnits } from "./moves.js";
import { complain, say } from "./say.js";
import { namesOf } from "./words.js";

export class Coach {
  #frame = null;
  #analysis = null;
  #asking = null; // the question for a hint that runs

  /** `ask(verb, options)` asks about our table, `cancel(id)` ends what was asked; `onAdvice` is told when
   *  advice comes or goes. */
  constructor(game, { ask, cancel, onAdvice }) {
    this.game = game;
    this.ask = ask;
    this.cancel = cancel;
    this.onAdvice = onAdvice;
    this.hintButton = button(["Hint ", key("H")], () => this.hint(), { testid: "hint" });
    this.moves = el("div", {
      class: "advice", "aria-live": "polite", tabindex: 0, role: "group", "aria-label": "Advice",
    });
    this.belief = new BeliefPanel(game, () => this.ask("belief"));
    this.element = el("section", { class: "panel coach", "aria-label": "Coach", data: { testid: "coach" } },
      el("div", { class: "panel-head" }, el("h2", {}, "Coach"), this.hintButton),
      el("p", { class: "muted small" }, "From your seat, with only what you may know."),
      this.moves);
  }

  /** The advice for the present decision, or null. */
  get analysis() {
    return this.#analysis?.ply === this.#frame?.view.plies ? this.#analysis : null;
  }

  /** `open`: the person may move; `settled`: no frame is waiting behind this one. */
  show(frame, open, settled) {
    const moved = this.#frame === null || momentOf(this.#frame) !== momentOf(frame);
    this.#frame = frame;
    const { view, watch } = frame;
    if (settled && view.to_act >= 0) {
      this.belief.show(momentOf(frame), { names: namesOf(frame), seat: view.seat, rules: view.rules, watch });
    }
    if (moved) this.#rest(frame);
    allow(this.hintButton, open && this.#asking === null);
  }

  close() {
    this.#forget();
    this.belief.rest();
    this.#frame = null;
  }

  #forget() {
    if (this.#asking) this.cancel(this.#asking);
    this.#asking = null;
    this.#analysis = null;
  }

  #rest({ view }) {
    this.#forget();
    const words = view.to_act < 0 ? "The game is over; the review has all the rest."
      : view.legal.length === 1 ? "There is only one legal move." : "Ask for a hint when it is your turn.";
    this.moves.replaceChildren(el("p", { class: "muted small rest" }, words));
  }

  async hint() {
    const frame = this.#frame;
    if (!allowed(this.hintButton) || !frame || frame.watch) return;
    const answer = this.ask("hint", { onPart: (part) => take(part) });
    const wanted = () => this.#asking === answer.id;
    const take = (part) => {
      if (!wanted()) return;
      this.#analysis = { ...part, moves: inUnits(part) };
      this.#draw();
      this.onAdvice();
    };
    this.#asking = answer.id;
    allow(this.hintButton, false);
    try {
      const last = await answer;
      if (wanted() && !last.moves.length && last.why?.length) say(last.why[0]);
      take(last);
    } catch (error) {
      if (wanted()) complain(error);
    }
    if (!wanted()) return;
    this.#asking = null;
    this.onAdvice();
  }

  #draw() {
    const { moves, why = [], simulations, final } = this.#analysis;
    const work = `${simulations.toLocaleString("en")} games played out`;
    this.moves.replaceChildren(
      el("div", { data: { testid: "advice", final: String(final !== false) } }, moves.length ? this.#values() : null),
      el("ul", { class: "why", data: { testid: "why" } }, why.map((line) => el("li", {}, line))),
      el("p", { class: "muted small" },
        moves.length ? `${work}${final === false ? " so far …" : `. ${MEANING}`}` : ""));
  }

  /** Each move with its value on one scale, which spans just what is needed to tell them apart. */
  #values() {
    const { moves, units } = this.#analysis;
    const ends = moves.flatMap(({ value, error }) => [value - Z95 * error, value + Z95 * error]);
    const pad = 0.04 * (Math.max(...ends) - Math.min(...ends)) + 1e-6;
    const clip = (value) => (units === "win %" ? Math.min(100, Math.max(0, value)) : value);
    const [low, high] = [clip(Math.min(...ends) - pad), clip(Math.max(...ends) + pad)];
    const number = (value) => (units === "win %" ? `${Math.round(value)} %` : value.toFixed(1));
    const scale = [number(low), units === "win %" ? "chance to win" : "expected points", number(high)];
    return [
      el("ol", { class: "advice-list" }, moves.map((move, k) => adviceRow(move, k, this.game, low, high))),
      el("p", { class: "advice-scale muted small", "aria-hidden": "true" }, scale.map((words) => el("span", {}, words))),
    ];
  }
}

/** Two frames of the same moment of a game have the same. */
function momentOf(frame) {
  return `${frame.view.events.length} ${frame.undone}`;
}

function adviceRow(move, rank, game, low, high) {
  const at = (value) => 100 * Math.min(1, Math.max(0, (value - low) / (high - low || 1)));
  const { value } = move;
  const wide = Z95 * move.error;
  const mark = rank === 0 ? "best" : move.equal ? "equal" : "";
  const [from, to] = [at(value - wide), at(value + wide)];
  const frame = { viewBox: "0 0 100 12", preserveAspectRatio: "none", class: "whisker", "aria-hidden": "true" };
  const picture = svg("svg", frame,
    svg("rect", { x: 0, y: 3, width: at(value), height: 6, class: "whisker-bar" }),
    svg("rect", { x: from, y: 5.2, width: Math.max(0.4, to - from), height: 1.6, class: "whisker-line" }),
    svg("rect", { x: Math.max(0, at(value) - 0.6), y: 1, width: 1.2, height: 10, class: "whisker-dot" }));
  return el("li", { class: `advice-row ${mark}`, data: { testid: `advice-${move.move}` } },
    chip(move.move, game),
    el("span", { class: "visually-hidden" }, game.moveName(move.move)),
    el("span", { class: "advice-text" }, move.text),
    el("span", { class: `advice-mark ${mark}` }, mark),
    picture);
}

/** A move as a small drawing. */
function chip(move, game) {
  if (!game.cardOf(move)) return el("span", { class: "chip-words", "aria-hidden": "true" }, game.moveName(move));
  return el("span", { class: "chip-card" }, game.card(move, { size: "fit", quiet: true }), game.mark(move));
}

/** Short notes for the cards of a hand: the best value of the moves that play each card. */
export function notesOf(analysis) {
  const notes = new Map();
  const best = new Set();
  for (const [rank, move] of (analysis?.moves ?? []).entries()) {
    const card = move.move.split(":")[0];
    const { value } = move;
    if (!notes.has(card)) notes.set(card, analysis.units === "win %" ? `${Math.round(value)} %` : value.toFixed(1));
    if (rank === 0 || move.equal) best.add(card);
  }
  return { notes, best };
}
