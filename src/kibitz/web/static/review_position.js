// One position of a finished game: the true hands, the move, and what else could have been done.

import { el, svg } from "./dom.js";
import { cardsIn } from "./games/game.js";
import { movesTable } from "./moves.js";
import { gradeMark, valueText } from "./review_graph.js";
import { possessive, signed } from "./words.js";

/** The elements that tell of the position before a ply's move. */
export function position(game, ply, seat) {
  const move = game.moves[ply];
  if (!move) return ending(game);
  return [
    el("h2", {}, `Move ${ply + 1}: ${game.game.deed(game.players[move.seat], move.move)}`),
    el("p", { class: "review-verdict" }, ...verdict(game, move)),
    el("p", { class: "small muted" }, standing(game, move, seat)),
    el("h3", {}, "The true hands before it"),
    hands(game, move.hands, move),
    ...choices(game, move),
    ...after(game, move, seat),
  ];
}

function ending(game) {
  const lines = game.players.map((name, k) => el("li", {}, `${name}: ${valueText(game, game.end[k])}`));
  return [el("h2", {}, "The end"), el("ul", { class: "review-plain" }, lines)];
}

function verdict(game, move) {
  const { grade } = move;
  if (!grade) return ["Not judged."];
  if (grade.name === "forced") return [badge("forced"), " The only move there was."];
  const parts = [badge(grade.name)];
  if (grade.name === "best") return [...parts, " Nothing was found that is surely better."];
  const best = grade.best;
  parts.push(` Cost ${lossText(grade)}`);
  if (best && best !== move.move) parts.push(`; better was ${game.game.moveName(best)}`);
  return [...parts, "."];
}

/** What a choice gave away, in percentage points of what was at stake. */
export function lossText(grade) {
  const error = typeof grade.error === "number" && grade.error > 0 ? ` ± ${grade.error.toFixed(1)}` : "";
  return `${grade.loss.toFixed(1)}${error} % points`;
}

/** The name of a grade with its mark. */
export function badge(name) {
  const mark = svg("svg", { viewBox: "0 0 14 14", class: "review-mark", "aria-hidden": "true" }, gradeMark(name, 7, 7));
  return el("span", { class: `grade-name grade-${name}` }, mark, name);
}

function standing(game, move, seat) {
  const { players } = game;
  const whose = seat === move.seat ? "" : ` for ${players[seat] === "You" ? "you" : players[seat]}`;
  const parts = [`With all cards known: ${valueText(game, move.truth.value[seat], move.truth.error[seat])}${whose}.`];
  if (move.seen) {
    parts.push(`From ${possessive(players[move.seat])} seat: ${valueText(game, move.seen.value, move.seen.error)}.`);
  }
  return parts.join(" ");
}

/** All hands, a seat a row; the card that is played is lifted. */
export function hands(game, held, move = null) {
  const played = move ? String(move.move).split(/[ :]/)[0] : null;
  const rows = held.map((hand, seat) => {
    let lifted = move?.seat !== seat;
    const cards = game.game.sort(cardsIn(hand)).map((card) => {
      const isIt = !lifted && card === played;
      lifted ||= isIt;
      return el("li", { class: isIt ? "review-played" : null }, game.game.card(card, { size: "sm" }));
    });
    const empty = cards.length ? cards : [el("li", { class: "muted small" }, "no cards")];
    return [el("dt", {}, game.players[seat]), el("dd", {}, el("ul", { class: "review-cards" }, empty))];
  });
  return el("dl", { class: "review-hands" }, rows.flat());
}

/** What the move brought about, and whom its chance favoured. */
function after(game, move, seat) {
  const texts = move.events.slice(1).map((text) => game.game.sentence(text, game.players)).filter(Boolean);
  const luck = move.luck.value[seat];
  if (Math.abs(luck) >= 0.05) {
    const unit = game.percent ? "percentage points" : "points";
    texts.push(`luck of the ${game.game.chance}: ${signed(luck)} ${unit} for ${game.players[seat] === "You" ? "you" : game.players[seat]}`);
  }
  return texts.length ? [el("p", { class: "small muted" }, `Then: ${texts.join("; ")}.`)] : [];
}

function choices(game, move) {
  if (move.moves.length === 0) return [];
  const table = movesTable(move.moves, {
    game: game.game, percent: game.percent, played: move.move, head: game.percent ? "Wins" : game.game.pointsHead,
    best: move.best ?? move.moves[0].move,
  });
  return [el("h3", {}, "What could be done, by what the seat could know"), table];
}
