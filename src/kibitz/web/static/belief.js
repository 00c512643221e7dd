// What Kibitz believes about the hidden cards, as a heat map, and how much it does not know, as a
// line over the game. The tables are built once and then filled anew, so nothing jumps.

import { signElement } from "./cards.js";
import { drawing, label, line, pointsText, scale, ticks } from "./charts.js";
import { el, plural, svg } from "./dom.js";
import { complain } from "./say.js";
import { possessive } from "./words.js";

const NAMED_COLUMNS = 4; // with more holders, or long names, columns are headed by numbers
const LONGEST_NAME = 5;
const PASSING = ["lost", "busy", "too-fast"]; // troubles that go by
const AGAIN_MS = 1000;

/** A chance in percent; 0 and 100 stand only where it is proved. */
function percent(chance) {
  if (chance === 0 || chance === 1) return String(100 * chance);
  if (chance < 0.005) return "<1";
  return chance >= 0.995 ? ">99" : String(Math.round(100 * chance));
}

/** The panel of one table: asks what is believed and shows it. */
export class BeliefPanel {
  #wanted = null;
  #moment = null; // that was asked about last
  #asking = false;
  #shown = null;

  /** `ask()` asks the server. */
  constructor(game, ask) {
    this.game = game;
    this.ask = ask;
    this.place = el("div");
    this.element = el("section", { class: "panel", "aria-label": "Hidden cards" },
      el("h2", {}, "Hidden cards"), this.place);
  }

  /** Show what is believed at a moment, as {names, seat, rules, watch} say of it. One question at a time:
   *  what happens meanwhile is asked about when the answer is there. */
  async show(moment, about) {
    this.#wanted = { moment, about };
    if (this.#asking) return;
    this.#asking = true;
    while (this.#wanted && this.#wanted.moment !== this.#moment) {
      const asked = this.#wanted;
      this.#moment = asked.moment;
      try {
        const message = await this.ask();
        if (this.#wanted) this.#draw(message, asked.about);
      } catch (error) {
        if (PASSING.includes(error.code)) {
          this.#moment = null;
          await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
        } else if (this.#wanted) complain(error);
      }
    }
    this.#asking = false;
  }

  /** Show no more until asked again. */
  rest() {
    this.#wanted = null;
    this.#moment = null;
  }

  /** Who does not play but `watch` looks from another's seat. */
  #draw({ belief, history = [] }, { names, seat, rules, watch = false }) {
    const columns = columnsOf(belief, names);
    const there = Object.keys(belief.cards);
    // cards that came to light keep their rows: only a new deal, or a step back, makes new ones
    const cards = this.#shown && there.every((card) => this.#shown.cards.includes(card)) ? this.#shown.cards : there;
    const tables = this.game.beliefTables({ cards, columns, rules });
    const layout = JSON.stringify(tables);
    if (this.#shown?.layout !== layout) {
      this.#shown = { cards, layout, ...built(tables, columns) };
      this.place.replaceChildren(this.#shown.root);
    }
    const shown = this.#shown;
    shown.from.textContent = `From ${watch ? possessive(names[seat]) : "your"} seat, with only what ${watch ? "it" : "you"} may know.`;
    for (const { cell, card, holder, what } of shown.cells) {
      fillCell(cell, (belief.cards[card] ?? belief.any[card])?.[holder], what);
    }
    const drawn = columns.filter(({ holder }) => shown.cells.some((each) => each.holder === holder));
    shown.facts.replaceChildren(...facts(belief, drawn).map((text) => el("li", {}, text)));
    shown.chart.replaceChildren(entropyChart(history, belief));
  }
}

/** The holders of hidden cards, and how they are headed: by name, or where that is too long by number. */
function columnsOf({ held }, names) {
  const found = Object.keys(held).map((holder) => ({
    holder, name: names[holder] ?? holder[0].toUpperCase() + holder.slice(1),
  }));
  const short = found.length > NAMED_COLUMNS || found.some(({ name }) => name.length > LONGEST_NAME);
  return found.map((each) => ({
    ...each, short, text: short ? each.holder.slice(0, 2) : each.name,
  }));
}

function facts({ held, can_play: may, facts: proved }, columns) {
  return columns.map(({ holder, name, text, short }) => {
    const parts = [plural(held[holder], "card"), ...proved[holder]];
    if (typeof may[holder] === "number") parts.push(`can play now: ${percent(may[holder])} %`);
    return `${short && columns.length > 1 ? `${text} = ` : ""}${name}: ${parts.join(", ")}`;
  });
}

function built(tables, columns) {
  const cells = [];
  const item = (scope) => (one) => {
    if (one.card) {
      const cell = el("td", { class: "belief-cell" });
      cells.push({ cell, ...one });
      return cell;
    }
    const { text, name = null, title = name, sign, fill, hidden } = one;
    return el("th", { scope, title, "aria-label": name },
      sign ? signElement(sign, fill) : null, el("span", { class: hidden ? "visually-hidden" : null }, text));
  };
  const box = el("div", { class: "belief-box", tabindex: 0, role: "group", "aria-label": "Chances of the hidden cards" });
  if (tables[0]?.narrow) {
    box.style.setProperty("--suit-width", `${2 + (columns[0]?.short ? 1.75 : 2.3) * columns.length}rem`);
  }
  box.append(...tables.map(({ kind, caption, quiet, head, rows }) => el("table", { class: `belief-${kind}` },
    el("caption", { class: quiet ? "visually-hidden" : null }, caption),
    head ? el("thead", {}, el("tr", {}, head.map(item("col")))) : null,
    el("tbody", {}, rows.map((row) => el("tr", { class: `belief-row belief-${row.kind}` }, row.items.map(item("row"))))),
  )));
  const from = el("p", { class: "belief-seat" });
  const list = el("ul", { class: "belief-facts" });
  const chart = el("figure", { class: "belief-chart" });
  return { cells, from, facts: list, chart, root: el("div", { class: "belief", "data-testid": "belief" }, from, box, list, chart) };
}

/** A cell with its chance; without one the card is not hidden, and the cell is hatched. */
function fillCell(cell, chance, what) {
  const hidden = typeof chance === "number";
  const text = hidden ? percent(chance) : "";
  if (cell.textContent !== text) cell.textContent = text;
  cell.className = hidden ? "belief-cell" : "belief-cell belief-seen";
  // by the root, since most chances are small and should not all look empty
  const strength = hidden ? Math.sqrt(Math.min(1, Math.max(0, chance))) : 0;
  cell.style.setProperty("--strength", strength.toFixed(2));
  cell.classList.toggle("belief-likely", chance >= 0.5);
  cell.title = hidden ? `${what}: ${text} %` : `${what}: not hidden`;
  if (hidden) cell.removeAttribute("aria-label");
  else cell.setAttribute("aria-label", "not hidden");
}

// --- how much is not known -------------------------------------------------------------------------

const WIDTH = 340;
const HEIGHT = 132;
const LEFT = 34;
const RIGHT = WIDTH - 12;

/** Bits missing after each ply, as a line. */
function entropyChart(history, belief) {
  const points = history.filter((point) => point.every(Number.isFinite));
  if (points.length === 0 && typeof belief.entropy === "number") points.push([0, belief.entropy]);
  if (points.length === 0) return el("p", { class: "belief-none" }, "");
  const firstPly = points[0][0];
  const [lastPly, lastBits] = points.at(-1);
  const most = Math.max(...points.map(([, bits]) => bits), 1);
  const title = "What is not known, over the game";
  const now = `now ${lastBits.toFixed(1)} after ${plural(lastPly, "move")}`;
  const text = `In bits: ${points[0][1].toFixed(1)} at first, at most ${most.toFixed(1)}, ${now}.`;
  const x = scale(firstPly, Math.max(lastPly, firstPly + 1), LEFT, RIGHT);
  const y = scale(0, most * 1.08, HEIGHT - 28, 34);
  const picture = drawing(WIDTH, HEIGHT, title, text);
  picture.append(label(4, 11, "Bits missing", "start", "chart-title"));
  for (const bits of ticks(0, most, 3)) {
    picture.append(line(LEFT, y(bits), RIGHT, y(bits), "chart-grid"), label(LEFT - 5, y(bits) + 4, String(bits), "end"));
  }
  for (const ply of ticks(firstPly, lastPly, 5).filter(Number.isInteger)) {
    picture.append(label(x(ply), HEIGHT - 12, String(ply), "middle"));
  }
  picture.append(label(RIGHT, HEIGHT - 1, "moves", "end"));
  const places = points.map(([ply, bits]) => [x(ply), y(bits)]);
  const [endX, endY] = places.at(-1);
  picture.append(
    svg("polyline", { points: pointsText(places), class: "chart-line" }),
    svg("circle", { cx: endX, cy: endY, r: 3.5, class: "chart-dot" }),
  );
  const left = endX > RIGHT - 40;
  const above = Math.min(...places.filter(([px]) => px > endX - 36).map(([, py]) => py));
  picture.append(label(endX + (left ? 3 : 7), Math.max(26, above - 8), lastBits.toFixed(1), left ? "end" : "start", "chart-value"));
  return picture;
}
