// Saying things: to a screen reader, and to everybody for a moment.

import { el } from "./dom.js";

const MOMENT = 4500;
const MOST_LINES = 30;

/** For those who listen: one line after the other, spoken when there is time. */
export function announce(text) {
  const live = document.getElementById("live");
  live.append(el("p", {}, text));
  while (live.children.length > MOST_LINES) live.firstChild.remove();
}

/** For everybody, for a moment; what was said before gives way. */
export function toast(content, { kind = "", testid = null } = {}) {
  const shown = el("div", { class: `toast ${kind}`.trim(), data: { testid } }, content);
  document.getElementById("toasts").replaceChildren(shown);
  setTimeout(() => shown.remove(), MOMENT);
}

/** Nothing that was said of one page stays on the next. */
export function hush() {
  document.getElementById("toasts").replaceChildren();
}

/** For everybody, those who listen included. */
export function say(text, options = {}) {
  toast(text, options);
  announce(text);
}

export function complain(error) {
  say(error.message || String(error), { kind: "complaint", testid: "complaint" });
}
