// The line of a game: the true chance before each move, as all cards would have told it, and what
// the seat itself could know where it chose. A slider below it is for hands without a mouse.

import { Z95, drawing, label, line, pointsText, scale, ticks } from "./charts.js";
import { button, el, svg } from "./dom.js";

const HEIGHT = 250;
const EDGE = { left: 40, right: 14, top: 26, bottom: 34 };

export const GRADES = ["best", "good", "inaccuracy", "mistake", "blunder"];

/** Each grade has a shape of its own, so that colour is not all that tells them apart. */
export function gradeMark(name, x, y, size = 4.5) {
  const kind = `mark-${name}`;
  const polygon = (corners) => svg("polygon", { class: kind, points: pointsText(corners.map(([a, b]) => [x + a * size, y + b * size])) });
  if (name === "inaccuracy") return polygon([[0, -1.25], [1.2, 0.95], [-1.2, 0.95]]);
  if (name === "mistake") return polygon([[0, -1.4], [1.3, 0], [0, 1.4], [-1.3, 0]]);
  if (name === "blunder") return polygon([[-1.1, -1.1], [1.1, -1.1], [1.1, 1.1], [-1.1, 1.1]]);
  return svg("circle", { class: kind, cx: x, cy: y, r: name === "best" ? size : size * 0.8 });
}

/** A value as people read it: a percentage, or points. */
export function valueText(game, value, error = null) {
  if (typeof value !== "number") return "–";
  const digits = game.percent ? 0 : 1;
  const band = typeof error === "number" && error > 0 ? ` ± ${error.toFixed(digits)}` : "";
  return game.percent ? `${value.toFixed(digits)} %${band}` : `${value.toFixed(digits)}${band}`;
}

/** What happened at a ply, and how it stood before it. */
function plyText(game, ply, seat) {
  const move = game.moves[ply];
  if (!move) return `End: ${game.players[seat]} ${valueText(game, game.end[seat])}`;
  const stood = valueText(game, move.truth.value[seat], move.truth.error[seat]);
  const whose = seat === game.seat ? "" : ` for ${game.players[seat]}`;
  return `Move ${ply + 1}: ${game.game.deed(game.players[move.seat], move.move)}; before it ${stood}${whose}`;
}

/** The graph for a seat: its element, a way to mark a ply, and a way to let it go. */
export function graph(game, seat, onPly) {
  const last = game.moves.length;
  const box = el("div", { class: "review-chart" });
  const slider = el("input", {
    type: "range", min: 0, max: last, step: 1, "aria-label": "Move", class: "review-slider", data: { testid: "review-slider" },
  });
  const said = el("p", { class: "review-said small", data: { testid: "review-said" } });
  const marks = { ply: 0, x: null, cursor: null };

  const mark = (ply) => {
    marks.ply = ply;
    slider.value = String(ply);
    const text = plyText(game, ply, seat);
    slider.setAttribute("aria-valuetext", text);
    said.textContent = text;
    if (!marks.cursor) return;
    marks.cursor.setAttribute("x1", marks.x(ply));
    marks.cursor.setAttribute("x2", marks.x(ply));
  };
  const redraw = () => {
    const width = Math.max(260, Math.round(box.clientWidth || 640));
    if (width === marks.width) return;
    marks.width = width;
    const made = chart(game, seat, width);
    marks.x = made.x;
    marks.cursor = made.cursor;
    box.replaceChildren(made.picture);
    mark(marks.ply);
  };
  const point = (event) => {
    if (event.type === "pointermove" && event.pointerType === "touch" && event.buttons === 0) return;
    const place = event.clientX - box.getBoundingClientRect().left;
    const ply = Math.round(((place - EDGE.left) / (marks.width - EDGE.left - EDGE.right)) * last);
    const inside = Math.max(0, Math.min(last, ply));
    if (inside !== marks.ply) onPly(inside);
  };
  box.addEventListener("pointermove", point);
  box.addEventListener("pointerdown", point);
  slider.addEventListener("input", () => onPly(Number(slider.value)));
  const watcher = new ResizeObserver(redraw);
  watcher.observe(box);

  const step = (by) => () => onPly(Math.max(0, Math.min(last, marks.ply + by)));
  const element = el("div", {},
    el("h2", {}, game.percent ? "Chance to win" : "Points to expect"),
    legend(game, seat),
    box,
    el("div", { class: "review-steps" },
      button("‹", step(-1), { "aria-label": "Back one move", testid: "review-back" }),
      slider,
      button("›", step(1), { "aria-label": "On one move", testid: "review-on" }),
    ),
    said,
  );
  return { element, mark, stop: () => watcher.disconnect() };
}

function legend(game, seat) {
  const sample = (part) => svg("svg", { viewBox: "0 0 22 14", class: "review-key", "aria-hidden": "true" }, part);
  const mine = game.moves.filter((move) => move.seat === seat && move.seen);
  const entries = [[sample(line(1, 7, 21, 7, "chart-line")), "all cards known, the same player in every seat; band: 95 %"]];
  for (const name of GRADES) {
    if (mine.some((move) => move.grade?.name === name)) entries.push([sample(gradeMark(name, 11, 7)), name]);
  }
  if (entries.length > 1) entries.splice(1, 0, ["", `what ${game.players[seat] === "You" ? "you" : game.players[seat]} could know, by grade:`]);
  return el("ul", { class: "review-legend small" }, entries.map(([key, text]) => el("li", {}, key, text)));
}

// --- the drawing ---

function range(game, points, dots) {
  if (game.percent) return [0, 100];
  const values = [...points.flatMap(({ value, error }) => [value - Z95 * error, value + Z95 * error]), ...dots.map((dot) => dot.value)];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = Math.max(1, (high - low) * 0.06);
  return [low - room, high + room];
}

function chart(game, seat, width) {
  const last = game.moves.length;
  const points = game.moves.map(({ ply, truth }) => ({ ply, value: truth.value[seat], error: truth.error[seat] }));
  points.push({ ply: last, value: game.end[seat], error: 0 });
  const dots = game.moves
    .filter((move) => move.seat === seat && move.seen)
    .map((move) => ({ ply: move.ply, value: move.seen.value, name: move.grade?.name ?? "forced" }));
  const [low, high] = range(game, points, dots);
  const x = scale(0, Math.max(1, last), EDGE.left, width - EDGE.right);
  const y = scale(low, high, HEIGHT - EDGE.bottom, EDGE.top);
  const held = (value) => y(Math.max(low, Math.min(high, value)));
  const picture = drawing(width, HEIGHT, game.percent ? "Chance to win over the game" : "Points to expect over the game", inWords(game, points));
  const rows = game.percent ? [0, 25, 50, 75, 100] : ticks(low, high, 5);
  for (const value of rows) {
    const kind = game.percent && value === 50 ? "chart-zero" : "chart-grid";
    picture.append(line(EDGE.left, y(value), width - EDGE.right, y(value), kind), label(EDGE.left - 6, y(value) + 4, String(value), "end"));
  }
  picture.append(label(2, 12, game.percent ? "percent" : "points", "start", "chart-title"));
  for (const ply of ticks(0, last, width < 420 ? 4 : 9).filter(Number.isInteger)) {
    picture.append(label(x(ply), HEIGHT - 17, String(ply), "middle"));
  }
  picture.append(label(width - EDGE.right, HEIGHT - 3, "moves", "end"));
  const above = points.map((p) => [x(p.ply), held(p.value + Z95 * p.error)]);
  const below = points.map((p) => [x(p.ply), held(p.value - Z95 * p.error)]).reverse();
  const cursor = line(EDGE.left, EDGE.top - 8, EDGE.left, HEIGHT - EDGE.bottom, "review-cursor");
  picture.append(
    svg("polygon", { points: pointsText([...above, ...below]), class: "review-band" }),
    svg("polyline", { points: pointsText(points.map((p) => [x(p.ply), y(p.value)])), class: "chart-line" }),
    cursor,
    ...dots.map((dot) => gradeMark(dot.name, x(dot.ply), held(dot.value))),
  );
  return { picture, x, cursor };
}

function inWords(game, points) {
  const values = points.map((point) => point.value);
  const say = (value) => valueText(game, value);
  const between = `between ${say(Math.min(...values))} and ${say(Math.max(...values))}`;
  return `From ${say(values[0])} at the deal, ${between}, to ${say(values.at(-1))} at the end.`;
}
