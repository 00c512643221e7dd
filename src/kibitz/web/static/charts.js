// What the drawings of numbers share: a frame that speaks, round numbers for the axes, scales.

import { svg } from "./dom.js";

/** Standard errors to each side of what is right 95 times of 100. */
export const Z95 = 1.96;

/** A drawing with a title and a text for those who cannot see it; it grows with its box. */
export function drawing(width, height, title, text, attributes = {}) {
  return svg("svg", {
    viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}. ${text}`, class: "chart", ...attributes,
  }, svg("desc", {}, text));
}

/** Round numbers from `low` to `high`, about `number` of them: 1, 2 or 5 times a power of ten. */
export function ticks(low, high, number) {
  const rough = Math.max(high - low, 1e-9) / Math.max(1, number);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) found.push(k * step);
  return found.map((value) => Number(value.toPrecision(6)));
}

/** A straight scale from one pair of numbers to another. */
export function scale(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/** Words in a drawing; `at` is start, middle or end. */
export function label(x, y, text, at = "start", kind = "chart-label") {
  return svg("text", { x, y, "text-anchor": at, class: kind }, text);
}

export function line(x1, y1, x2, y2, kind) {
  return svg("line", { x1, y1, x2, y2, class: kind });
}

/** Points as the text of a path or polyline. */
export function pointsText(points) {
  return points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
}
