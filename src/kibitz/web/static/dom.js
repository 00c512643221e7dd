// Small helpers to make elements. Text is always set as text, never read as HTML: names and
// messages come from outside.

/** The path below which all pages are: "/", or what a reverse proxy puts them under. */
const entry = globalThis.document?.querySelector('script[type="module"][src]'); // a report has none
export const BASE = entry ? new URL("../", entry.src).pathname : "/";

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes; `on` holds listeners, `data` data attributes, null is left out. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for the parts of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) {
        element.addEventListener(event, listener);
      }
    } else if (name === "data") {
      for (const [key, text] of Object.entries(value)) {
        if (text !== null && text !== undefined) element.dataset[key] = text;
      }
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A button; `testid` names it for tests of the page. */
export function button(text, onClick, { testid = null, kind = "", ...rest } = {}) {
  const listeners = onClick ? { click: onClick } : {};
  return el("button", { type: "button", class: `button ${kind}`.trim(), data: { testid }, on: listeners, ...rest },
    text,
  );
}

/** The options of a select, from pairs of value and text. */
export function options(choices) {
  return choices.map(([value, text]) => el("option", { value }, text));
}

/** Whether a button may be pressed. One that may not stays in reach: the browser takes the focus from
 *  a disabled button, and who plays by keyboard would have to begin at the top of the page. */
export function allow(button, may) {
  if (may) button.removeAttribute("aria-disabled");
  else button.setAttribute("aria-disabled", "true");
}

export function allowed(button) {
  return !button.hasAttribute("aria-disabled");
}

/** Give a place these children and leave alone those that are there already: a click on its way to
 *  one of them is not lost, nor is the focus. */
export function keepChildren(place, children) {
  [...place.children].filter((old) => !children.includes(old)).forEach((old) => old.remove());
  children.forEach((child, k) => {
    if (place.children[k] !== child) place.insertBefore(child, place.children[k] ?? null);
  });
}

export function plural(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

/** The key that does the same, beside the words of a button. */
export function key(letter) {
  return el("span", { class: "key", "aria-hidden": "true" }, letter);
}
