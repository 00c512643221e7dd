// Theme, animations, pace and coach: kept in the browser at once, and with the server for the
// visitor's other devices.

import { el } from "./dom.js";
import { read, write } from "./kept.js";

const DEFAULTS = { theme: "system", animations: true, pace: "normal", coach: true };
const PACES = { fast: 300, normal: 700, slow: 1500, off: 0 };

const CHOICES = [
  ["theme", "Theme", [["system", "System"], ["light", "Light"], ["dark", "Dark"]]],
  ["animations", "Animations", [[true, "On"], [false, "Off"]]],
  ["pace", "Pace of the others' moves", [["slow", "Slow"], ["normal", "Normal"], ["fast", "Fast"], ["off", "At once"]]],
];

const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Settings {
  #values = { ...DEFAULTS, ...read("settings", {}) };
  #share = null;

  constructor() {
    dark.addEventListener("change", () => this.#apply());
    this.#apply();
  }

  get(name) {
    return this.#values[name];
  }

  get moving() {
    return this.#values.animations && !still.matches;
  }

  get pace() {
    return PACES[this.#values.pace] ?? PACES.normal;
  }

  set(name, value) {
    this.#values[name] = value;
    write("settings", this.#values);
    this.#apply();
    this.#share?.(this.#values);
  }

  /** Take what the server kept, and tell it of changes from now on. */
  join(kept, share) {
    for (const name of Object.keys(DEFAULTS)) {
      if (typeof kept?.[name] === typeof DEFAULTS[name]) this.#values[name] = kept[name];
    }
    write("settings", this.#values);
    this.#share = share;
    this.#apply();
  }

  #apply() {
    const { theme, animations } = this.#values;
    const night = theme === "dark" || (theme !== "light" && dark.matches);
    document.documentElement.dataset.theme = night ? "dark" : "light";
    document.documentElement.dataset.motion = animations ? "on" : "off";
  }

  /** Controls for the looks, for the lobby and the dialog. */
  controls(prefix) {
    const rows = CHOICES.map(([name, title, choices]) =>
      segments(`${prefix}-${name}`, title, choices, this.#values[name], (value) => this.set(name, value)),
    );
    return el("div", { class: "choices" }, rows);
  }
}

/** One choice of a few, as radio buttons side by side; choices are [value, text, testid]. */
export function segments(name, title, choices, chosen, onChoose) {
  const labels = choices.map(([value, text, testid = null]) =>
    el("label", {},
      el("input", {
        type: "radio", name, value: String(value), checked: value === chosen,
        data: { testid },
        on: { change: () => onChoose(value) },
      }),
      el("span", {}, text),
    ),
  );
  return el("fieldset", { class: "field" },
    el("legend", {}, title),
    el("div", { class: "segments" }, labels),
  );
}
