// A table: frames in, moves out. Everything on it is drawn from the frame that is on show; the person
// may act only when no frame is waiting and no answer is outstanding.

import { cardElement, cardName, isUno } from "./cards.js";
import { Coach, notesOf } from "./coach.js";
import { chooseColour, openHelp } from "./dialogs.js";
import { allow, allowed, button, el, key, plural } from "./dom.js";
import { plate, renderMiddle, renderSeats } from "./felt.js";
import { flyCopy, flyFrom, placeOf } from "./flight.js";
import { Hand } from "./hand.js";
import { keepSeatAt, seatAt } from "./kept.js";
import { bestWords, gradeParts, gradeWords, renderLog, renderScores } from "./log.js";
import { Press } from "./press.js";
import { FrameQueue } from "./queue.js";
import { resultPanel } from "./result.js";
import { announce, complain, say, toast } from "./say.js";
import { moveOf, namesOf, sentence } from "./story.js";
import { Watching } from "./watching.js";

const TITLES = { uno: "UNO", blob: "Blob round", "blob-game": "Blob game" };

export async function openTable(app, id) {
  const token = seatAt(id)?.token ?? app.saved.find((one) => one.table === id)?.token;
  if (!token) throw new Error("This browser has no seat at that table.");
  const frame = await app.connection.ask("sit", { table: id, token });
  keepSeatAt(id, { ...seatAt(id), token });
  return (main) => {
    const room = new Room(app, id, token);
    main.replaceChildren(room.element);
    app.connection.keepSeat(id, token);
    room.receive(frame);
    return () => room.close();
  };
}

class Room {
  constructor(app, id, token) {
    this.app = app;
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
    this.coach = new Coach({
      ask: (verb, options) => this.ask(verb, {}, options),
      cancel: (question) => app.connection.cancel(question),
      onAdvice: () => this.press.after(() => this.refresh()),
    });
    this.watching = new Watching(() => this.#step());
    this.#build();
    this.press = new Press(this.felt);
    this.stops = [app.connection.onPush((message) => this.heard(message))];
    this.keys = (event) => this.#key(event);
    document.addEventListener("keydown", this.keys);
  }

  #build() {
    this.seats = el("div", { class: "seats" });
    this.middle = el("div", { class: "middle" });
    this.mine = el("div", { class: "my-plate" });
    this.status = el("p", { class: "status", data: { testid: "status" } });
    this.bids = el("div", { class: "bids", role: "group", "aria-label": "Your bid" });
    this.drawButton = button(["Draw ", key("D")], () => this.draw(), { testid: "draw" });
    this.undoButton = button(["Undo ", key("U")], () => this.undo(), { testid: "undo" });
    this.feltHint = button(["Hint ", key("H")], () => this.coach.hint(), { kind: "felt-hint" });
    this.actions = el("div", { class: "actions" },
      this.drawButton, this.feltHint, this.undoButton, this.watching.element);
    this.ends = el("div", { class: "ends" });
    const heart = el("div", { class: "heart" }, this.middle, this.bids);
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
      this.scorePanel, this.coach.beliefPanel);
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
    this.stops.forEach((stop) => stop());
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
    const moves = legal.filter((move) => move === card || move.startsWith(`${card}:`));
    if (!moves.length) {
      this.#refuse(card);
      return;
    }
    let move = moves[0];
    if (move.includes(":")) {
      const colour = await chooseColour(moves.map((one) => one.split(":")[1]));
      if (this.closed) return;
      shown.focus();
      if (!colour) return;
      move = `${card}:${colour}`;
    }
    if (this.frame.view.plies === plies) this.act("play", { move, ply: plies });
  }

  #refuse(card) {
    const { game, state, legal } = this.frame.view;
    const name = cardName(card, game);
    if (!isUno(game)) say(state.phase === "bidding" ? "First bid" : `The ${name} does not follow suit`);
    else if (state.pending) say(`You have to draw ${plural(state.pending, "card")}`);
    else say(`The ${name} does not fit ${legal.length > 1 ? "here" : "here: draw"}`);
  }

  draw() {
    if (this.frame && this.open && this.frame.view.legal.includes("draw")) {
      this.act("play", { move: "draw", ply: this.frame.view.plies });
    }
  }

  bid(number) {
    if (this.open && this.frame.view.legal.includes(String(number))) {
      this.act("play", { move: String(number), ply: this.frame.view.plies });
    }
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
    else if (pressed === "d") this.draw();
    else if (pressed === "h") this.#hint();
    else if (pressed === "u") this.undo();
    else if (/^\d$/.test(pressed) && this.frame.view.state.phase === "bidding") this.bid(pressed);
    else if (/^arrow(left|right)$/.test(pressed) && !this.hand.element.contains(event.target)) this.hand.focus();
    else return;
    event.preventDefault();
  }

  #hint() {
    if (this.frame.coach) this.coach.hint();
  }

  // --- drawing ---

  show(frame, before) {
    const names = namesOf(frame);
    const first = before === null;
    const fresh = first || frame.again ? [] : frame.view.events.slice(before.view.events.length);
    const from = first ? null : this.#places(fresh);
    this.app.title(TITLES[frame.game]);
    renderSeats(this.seats, frame, names);
    renderMiddle(this.middle, frame, names, () => this.draw());
    renderLog(this.log, frame, names);
    this.scorePanel.hidden = frame.game !== "blob-game";
    if (frame.game === "blob-game") renderScores(this.sheet, frame, names);
    this.mine.replaceChildren(plate(frame, frame.seat, names, { backs: false }));
    this.refresh();
    if (from && this.app.settings.moving) this.#move(fresh, from);
    fresh.map((line) => sentence(line, names, frame.game)).filter(Boolean).forEach(announce);
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
    this.coach.beliefPanel.hidden = !coach || view.to_act < 0; // then the review has all cards
    this.element.dataset.coach = coach;
    if (coach) this.coach.show(frame, open, !this.queue.busy && !this.asking);
    const { notes, best } = notesOf(open ? this.coach.analysis : null);
    this.hand.show({
      label: watch ? `Hand of ${namesOf(frame)[view.seat]}` : "Your hand",
      hand: view.state.hand, game: view.game, legal: open ? view.legal : [], notes, best,
      choosing: open && view.state.phase !== "bidding", reserve: view.state.cards,
    });
    this.#bids(view, open, notes, best);
    const may = open && view.legal.includes("draw");
    this.drawButton.hidden = !isUno(view.game) || watch;
    allow(this.drawButton, may);
    this.drawButton.classList.toggle("primary", may && view.legal.length === 1);
    this.feltHint.hidden = !coach || watch;
    allow(this.feltHint, allowed(this.coach.hintButton));
    this.undoButton.hidden = watch;
    const moved = view.events.some((line) => moveOf(line)?.seat === view.seat);
    allow(this.undoButton, moved && !this.asking && view.to_act >= 0);
    this.watching.element.hidden = !watch || view.to_act < 0;
    const words = this.#statusWords(frame, open);
    if (this.status.textContent !== words) this.status.textContent = words;
    this.status.dataset.turn = view.to_act < 0 ? "over" : open ? "you" : "other";
    this.status.dataset.ply = view.plies;
  }

  #statusWords({ view, outcome, thinking, ...frame }, open) {
    if (outcome) return outcome.text;
    if (open) {
      if (view.state.phase === "bidding") return "Your turn: bid";
      if (view.state.pending) return `Your turn: draw ${plural(view.state.pending, "card")}`;
      if (isUno(view.game) && view.legal.length === 1 && view.legal[0] === "draw") return "No card fits: draw one";
      return "Your turn: play a card";
    }
    const name = namesOf(frame)[view.to_act];
    if (name === "You") return "One moment …";
    return thinking === view.to_act ? `${name} is thinking …` : `${name}`;
  }

  #bids(view, open, notes, best) {
    const bidding = view.state.phase === "bidding" && view.to_act === view.seat && open;
    const focused = [...this.bids.children].indexOf(document.activeElement);
    this.bids.hidden = !bidding;
    this.bids.replaceChildren(...(bidding ? view.legal : []).map((bid) => {
      const note = notes.get(bid);
      return button([bid, note ? el("span", { class: "bid-note" }, note) : ""], () => this.bid(bid), {
        testid: `bid-${bid}`,
        kind: `bid${best.has(bid) ? " advised" : ""}`,
        "aria-label": `Bid ${bid}${note ? `, ${note} points` : ""}`,
      });
    }));
    if (focused >= 0 && bidding) this.bids.children[focused]?.focus();
    else if (focused >= 0) this.hand.focus(); // the bid is made, and a card comes next
  }

  #grades(frame) {
    const known = this.graded;
    this.graded = new Set(frame.grades.map(({ ply, move }) => `${ply} ${move}`));
    if (known === null) return;
    const fresh = frame.grades.filter(({ ply, move }) => !known.has(`${ply} ${move}`));
    for (const grade of fresh.slice(-1).filter(({ name }) => name !== "forced")) {
      const better = bestWords(grade, frame.game);
      toast(gradeParts(grade, frame.game), { kind: "grade", testid: "grade" });
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
    const { panel, heading } = resultPanel(frame, names, seatAt(this.id), this.heardOf.view.events);
    this.ends.replaceChildren(panel);
    heading.focus({ preventScroll: true });
  }

  // --- movement ---

  /** Where the cards of these events are before they move. */
  #places(fresh) {
    const places = new Map([["deck", placeOf(this.felt.querySelector(".deck .card"))]]);
    for (const move of fresh.map(moveOf).filter(Boolean)) {
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
    for (const { seat, verb, rest } of fresh.map(moveOf).filter(Boolean)) {
      if (verb === "draws") {
        flyCopy(cardElement(null, { quiet: true }), from.get("deck"), placeOf(this.#seatPlace(seat)));
      } else if (verb === "plays") {
        const laid = this.middle.querySelector(`.laid[data-card="${rest}"] .card, .stack.top .card:last-child`);
        if (laid) flyFrom(laid, from.get(seat));
      }
    }
  }
}
