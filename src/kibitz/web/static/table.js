// A table: frames in, moves out. Everything on it is drawn from the frame that is on show; the person
// may act only when no frame is waiting and no answer is outstanding.

import { cardBack } from "./cards.js";
import { Coach, notesOf } from "./coach.js";
import { chooseMove, openHelp } from "./dialogs.js";
import { allow, allowed, button, el, key } from "./dom.js";
import { plate, renderSeats } from "./felt.js";
import { flyCopy, flyFrom, placeOf } from "./flight.js";
import { gameOf } from "./games/index.js";
import { Hand, movesOf } from "./hand.js";
import { keepSeatAt, seatAt } from "./kept.js";
import { bestWords, gradeParts, gradeWords, renderLog } from "./log.js";
import { Press } from "./press.js";
import { FrameQueue } from "./queue.js";
import { resultPanel } from "./result.js";
import { announce, complain, say, toast } from "./say.js";
import { Watching } from "./watching.js";
import { namesOf } from "./words.js";

export async function openTable(app, id) {
  const token = seatAt(id)?.token ?? app.saved.find((one) => one.table === id)?.token;
  if (!token) throw new Error("This browser has no seat at that table.");
  const frame = await app.connection.ask("sit", { table: id, token });
  keepSeatAt(id, { ...seatAt(id), token });
  return (main) => {
    const room = new Room(app, id, token, frame.game);
    main.replaceChildren(room.element);
    app.connection.keepSeat(id, token);
    room.receive(frame);
    return () => room.close();
  };
}

class Room {
  constructor(app, id, token, game) {
    this.app = app;
    this.game = gameOf(game);
    this.title = app.list.games.find(({ name }) => name === game).title;
    this.id = id;
    this.token = token;
    this.asking = false;
    this.closed = false;
    this.called = null; // the moment at which those who listen were told that it is their turn
    this.ended = false;
    this.heardOf = { number: -1, view: { events: [] } }; // the last frame while the game was on
    this.graded = null;
    this.queue = new FrameQueue((frame, before) => this.show(frame, before), () => app.settings.pace);
    this.hand = new Hand((card, shown) => this.playCard(card, shown));
    this.coach = new Coach(this.game, {
      ask: (verb, options) => this.ask(verb, {}, options),
      cancel: (question) => app.connection.cancel(question),
      onAdvice: () => this.press.after(() => this.refresh()),
    });
    this.watching = new Watching(() => this.#step());
    this.#build();
    this.press = new Press(this.felt);
    this.stop = app.connection.onPush((message) => this.heard(message));
    this.keys = (event) => this.#key(event);
    document.addEventListener("keydown", this.keys);
  }

  #build() {
    this.seats = el("div", { class: "seats" });
    this.middle = el("div", { class: "middle" });
    this.mine = el("div", { class: "my-plate" });
    this.status = el("p", { class: "status", data: { testid: "status" } });
    this.moves = el("div", { class: "free-moves", role: "group", "aria-label": "Your moves" });
    const { fixedMove: fixed } = this.game;
    this.fixedButton = fixed
      && button([`${fixed.words} `, key(fixed.key)], () => this.play(fixed.move), { testid: fixed.move });
    this.undoButton = button(["Undo ", key("U")], () => this.undo(), { testid: "undo" });
    this.feltHint = button(["Hint ", key("H")], () => this.coach.hint(), { kind: "felt-hint" });
    this.actions = el("div", { class: "actions" },
      this.fixedButton, this.feltHint, this.undoButton, this.watching.element);
    this.ends = el("div", { class: "ends" });
    const heart = el("div", { class: "heart" }, this.middle, this.moves);
    const line = el("div", { class: "my-line" }, this.mine, this.status);
    this.felt = el("section", { class: "felt", "aria-label": "Table" },
      this.seats, heart, this.ends,
      el("div", { class: "my-side" }, line, this.actions, this.hand.element));
    this.log = el("ol", { class: "log", tabindex: 0, "aria-label": "What happened", data: { testid: "log" } });
    this.sheet = el("div", {
      class: "sheet-place", tabindex: 0, role: "group", "aria-label": "Score sheet", data: { testid: "scores" },
    });
    this.scorePanel = el("section", { class: "panel", hidden: true }, el("h2", {}, "Score sheet"), this.sheet);
    this.side = el("aside", { class: "side" },
      this.coach.element,
      el("section", { class: "panel" }, el("h2", {}, "What happened"), this.log),
      this.scorePanel, this.coach.belief.element);
    this.element = el("div", { class: "table-page" }, this.felt, this.side);
  }

  close() {
    this.closed = true;
    this.queue.close();
    this.watching.rest();
    this.press.close();
    this.hand.close();
    this.coach.close();
    this.app.connection.keepSeat(null);
    this.stop();
    document.removeEventListener("keydown", this.keys);
  }

  // --- asking and hearing ---

  ask(verb, fields = {}, options = {}) {
    return this.app.connection.ask(verb, { table: this.id, token: this.token, ...fields }, options);
  }

  heard(message) {
    if (message.is === "table" && message.table === this.id) this.receive(message);
    if (message.is === "error") complain(message);
  }

  receive(frame) {
    if (!frame.reveal && frame.number >= this.heardOf.number) this.heardOf = frame;
    this.press.after(() => this.queue.add(frame));
  }

  /** Ask for something that changes the table. */
  async act(verb, fields = {}) {
    if (this.asking) return false;
    this.asking = true;
    this.refresh();
    let frame = null;
    let refused = null;
    try {
      frame = await this.ask(verb, fields);
    } catch (error) {
      refused = error;
      const now = error.code === "lost" ? null : await this.ask("sit").catch(() => null);
      if (now) frame = { ...now, again: true };
    }
    this.asking = false;
    if (this.closed) return false;
    if (refused) complain(refused);
    if (frame) this.receive(frame);
    this.refresh();
    return !refused;
  }

  // --- what the person does ---

  get frame() {
    return this.queue.frame;
  }

  /** The person is to act, and everything that happened is on show. */
  get open() {
    const { view, watch } = this.frame;
    return !watch && !this.asking && !this.queue.busy && view.to_act === view.seat;
  }

  async playCard(card, shown) {
    if (!this.frame || !this.open) return;
    const { legal, plies } = this.frame.view;
    const moves = movesOf(card, legal);
    if (!moves.length) {
      say(this.game.refusal(card, this.frame.view));
      return;
    }
    const asks = moves[0] !== card;
    const move = asks ? await chooseMove(this.game.question(moves)) : card;
    if (this.closed) return;
    if (asks) shown.focus();
    if (move && this.frame.view.plies === plies) this.play(move);
  }

  /** Play a move if it may be played now. */
  play(move) {
    if (!this.frame || !this.open || !this.frame.view.legal.includes(move)) return;
    this.act("play", { move, ply: this.frame.view.plies });
  }

  undo() {
    if (allowed(this.undoButton) && !this.undoButton.hidden) this.act("undo");
  }

  async #step() {
    if (this.asking) return; // the answer that is on its way goes on by itself
    if (!(await this.act("step"))) this.watching.rest();
  }

  #key(event) {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.closest?.("input, select, textarea") || !this.frame) return;
    const pressed = event.key.toLowerCase();
    if (pressed === "?") openHelp();
    else if (pressed === "h") this.coach.hint();
    else if (pressed === "u") this.undo();
    else if (pressed === this.game.fixedMove?.key.toLowerCase()) this.play(this.game.fixedMove.move);
    else if (this.open && this.frame.view.legal.includes(pressed)) this.play(pressed);
    else if (/^arrow(left|right)$/.test(pressed) && !this.hand.element.contains(event.target)) this.hand.focus();
    else return;
    event.preventDefault();
  }

  // --- drawing ---

  show(frame, before) {
    const names = namesOf(frame);
    const first = before === null;
    const fresh = first || frame.again ? [] : frame.view.events.slice(before.view.events.length);
    const from = first ? null : this.#places(fresh);
    const { game } = this;
    this.app.title(this.title);
    renderSeats(this.seats, game, frame, names);
    game.renderMiddle(this.middle, frame, names, (move) => this.play(move));
    renderLog(this.log, game, frame, names);
    const scores = game.scores(frame, names);
    this.scorePanel.hidden = !scores;
    if (scores) this.sheet.replaceChildren(scores);
    this.mine.replaceChildren(plate(game, frame, frame.seat, names, { backs: false }));
    this.refresh();
    if (from && this.app.settings.moving) this.#move(fresh, from);
    fresh.map((line) => game.sentence(line, names)).filter(Boolean).forEach(announce);
    this.#callTurn(frame);
    this.#grades(frame);
    this.#end(frame, names);
    if (frame.watch) this.watching.next(frame, this.queue.busy, this.app.settings.pace);
  }

  /** Tell those who listen that it is their turn: once, though more frames of the moment may come. */
  #callTurn({ view, undone }) {
    const moment = `${view.plies} ${undone}`;
    if (!this.open || this.called === moment) return;
    this.called = moment;
    announce(this.status.textContent);
  }

  /** What depends on whether the person may act, and on the advice. */
  refresh() {
    const frame = this.frame;
    if (!frame) return;
    const { view, watch, coach } = frame;
    const { open } = this;
    this.coach.element.hidden = !coach || watch;
    this.coach.belief.element.hidden = !coach || view.to_act < 0; // then the review has all cards
    this.element.dataset.coach = coach;
    if (coach) this.coach.show(frame, open, !this.queue.busy && !this.asking);
    const { notes, best } = notesOf(open ? this.coach.analysis : null);
    const { hand = [], cards } = view.state;
    const free = this.#freeMoves(view);
    this.hand.show({
      label: watch ? `Hand of ${namesOf(frame)[view.seat]}` : "Your hand",
      hand, game: this.game, legal: open ? view.legal : [], notes, best,
      choosing: open && !free.length, reserve: cards,
    });
    this.#showMoves(open ? free : [], notes, best);
    if (this.fixedButton) {
      const may = open && view.legal.includes(this.game.fixedMove.move);
      this.fixedButton.hidden = watch;
      allow(this.fixedButton, may);
      this.fixedButton.classList.toggle("primary", may && view.legal.length === 1);
    }
    this.feltHint.hidden = !coach || watch;
    allow(this.feltHint, allowed(this.coach.hintButton));
    this.undoButton.hidden = watch;
    const moved = view.events.some((line) => this.game.moveOf(line)?.seat === view.seat);
    allow(this.undoButton, moved && !this.asking && view.to_act >= 0);
    this.watching.element.hidden = !watch || view.to_act < 0;
    const words = this.#statusWords(frame, open);
    if (this.status.textContent !== words) this.status.textContent = words;
    this.status.dataset.turn = view.to_act < 0 ? "over" : open ? "you" : "other";
    this.status.dataset.ply = view.plies;
  }

  #statusWords({ view, outcome, thinking, ...frame }, open) {
    if (outcome) return outcome.text;
    if (open) return this.game.wanted(view);
    const name = namesOf(frame)[view.to_act];
    if (name === "You") return "One moment …";
    return thinking === view.to_act ? `${name} is thinking …` : `${name}`;
  }

  /** The legal moves that no card of the hand plays, and that have no button of their own. */
  #freeMoves({ legal, state: { hand = [] } }) {
    const played = hand.flatMap((card) => movesOf(card, legal));
    return legal.filter((move) => !played.includes(move) && move !== this.game.fixedMove?.move);
  }

  #showMoves(moves, notes, best) {
    const focused = [...this.moves.children].indexOf(document.activeElement);
    this.moves.hidden = !moves.length;
    this.moves.replaceChildren(...moves.map((move) => {
      const note = notes.get(move);
      const name = this.game.moveName(move);
      return button([move, note ? el("span", { class: "move-note" }, note) : ""], () => this.play(move), {
        testid: `move-${move}`, kind: `free-move${best.has(move) ? " advised" : ""}`,
        "aria-label": note ? `${name}, ${note}` : name,
      });
    }));
    if (focused >= 0 && moves.length) this.moves.children[focused]?.focus();
    else if (focused >= 0) this.hand.focus(); // the bid is made, and a card comes next
  }

  #grades(frame) {
    const known = this.graded;
    this.graded = new Set(frame.grades.map(({ ply, move }) => `${ply} ${move}`));
    if (known === null) return;
    const fresh = frame.grades.filter(({ ply, move }) => !known.has(`${ply} ${move}`));
    for (const grade of fresh.slice(-1).filter(({ name }) => name !== "forced")) {
      const better = bestWords(grade, this.game);
      toast(gradeParts(grade, this.game), { kind: "grade", testid: "grade" });
      announce(`Your move was ${gradeWords(grade)}. ${better}`);
    }
  }

  #end(frame, names) {
    if (frame.view.to_act >= 0 || !frame.reveal) {
      this.ended = false;
      this.ends.replaceChildren();
      return;
    }
    if (this.ended) return;
    this.ended = true;
    const { panel, heading } = resultPanel(this.game, frame, names, seatAt(this.id), this.heardOf.view.events);
    this.ends.replaceChildren(panel);
    heading.focus({ preventScroll: true });
  }

  // --- movement ---

  #movesIn(lines) {
    return lines.map((line) => this.game.moveOf(line)).filter(Boolean);
  }

  /** Where the cards of these events are before they move. */
  #places(fresh) {
    const places = new Map([["deck", placeOf(this.felt.querySelector(".deck .card"))]]);
    for (const move of this.#movesIn(fresh)) {
      const own = move.seat === this.frame.seat;
      const card = own ? this.hand.find(move.rest.split(":")[0]) : null;
      places.set(move.seat, placeOf(card ?? this.#seatPlace(move.seat)));
    }
    return places;
  }

  #seatPlace(seat) {
    if (seat === this.frame.seat) return this.hand.element;
    const there = this.seats.querySelector(`[data-seat="${seat}"]`);
    return there?.querySelector(".fan .card") ?? there;
  }

  #move(fresh, from) {
    for (const { seat, verb, rest } of this.#movesIn(fresh)) {
      if (verb === "draws") {
        flyCopy(cardBack("md"), from.get("deck"), placeOf(this.#seatPlace(seat)));
      } else if (verb === "plays") {
        const laid = this.middle.querySelector(`.laid[data-card="${rest}"] .card, .stack.top .card:last-child`);
        if (laid) flyFrom(laid, from.get(seat));
      }
    }
  }
}
