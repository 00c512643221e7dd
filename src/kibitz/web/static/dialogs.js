// The dialogs: which of several moves is meant, settings, help. The browser's own <dialog> keeps the
// focus inside and closes on Escape.

import { button, el } from "./dom.js";
import { helpful } from "./games/index.js";

const KEYS = [
  ["← →", "move along your hand"],
  ["Enter, Space", "play the card"],
  ...helpful.flatMap((game) => game.keys),
  ["H", "hint"],
  ["U", "undo"],
  ["?", "this help"],
];

/** A dialog with its `foot` of buttons. One for `reading` begins at its top; else the first control
 *  has the focus, however far down it stands. */
function open(title, content, { testid = null, foot = [], reading = false } = {}) {
  const heading = el("h2", { id: "dialog-title", tabindex: reading ? -1 : null, autofocus: reading }, title);
  const dialog = el("dialog", { "aria-labelledby": "dialog-title", data: { testid } }, heading, content);
  if (foot.length) dialog.append(el("div", { class: "dialog-foot" }, foot));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", ({ target, clientX: x, clientY: y }) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const outside = x < left || x > right || y < top || y > bottom; // and not on its padding
    if (target === dialog && outside) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** The move that a person chooses, or null. A choice is {move, content}, and may have a `key` to press
 *  and a `style`. */
export function chooseMove({ title, choices }) {
  return new Promise((resolve) => {
    let chosen = null;
    const choose = ({ move }) => {
      chosen = move;
      dialog.close();
    };
    const buttons = choices.map((choice) => {
      const one = el("button", {
        type: "button", class: "choice", data: { testid: `choice-${choice.move}` }, on: { click: () => choose(choice) },
      }, choice.content);
      Object.assign(one.style, choice.style);
      return one;
    });
    const dialog = open(title, el("div", { class: "question" }, buttons), { testid: "question" });
    dialog.addEventListener("keydown", (event) => {
      const pressed = choices.find((choice) => choice.key === event.key.toUpperCase());
      if (pressed) choose(pressed);
    });
    dialog.addEventListener("close", () => resolve(chosen));
  });
}

export function openSettings(settings) {
  const dialog = open("Settings", settings.controls("dialog"), {
    testid: "settings-dialog",
    foot: [button("Done", () => dialog.close(), { kind: "primary" })],
  });
}

export function openHelp() {
  const rows = KEYS.flatMap(([key, does]) => [el("dt", {}, key), el("dd", {}, does)]);
  const rules = helpful.flatMap(({ help: [game, text] }) => [el("h3", {}, game), el("p", { class: "small" }, text)]);
  const content = el("div", { class: "help" }, el("dl", { class: "keys" }, rows), rules);
  const dialog = open("Keys and rules", content, {
    testid: "help-dialog",
    reading: true,
    foot: [button("Close", () => dialog.close(), { kind: "primary" })],
  });
}
