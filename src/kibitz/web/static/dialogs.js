// The dialogs: which colour a wild declares, settings, help. The browser's own <dialog> keeps the
// focus inside and closes on Escape.

import { signElement } from "./cards.js";
import { button, el } from "./dom.js";
import { COLOUR_NAMES, PAINT, SHAPE_NAMES } from "./pips.js";

const KEYS = [
  ["← →", "move along your hand"],
  ["Enter, Space", "play the card"],
  ["0 to 9", "bid"],
  ["D", "draw"],
  ["H", "hint"],
  ["U", "undo"],
  ["R Y G B", "declare a colour for a wild"],
  ["?", "this help"],
];

const RULES = [
  ["UNO", "Get rid of your cards first. A card fits if colour or sign is that of the top card; wilds always "
    + "fit, and you name the colour. You must play if you can; otherwise you draw one card and your turn ends. "
    + "+2 and wild +4 make the other draw and miss a turn. Skip and Reverse let you move again, or only pass "
    + "the turn, as the lobby says."],
  ["Blob", "First everybody bids how many tricks to win; the dealer, who is last, may not make the bids add up to "
    + "the number of tricks. Then follow the suit that was led if you can; the highest trump wins the trick, or "
    + "without one the highest card of that suit. Exactly your bid scores 10 and one for each trick; anything "
    + "else scores nothing."],
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

/** The colour a person declares, of those allowed, or null. */
export function chooseColour(allowed) {
  return new Promise((resolve) => {
    const choices = [..."RYGB"].filter((colour) => allowed.includes(colour));
    let chosen = null;
    const choose = (colour) => {
      chosen = colour;
      dialog.close();
    };
    const buttons = choices.map((colour) => {
      const one = el(
        "button",
        {
          type: "button",
          class: "colour-choice",
          data: { testid: `colour-${colour}` },
          on: { click: () => choose(colour) },
        },
        signElement(colour, { paint: PAINT[colour].ink }),
        el("span", {}, COLOUR_NAMES[colour], el("span", { class: "visually-hidden" }, `, ${SHAPE_NAMES[colour]}`)),
      );
      one.style.background = PAINT[colour].fill;
      one.style.color = PAINT[colour].ink;
      return one;
    });
    const dialog = open("Which colour?", el("div", { class: "colours" }, buttons), { testid: "colours" });
    dialog.addEventListener("keydown", (event) => {
      const colour = event.key.toUpperCase();
      if (choices.includes(colour)) choose(colour);
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
  const rules = RULES.flatMap(([game, text]) => [el("h3", {}, game), el("p", { class: "small" }, text)]);
  const content = el("div", { class: "help" }, el("dl", { class: "keys" }, rows), rules);
  const dialog = open("Keys and rules", content, {
    testid: "help-dialog",
    reading: true,
    foot: [button("Close", () => dialog.close(), { kind: "primary" })],
  });
}
