// While a button is held down nothing may be drawn anew: if what was pressed is replaced before it is
// let go, the browser gives no click, and the move is lost.

export class Press {
  #down = false;
  #waiting = [];
  #ends = ["pointerup", "pointercancel", "blur"];
  // the click comes with the end of the press; what waited comes after it
  #end = () => setTimeout(() => this.#release());

  constructor(element) {
    element.addEventListener("pointerdown", (event) => {
      this.#down ||= event.button === 0;
    });
    this.#ends.forEach((name) => window.addEventListener(name, this.#end));
  }

  /** Do it now, or as soon as nothing is held down. */
  after(work) {
    if (this.#down) this.#waiting.push(work);
    else work();
  }

  close() {
    this.#waiting = [];
    this.#ends.forEach((name) => window.removeEventListener(name, this.#end));
  }

  #release() {
    this.#down = false;
    this.#waiting.splice(0).forEach((work) => work());
  }
}
