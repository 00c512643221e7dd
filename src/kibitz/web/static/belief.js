// What Kibitz believes about the hidden cards, as a heat map, and how much it does not know, as a
// line over the game. The tables are built once and then filled anew, so nothing jumps.

import { signElement } from "./cards.js";
import { drawing, label, line, pointsText, scale, ticks } from "./charts.js";
import { el, plural, svg } from "./dom.js";
import { FRENCH_RANKS, UNO_RANKS } from "./pips.js";
import { nameOf, possessive, verb } from "./words.js";

const COLOURS = [
  ["R", "Red"],
  ["Y", "Yellow"],
  ["G", "Green"],
  ["B", "Blue"],
];
const RANK_NAMES = { S: "Skip", R: "Reverse", "+2": "Draw two" };
const RANK_SIGNS = { S: "⊘", R: "⇄" };
const SUITS = [
  ["S", "Spades", "♠"],
  ["H", "Hearts", "♥"],
  ["D", "Diamonds", "♦"],
  ["C", "Clubs", "♣"],
];
const HIGH_TO_LOW = [...FRENCH_RANKS].reverse();
const NAMED_COLUMNS = 4; // with more holders, or long names, columns are headed by numbers
const LONGEST_NAME = 5;

/** A chance in percent; 0 and 100 stand only where it is proved. */
export function percent(chance) {
  if (chance === 0 || chance === 1) return String(100 * chance);
  if (chance < 0.005) return "<1";
  return chance >= 0.995 ? ">99" : String(Math.round(100 * chance));
}

/** Show a belief message in `element`; `rules`, if given, say which cards there are. Who does not play
 *  but `watch` looks from another's seat. */
export function renderBelief(element, message, { players = null, seat = null, rules = null, watch = false } = {}) {
  const belief = message?.belief ?? {};
  const found = { players, rules, seat: belief.seat ?? seat ?? 0, watch, cards: belief.cards ?? {}, belief };
  const uno = belief.game ? belief.game === "uno" : !Object.values(found.cards)[0]?.stock;
  const kind = uno ? UNO : BLOB;
  const shape = kind.shape(found);
  let shown = element.beliefShown;
  if (!shown || shown.kind !== kind || !element.contains(shown.root) || !kind.fits(shown, shape)) {
    shown = built(kind, found, shape);
    element.beliefShown = shown;
    element.replaceChildren(shown.root);
  }
  kind.fill(shown, found);
  shown.facts.replaceChildren(...kind.facts(found).map((line) => el("li", {}, line)));
  shown.chart.replaceChildren(entropyChart(message?.history ?? [], belief));
}

function built(kind, found, shape) {
  const shown = { kind, shape, cells: new Map() };
  shown.facts = el("ul", { class: "belief-facts" });
  shown.chart = el("figure", { class: "belief-chart" });
  shown.box = el("div", { class: "belief-box", tabindex: 0, role: "group", "aria-label": "Chances of the hidden cards" });
  shown.box.append(...kind.build(shown, found));
  shown.root = el(
    "div",
    { class: "belief", "data-testid": "belief" },
    el("p", { class: "belief-seat" }, fromSeat(found)),
    shown.box,
    shown.facts,
    shown.chart,
  );
  return shown;
}

function fromSeat({ watch, players, seat }) {
  if (!watch) return "From your seat, with only what you may know.";
  return `From ${possessive(nameOf(players, seat))} seat, with only what it may know.`;
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

// --- UNO: a colour a row, a rank a column ----------------------------------------------------------

const UNO = {
  shape({ rules }) {
    const letters = [...(rules?.ranks ?? "")];
    const ranks = letters.length ? UNO_RANKS.filter((rank) => letters.includes(rank[0])) : UNO_RANKS;
    return { ranks, colours: COLOURS.slice(0, rules?.colours ?? 4) };
  },
  fits: (shown, shape) =>
    shown.shape.ranks.length === shape.ranks.length && shown.shape.colours.length === shape.colours.length,

  build(shown) {
    const { ranks, colours } = shown.shape;
    const head = el("tr", {}, el("th", { scope: "col" }, el("span", { class: "visually-hidden" }, "Colour")));
    for (const rank of ranks) {
      const name = RANK_NAMES[rank];
      head.append(el("th", { scope: "col", abbr: name, title: name, "aria-label": name }, RANK_SIGNS[rank] ?? rank));
    }
    head.append(el("th", { scope: "col", title: "a card of this colour at all" }, "any"));
    const rows = colours.map(([letter, name]) => {
      const heading = el("th", { scope: "row" }, signElement(letter, { uno: true }), el("span", {}, name));
      const row = el("tr", { class: `belief-row belief-${name.toLowerCase()}` }, heading);
      for (const rank of [...ranks, "any"]) row.append(newCell(shown, letter + rank));
      return row;
    });
    const wilds = [["W", "Wild"], ["W+4", "Wild +4"]];
    return [
      el(
        "table",
        { class: "belief-uno" },
        el("caption", {}, "Chance in percent that the other player holds each card"),
        el("thead", {}, head),
        el("tbody", {}, rows),
      ),
      el(
        "table",
        { class: "belief-wilds" },
        el("caption", { class: "visually-hidden" }, "Chance in percent that the other player holds a wild"),
        el(
          "tbody",
          {},
          el(
            "tr",
            { class: "belief-row belief-wild" },
            wilds.flatMap(([card, name]) => [el("th", { scope: "row" }, name), newCell(shown, card)]),
          ),
        ),
      ),
    ];
  },

  fill(shown, { cards, belief }) {
    const { ranks, colours } = shown.shape;
    for (const [letter, name] of colours) {
      for (const rank of ranks) {
        fillCell(shown.cells.get(letter + rank), cards[letter + rank]?.chance, `${name} ${RANK_NAMES[rank] ?? rank}`);
      }
      fillCell(shown.cells.get(`${letter}any`), belief.colours?.[letter], `any ${name}`);
    }
    for (const card of ["W", "W+4"]) fillCell(shown.cells.get(card), cards[card]?.chance, card);
  },

  facts({ belief, players, seat }) {
    const who = players ? nameOf(players, 1 - seat) : "The other player";
    const lines = [];
    if (belief.held !== undefined) lines.push(`${verb(who, "hold")} ${plural(belief.held, "card")}.`);
    if (typeof belief.can_play === "number") lines.push(`Could play on the top card: ${percent(belief.can_play)} %.`);
    return lines;
  },
};

function newCell(shown, key) {
  const cell = el("td", { class: "belief-cell" });
  shown.cells.set(key, cell);
  return cell;
}

// --- Blob: a suit a table, a hidden card a row, a holder a column ----------------------------------

const BLOB = {
  shape({ cards, belief }) {
    const first = Object.values(cards)[0] ?? {};
    return { holders: Object.keys(belief.held ?? first), cards: Object.keys(cards) };
  },

  // cards that came to light keep their rows: only a new deal, or a step back, makes new ones
  fits: (shown, shape) =>
    shown.shape.holders.join() === shape.holders.join() && shape.cards.every((card) => shown.shape.cards.includes(card)),

  build(shown, found) {
    const { holders, cards } = shown.shape;
    const suits = SUITS.filter(([letter]) => cards.some((card) => card.endsWith(letter)));
    const wide = numbered(found, holders);
    shown.box.style.setProperty("--suit-width", `${2 + (wide ? 1.75 : 2.3) * holders.length}rem`);
    return suits.map(([letter, name, sign]) => {
      const head = el("tr", {}, el("th", { scope: "col" }, el("span", { class: "belief-sign" }, sign)));
      for (const holder of holders) {
        const full = holderName(found, holder);
        const short = wide ? (holder === "stock" ? "st" : holder) : full;
        head.append(el("th", { scope: "col", title: full, "aria-label": full }, short));
      }
      const rows = HIGH_TO_LOW.filter((rank) => cards.includes(rank + letter)).map((rank) => {
        const text = rank === "T" ? "10" : rank;
        const row = el("tr", { class: "belief-row" }, el("th", { scope: "row" }, `${text}${sign}`));
        for (const holder of holders) row.append(newCell(shown, `${rank}${letter} ${holder}`));
        return row;
      });
      return el(
        "table",
        { class: `belief-suit belief-${name.toLowerCase()}` },
        el("caption", {}, `${sign} ${name}`),
        el("thead", {}, head),
        el("tbody", {}, rows),
      );
    });
  },

  fill(shown, found) {
    for (const [key, cell] of shown.cells) {
      const [card, holder] = key.split(" ");
      fillCell(cell, found.cards[card]?.[holder], `${card}, ${holderName(found, holder)}`);
    }
  },

  facts(found) {
    const { belief } = found;
    const held = belief.held ?? {};
    const short = numbered(found, Object.keys(held));
    return Object.entries(held).map(([holder, number]) => {
      const voids = belief.voids?.[holder] ?? [];
      const label = short ? `${holder === "stock" ? "st" : holder} = ` : "";
      const none = voids.length ? `, no ${voids.join(", no ")}` : "";
      return `${label}${holderName(found, holder)}: ${plural(number, "card")}${none}`;
    });
  },
};

/** Whether the columns of these holders are too narrow for their names. */
function numbered(found, holders) {
  return holders.length > NAMED_COLUMNS || holders.some((holder) => holderName(found, holder).length > LONGEST_NAME);
}

function holderName({ players }, holder) {
  return holder === "stock" ? "Stock" : nameOf(players, Number(holder));
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
