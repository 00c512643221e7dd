// Watching agents play: step by step, or on and on at the pace of the settings.

import { button, el } from "./dom.js";

const SHORTEST = 60;

export class Watching {
  #playing = true;
  #timer = null;

  constructor(step) {
    this.step = step;
    this.pause = button("Pause", () => this.#toggle(), { testid: "pause" });
    this.once = button("Step", () => this.step(), { testid: "step" });
    this.element = el("div", { class: "watching" }, this.pause, this.once);
    this.#label();
  }

  /** A frame is on show: ask for the next move when its time has come. */
  next(frame, busy, pace) {
    clearTimeout(this.#timer);
    if (!this.#playing || busy || frame.view.to_act < 0) return;
    this.#timer = setTimeout(() => this.step(), Math.max(SHORTEST, pace));
  }

  /** Ask for nothing until the person says so. */
  rest() {
    this.#playing = false;
    clearTimeout(this.#timer);
    this.#label();
  }

  #toggle() {
    if (this.#playing) {
      this.rest();
      return;
    }
    this.#playing = true;
    this.#label();
    this.step();
  }

  #label() {
    this.pause.textContent = this.#playing ? "Pause" : "Play on";
    this.once.disabled = this.#playing;
  }
}
