// The sums of a review: grades, costs, luck and skill, and the deal.

import { Z95, drawing, label, line, scale, ticks } from "./charts.js";
import { el, svg } from "./dom.js";
import { MEANING } from "./moves.js";
import { GRADES } from "./review_graph.js";
import { badge, hands, lossText } from "./review_position.js";
import { possessive, signed } from "./words.js";

// --- grades ---

/** How often each grade, and what a choice cost on average. */
export function gradeSummary(game, seat) {
  const judged = game.moves.filter((move) => move.seat === seat && GRADES.includes(move.grade?.name));
  const title = el("h2", {}, "Choices");
  if (judged.length === 0) return [title, el("p", { class: "muted" }, "No choice of this seat was judged.")];
  const number = (name) => judged.filter((move) => move.grade.name === name).length;
  const losses = judged.map(({ grade }) => (grade.name === "best" ? 0 : grade.loss));
  const average = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
  const shares = el("div", { class: "review-shares", "aria-hidden": "true" });
  for (const name of GRADES.filter(number)) {
    const part = el("span", { class: `share-${name}` });
    part.style.flexGrow = String(number(name));
    shares.append(part);
  }
  return [
    title,
    shares,
    el("table", { class: "review-grades" },
      el("caption", { class: "visually-hidden" }, "How often each grade"),
      el("tbody", {}, GRADES.map((name) => el("tr", {}, el("th", { scope: "row" }, badge(name)), el("td", {}, String(number(name)))))),
    ),
    el("p", { class: "small" }, `On average a choice gave away ${average.toFixed(1)} ${game.game.stake}.`),
  ];
}

// --- what it cost ---

const SHOWN = 8;
const NO_BLAME = ["best", "forced"];

/** The seat's choices by what they cost, worst first; a click goes to the position. */
export function costs(game, seat, onPly) {
  const costly = game.moves
    .filter((move) => move.seat === seat && move.grade?.loss > 0 && !NO_BLAME.includes(move.grade.name))
    .sort((a, b) => b.grade.loss - a.grade.loss);
  const title = el("h2", {}, "What cost the most");
  if (costly.length === 0) return [title, el("p", { class: "muted" }, "No choice was surely worse than the best.")];
  const item = (move) => {
    const better = move.grade.best;
    const go = el("button", {
      type: "button", class: "review-cost", data: { testid: `review-cost-${move.ply}` }, on: { click: () => onPly(move.ply) },
    },
      el("span", { class: "review-cost-move" }, `${move.ply + 1}. ${game.game.moveName(move.move)}`),
      el("span", { class: "review-cost-loss" }, `−${lossText(move.grade)}`),
      el("span", { class: "small" }, badge(move.grade.name), better && better !== move.move ? ` better: ${game.game.moveName(better)}` : ""),
    );
    return el("li", {}, go);
  };
  const list = (moves) => el("ol", { class: "review-costs" }, moves.map(item));
  const rest = costly.slice(SHOWN);
  const more = rest.length ? [el("details", {}, el("summary", {}, `${rest.length} more`), list(rest))] : [];
  const meaning = el("p", { class: "muted small" }, `In ${game.game.stake}; ± is one standard error.`);
  return [title, list(costly.slice(0, SHOWN)), ...more, meaning];
}

// --- luck and skill ---

/** Numbers rounded so that what is shown still adds up to the rounded total. */
function roundedToSum(values, total, digits) {
  const unit = 10 ** digits;
  const floors = values.map((value) => Math.floor(value * unit));
  let left = Math.round(total * unit) - floors.reduce((sum, value) => sum + value, 0);
  const order = values.map((value, k) => [value * unit - floors[k], k]).sort((a, b) => b[0] - a[0]);
  for (const [, k] of order) {
    if (left <= 0) break;
    floors[k] += 1;
    left -= 1;
  }
  if (left !== 0) return values; // they do not add up in the first place
  return floors.map((value) => value / unit);
}

const ROW = 44;
const WIDTH = 310;

/** A part of the result in words. */
function partName(part, players) {
  const whose = possessive(players[part.of] ?? "");
  return {
    seat: "before the deal",
    deal: "luck of the deal",
    decisions: `${whose} choices`,
    draws: `luck of ${whose} draws`,
  }[part.kind];
}

/** Where the result came from: bars to both sides of nought, with what is uncertain of them. What
 *  the seat was worth before the deal is nobody's luck or skill, and so has no bar. */
export function split(game, seat) {
  const { parts: all, result } = game.split[seat];
  const parts = all.filter(({ kind, value, error }) => kind !== "draws" || value || error)
    .map((part) => ({ ...part, name: partName(part, game.players) }));
  const digits = game.percent ? 1 : 2;
  const values = roundedToSum(parts.map((part) => part.value), result, digits);
  const shown = parts.map((part, k) => ({ ...part, value: values[k] }));
  const unit = game.percent ? "%" : "points";
  const told = shown.map(({ value, kind }, k) => {
    if (kind === "seat") return `${value.toFixed(digits)} (before the deal)`;
    return k ? ` ${value < 0 ? "−" : "+"} ${Math.abs(value).toFixed(digits)}` : signed(value, digits);
  });
  const rows = shown.map(({ name, value, error = 0 }) =>
    el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, `${signed(value, digits)} ± ${error.toFixed(digits)}`)),
  );
  return [
    el("h2", {}, "Luck and skill"),
    bars(shown.filter(({ kind }) => kind !== "seat"), digits, unit),
    el("p", { class: "small review-sum", data: { testid: "review-sum" } },
      `Adds up to the result: ${told.join("")} = ${result.toFixed(digits).replace("-", "−")} ${unit}`,
    ),
    el("p", { class: "muted small" }, MEANING),
    el("div", { class: "visually-hidden" },
      el("table", {}, el("caption", {}, `Luck and skill in ${unit}, with one standard error`), el("tbody", {}, rows)),
    ),
  ];
}

const LONGEST = 27; // letters that leave room for the number

function shortened(name) {
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
}

function bars(parts, digits, unit) {
  const values = parts.map((part) => part.value);
  const errors = parts.map((part) => Z95 * (part.error ?? 0));
  const low = Math.min(0, ...values.map((value, k) => value - errors[k]));
  const high = Math.max(0, ...values.map((value, k) => value + errors[k]));
  const x = scale(low, high, 16, WIDTH - 16);
  const height = parts.length * ROW + 22;
  const text = parts.map((part, k) => `${part.name} ${signed(values[k], digits)}`).join(", ");
  const picture = drawing(WIDTH, height, `Luck and skill in ${unit}`, text);
  const marks = ticks(low, high, 5);
  const places = marks.every(Number.isInteger) ? 0 : marks.every((value) => Number.isInteger(10 * value)) ? 1 : 2;
  for (const value of marks) {
    const at = x(value);
    picture.append(
      line(at, 4, at, height - 18, value === 0 ? "chart-zero" : "chart-grid"),
      label(at, height - 4, signed(value, places), "middle"),
    );
  }
  parts.forEach((part, k) => {
    const top = k * ROW + 4;
    const value = values[k];
    const [from, to] = [x(Math.min(0, value)), x(Math.max(0, value))];
    picture.append(
      label(2, top + 13, shortened(part.name), "start", "chart-title"),
      label(WIDTH - 2, top + 13, `${signed(value, digits)}${part.error ? ` ± ${part.error.toFixed(digits)}` : ""}`, "end", "chart-value"),
      svg("rect", { x: from, y: top + 19, width: Math.max(1, to - from), height: 14, rx: 3, class: value < 0 ? "split-minus" : "split-plus" }),
    );
    if (errors[k] > 0) {
      const [a, b] = [x(value - errors[k]), x(value + errors[k])];
      const middle = top + 26;
      picture.append(
        line(a, middle, b, middle, "split-error"),
        ...[a, b].map((end) => line(end, middle - 4, end, middle + 4, "split-error")),
      );
    }
  });
  return picture;
}

// --- the deal ---

/** The true hands as they were dealt. */
export function dealt(game) {
  return [el("h2", {}, "The deal: all hands"), hands(game, game.hands)];
}
