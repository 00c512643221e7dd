// The coach: what each legal move is worth, why, and what the others may hold. It looks from the
// person's seat and knows only what that seat may know.

import { renderBelief } from "./belief.js";
import { cardElement, isUno, signElement } from "./cards.js";
import { button, el, key, svg } from "./dom.js";
import { moveName } from "./log.js";
import { complain, toast } from "./say.js";

const Z95 = 1.96;

/** A value in the units people read. */
function readable(value, units) {
  return units === "win %" ? 50 * (1 + value) : value;
}

function spread(error, units) {
  return units === "win %" ? 50 * error : error;
}

export class Coach {
  #frame = null;
  #analysis = null;
  #asking = null;
  #believed = null;
  #believing = false;

  /** `ask(verb, options)` asks about our table; `onAdvice` is told when advice comes or goes. */
  constructor(ask, onAdvice) {
    this.ask = ask;
    this.onAdvice = onAdvice;
    this.hintButton = button(["Hint ", key("H")], () => this.hint(), { testid: "hint" });
    this.moves = el("div", { class: "advice", "aria-live": "polite" });
    this.belief = el("div", { class: "belief-place" });
    this.element = el("section", { class: "panel coach", "aria-label": "Coach", data: { testid: "coach" } },
      el("div", { class: "panel-head" }, el("h2", {}, "Coach"), this.hintButton),
      el("p", { class: "muted small" }, "From your seat, with only what you may know."),
      this.moves);
    this.beliefPanel = el("section", { class: "panel", "aria-label": "Hidden cards" },
      el("h2", {}, "Hidden cards"), this.belief);
  }

  /** The advice for the present decision, or null. */
  get analysis() {
    return this.#analysis?.ply === this.#frame?.view.plies ? this.#analysis : null;
  }

  /** `open`: the person may move; `settled`: no frame is waiting behind this one. */
  show(frame, open, settled) {
    const moved = this.#frame === null || momentOf(this.#frame) !== momentOf(frame);
    this.#frame = frame;
    if (settled) this.#believe(frame);
    this.hintButton.disabled = !open || this.#asking !== null;
    if (!moved) return;
    this.#analysis = null;
    this.#asking = null;
    this.hintButton.disabled = !open;
    this.moves.replaceChildren(el("p", { class: "muted small rest" }, this.#resting(frame)));
  }

  #resting(frame) {
    if (frame.view.to_act < 0) return "The game is over; the review has all the rest.";
    return frame.view.legal.length === 1 ? "There is only one legal move." : "Ask for a hint when it is your turn.";
  }

  async hint() {
    const frame = this.#frame;
    if (this.hintButton.disabled || !frame || frame.watch) return;
    const mine = {};
    this.#asking = mine;
    this.hintButton.disabled = true;
    const take = (part) => {
      if (this.#asking !== mine) return;
      this.#analysis = part;
      this.#draw();
      this.onAdvice();
    };
    try {
      const last = await this.ask("hint", { onPart: take });
      if (this.#asking === mine && !last.moves.length && last.why?.length) toast(last.why[0]);
      take(last);
    } catch (error) {
      if (this.#asking === mine) complain(error);
    } finally {
      if (this.#asking === mine) {
        this.#asking = null;
        this.hintButton.disabled = false;
        this.onAdvice();
      }
    }
  }

  #draw() {
    const { moves, why = [], simulations, final } = this.#analysis;
    const work = `${simulations.toLocaleString()} games played out`;
    this.moves.replaceChildren(
      el("div", { data: { testid: "advice", final: String(final !== false) } }, moves.length ? this.#values() : null),
      el("ul", { class: "why", data: { testid: "why" } }, why.map((line) => el("li", {}, line))),
      el("p", { class: "muted small" },
        moves.length ? `${work}${final === false ? " so far …" : "; lines show 95 % of the error"}` : ""));
  }

  /** Each move with its value on one scale, which spans just what is needed to tell them apart. */
  #values() {
    const { moves, units } = this.#analysis;
    const ends = moves.flatMap(({ value, error }) => {
      const wide = Z95 * spread(error, units);
      return [readable(value, units) - wide, readable(value, units) + wide];
    });
    const pad = 0.04 * (Math.max(...ends) - Math.min(...ends)) + 1e-6;
    const clip = (value) => (units === "win %" ? Math.min(100, Math.max(0, value)) : value);
    const [low, high] = [clip(Math.min(...ends) - pad), clip(Math.max(...ends) + pad)];
    const number = (value) => (units === "win %" ? `${Math.round(value)} %` : value.toFixed(1));
    const scale = [number(low), units === "win %" ? "chance to win" : "expected points", number(high)];
    return [
      el("ol", { class: "advice-list" }, moves.map((move, k) => adviceRow(move, k, this.#frame.game, units, low, high))),
      el("p", { class: "advice-scale muted small", "aria-hidden": "true" }, scale.map((words) => el("span", {}, words))),
    ];
  }

  /** The chances of the hidden cards. One question at a time: what happens meanwhile is asked about
   *  when the answer is there. */
  async #believe(frame) {
    const moment = momentOf(frame);
    if (frame.view.to_act < 0 || this.#believed === moment || this.#believing) return;
    this.#believed = moment;
    this.#believing = true;
    try {
      const message = await this.ask("belief");
      const { players, seat, view } = this.#frame;
      renderBelief(this.belief, message, { players, seat, rules: view.rules });
    } catch (error) {
      if (!["lost", "busy", "too-fast"].includes(error.code)) complain(error);
    } finally {
      this.#believing = false;
    }
    if (momentOf(this.#frame) !== moment) this.#believe(this.#frame);
  }
}

/** Two frames of the same moment of a game have the same. */
function momentOf(frame) {
  return `${frame.view.events.length} ${frame.undone}`;
}

function adviceRow(move, rank, game, units, low, high) {
  const at = (value) => 100 * Math.min(1, Math.max(0, (value - low) / (high - low || 1)));
  const value = readable(move.value, units);
  const wide = Z95 * spread(move.error, units);
  const mark = rank === 0 ? "best" : move.equal ? "equal" : "";
  const [from, to] = [at(value - wide), at(value + wide)];
  const frame = { viewBox: "0 0 100 12", preserveAspectRatio: "none", class: "whisker", "aria-hidden": "true" };
  const picture = svg("svg", frame,
    svg("rect", { x: 0, y: 3, width: at(value), height: 6, class: "whisker-bar" }),
    svg("rect", { x: from, y: 5.2, width: Math.max(0.4, to - from), height: 1.6, class: "whisker-line" }),
    svg("rect", { x: Math.max(0, at(value) - 0.6), y: 1, width: 1.2, height: 10, class: "whisker-dot" }));
  return el("li", { class: `advice-row ${mark}`, data: { testid: `advice-${move.move}` } },
    moveChip(move.move, game),
    el("span", { class: "visually-hidden" }, moveName(move.move, game)),
    el("span", { class: "advice-text" }, move.text),
    el("span", { class: `advice-mark ${mark}` }, mark),
    picture);
}

/** A move as a small drawing. */
function moveChip(move, game) {
  if (move === "draw") return el("span", { class: "chip-draw", "aria-hidden": "true" }, "draw");
  if (/^\d+$/.test(move)) return el("span", { class: "chip-draw", "aria-hidden": "true" }, `bid ${move}`);
  const [, colour] = move.split(":");
  const drawn = cardElement(move, { game, size: "fit", quiet: true });
  const declared = isUno(game) && colour ? signElement(colour, { uno: true }) : null;
  return el("span", { class: "chip-card" }, drawn, declared);
}

/** Short notes for the cards of a hand: the best value of the moves that play each card. */
export function notesOf(analysis) {
  const notes = new Map();
  const best = new Set();
  for (const [rank, move] of (analysis?.moves ?? []).entries()) {
    const card = move.move.split(":")[0];
    const value = readable(move.value, analysis.units);
    if (!notes.has(card)) notes.set(card, analysis.units === "win %" ? `${Math.round(value)} %` : value.toFixed(1));
    if (rank === 0 || move.equal) best.add(card);
  }
  return { notes, best };
}
