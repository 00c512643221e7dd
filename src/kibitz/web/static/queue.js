// Frames arrive faster than people can follow. They wait here and are shown one after the other at a
// pace; none is left out, and what stands between two, such as a full trick, stays for a while.

import { gameOf } from "./games/index.js";

const BETWEEN_STAYS = 2;

export class FrameQueue {
  #waiting = [];
  #newest = -1;
  #shown = null;
  #free = 0;
  #running = false;
  #closed = false;

  /** `show(frame, before)` draws; `pace()` gives milliseconds. */
  constructor(show, pace) {
    this.show = show;
    this.pace = pace;
  }

  get busy() {
    return this.#waiting.length > 0;
  }

  /** What is on show now. */
  get frame() {
    return this.#shown;
  }

  add(frame) {
    if (frame.number <= this.#newest && !frame.again) return;
    this.#newest = frame.number;
    this.#waiting.push(frame);
    if (!this.#running) this.#run();
  }

  close() {
    this.#closed = true;
    this.#waiting = [];
  }

  async #run() {
    this.#running = true;
    while (this.#waiting.length && !this.#closed) {
      const frame = this.#waiting[0];
      const before = this.#shown;
      const paced = before !== null && !frame.again && frame.view.events.length > before.view.events.length;
      if (paced) {
        if (!ownMove(before, frame)) await this.#until(this.#free);
        const between = gameOf(frame.game).between(before, frame);
        if (between && !this.#closed) {
          this.#put(between, before);
          await this.#until(performance.now() + BETWEEN_STAYS * this.pace());
        }
      }
      if (this.#closed) return;
      this.#waiting.shift();
      this.#put(frame, this.#shown);
      if (paced) this.#free = performance.now() + this.pace();
    }
    this.#running = false;
  }

  #put(frame, before) {
    this.#shown = frame;
    this.show(frame, before);
  }

  #until(time) {
    const wait = time - performance.now();
    return wait > 0 ? new Promise((resolve) => setTimeout(resolve, wait)) : Promise.resolve();
  }
}

/** What a person did is shown at once. */
function ownMove(before, frame) {
  const [first] = frame.view.events.slice(before.view.events.length);
  return !frame.watch && gameOf(frame.game).moveOf(first)?.seat === frame.seat;
}
