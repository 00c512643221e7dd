// One WebSocket to the server. Questions get answers by their id; what arrives without an id is
// news for those who listen. A lost line is taken up again, and so is the seat at the table.

import { BASE } from "./dom.js";

const LONGEST_WAIT = 15000;
/** What the server answers at once. If it does not, the line is dead, though nobody has said so. */
const AT_ONCE = ["commit", "deal", "sit", "play", "undo"];
const DEAD_AFTER = 30000;

class AnswerError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export class Connection {
  #url;
  #socket = null;
  #number = 0;
  #tries = 0;
  #asked = new Map();
  #waiting = [];
  #pushed = new Set();
  #stateful = new Set();
  #seat = null;
  #seated = false;

  constructor(url = Connection.address()) {
    this.#url = url;
    this.#open();
  }

  static address() {
    return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${BASE}ws`;
  }

  /** Ask, and get the last answer; `onPart` gets those before it. An error answer rejects with an
   *  Error that has a `code`; a lost line rejects with the code "lost". */
  ask(verb, fields = {}, { onPart = null } = {}) {
    const id = `q${++this.#number}`;
    const question = { id, do: verb, ...fields };
    const answer = new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject, onPart });
    });
    answer.id = id;
    if (this.#socket?.readyState === WebSocket.OPEN) this.#send(question);
    else this.#waiting.push(question);
    return answer;
  }

  /** What was asked with this id is not wanted any more; if it is answered already, no harm is done. */
  cancel(id) {
    this.ask("cancel", { what: id }).catch(() => {});
  }

  /** Hear what is pushed; returns the way to stop. */
  onPush(listener) {
    this.#pushed.add(listener);
    return () => this.#pushed.delete(listener);
  }

  /** Hear "open" and "lost"; returns the way to stop. */
  onState(listener) {
    this.#stateful.add(listener);
    return () => this.#stateful.delete(listener);
  }

  /** The seat to take again when the line comes back, or null for none. */
  keepSeat(table, token) {
    this.#seat = table === null ? null : { table, token };
    this.#seated = this.#socket?.readyState === WebSocket.OPEN;
  }

  #open() {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("open", () => this.#opened());
    socket.addEventListener("message", (event) => this.#hear(JSON.parse(event.data)));
    socket.addEventListener("close", () => this.#lost(socket));
  }

  #send(question) {
    const socket = this.#socket;
    socket.send(JSON.stringify(question));
    if (!AT_ONCE.includes(question.do)) return;
    setTimeout(() => {
      if (!this.#asked.has(question.id)) return;
      socket.close();
      this.#lost(socket); // not when it has closed: a dead line takes long to do so
    }, DEAD_AFTER);
  }

  #opened() {
    this.#tries = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    waiting.forEach((question) => this.#send(question));
    this.#tell("open");
    if (this.#seat && !this.#seated) this.#sitAgain();
    else if (!waiting.length) this.ask("version").catch(() => {}); // who says nothing is hung up on
  }

  async #sitAgain() {
    this.#seated = true;
    try {
      const frame = await this.ask("sit", this.#seat);
      this.#push({ ...frame, again: true });
    } catch (error) {
      if (error.code !== "lost") this.#push({ is: "error", code: error.code, message: error.message });
    }
  }

  #hear(message) {
    const asked = message.id === undefined ? null : this.#asked.get(message.id);
    if (!asked) {
      if (message.id === undefined || message.id === null) this.#push(message);
      return;
    }
    if (message.final === false) {
      asked.onPart?.(message);
      return;
    }
    this.#asked.delete(message.id);
    if (message.is === "error") asked.reject(new AnswerError(message.code, message.message));
    else asked.resolve(message);
  }

  #push(message) {
    this.#pushed.forEach((listener) => listener(message));
  }

  #lost(socket) {
    if (socket !== this.#socket) return; // given up before
    this.#socket = null;
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    this.#waiting = [];
    this.#seated = false;
    const lost = new AnswerError("lost", "The line to the server was lost");
    asked.forEach(({ reject }) => reject(lost));
    this.#tell("lost");
    const wait = Math.min(LONGEST_WAIT, 400 * 2 ** this.#tries++) * (0.75 + Math.random() / 2);
    setTimeout(() => this.#open(), wait);
  }

  #tell(state) {
    this.#stateful.forEach((listener) => listener(state));
  }
}
