// Moves with their values, best first, as a table with a dot and its error for each.

import { Z95, line, scale } from "./charts.js";
import { el, svg } from "./dom.js";

/** What the numbers and lines beside a move say; stands near every list of them. */
export const MEANING = "± is one standard error, the lines span 95 %.";

/** The moves of an analysis in the units that people count in. */
export function inUnits({ moves, factor, zero }) {
  return moves.map((move) => ({ ...move, value: zero + factor * move.value, error: factor * move.error }));
}

/** `moves` have a value and an error in the units shown (`percent` or points), and a text; `marks`
 *  gives further words for a move. */
export function movesTable(moves, { game, percent, head, played = null, best = null, marks = () => [], testid = null }) {
  const found = moves.filter((move) => typeof move.value === "number");
  const edges = found.flatMap(({ value, error = 0 }) => [value - Z95 * error, value + Z95 * error]);
  const low = Math.min(...edges);
  const high = Math.max(...edges, low + (percent ? 4 : 1)); // what is nearly equal should look so
  const rows = found.map((move) => {
    const tags = marks(move);
    if (move.move === played) tags.push("played");
    if (move.move === best) tags.push("best");
    return el("tr", { class: move.move === (played ?? best) ? "moves-marked" : null },
      el("th", { scope: "row" }, game.moveName(move.move), tags.map((tag) => el("span", { class: "moves-tag" }, tag))),
      el("td", { class: "moves-bar" }, whisker(move, low, high)),
      el("td", { class: "moves-number" }, shortText(move, percent)),
    );
  });
  return el("table", { class: "moves", data: { testid } },
    el("caption", { class: "muted small" }, `Best first. ${MEANING}`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Move"), el("td", {}), el("th", { scope: "col" }, head))),
    el("tbody", {}, rows),
  );
}

/** A value with its error; without one it is proved, and only then a chance is 0 or 100 %. */
function shortText({ value, error = 0 }, percent) {
  const digits = percent ? 1 : 2;
  let shown = value.toFixed(digits).replace("-", "−");
  if (error === 0) return `${shown}${percent ? " %, sure" : ""}`;
  if (percent && value >= 99.95) shown = ">99.9";
  if (percent && value < 0.05) shown = "<0.1";
  return `${shown}${percent ? " %" : ""} ± ${error.toFixed(digits)}`;
}

function whisker({ value, error = 0 }, low, high) {
  const x = scale(low, high, 5, 155);
  return svg("svg", { viewBox: "0 0 160 16", class: "chart moves-whisker", "aria-hidden": "true" },
    line(5, 8, 155, 8, "chart-grid"),
    line(x(value - Z95 * error), 8, x(value + Z95 * error), 8, "moves-error"),
    svg("circle", { cx: x(value), cy: 8, r: 4, class: "chart-dot" }),
  );
}
