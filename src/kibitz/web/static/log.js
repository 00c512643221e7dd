// The log of moves in words with their grades, and the score sheet of a Blob game.

import { cardName, isUno } from "./cards.js";
import { el } from "./dom.js";
import { SUIT_SIGNS } from "./pips.js";
import { moveOf, roundsOf, sentence } from "./story.js";

/** What a loss is counted in. */
export function lossMeaning(game) {
  return `percentage points of ${isUno(game) ? "the chance to win" : "the bonus for an exact bid"}`;
}

/** A grade in words: its name, and what was given away. */
export function gradeWords(grade) {
  if (grade.name === "forced" || grade.name === "best") return grade.name;
  return `${grade.name} −${grade.loss.toFixed(grade.loss < 1 ? 1 : 0)} % points`;
}

function gradeElement(grade, game) {
  const given = { class: `grade-name grade-${grade.name}`, title: lossMeaning(game), data: { grade: grade.name } };
  return el("span", given, gradeWords(grade));
}

/** A grade and, where there was a better move, that move. */
export function gradeParts(grade, game) {
  const better = bestWords(grade, game);
  return [gradeElement(grade, game), better ? el("span", { class: "muted" }, ` ${better}`) : null];
}

export function bestWords(grade, game) {
  if (!grade.best || grade.best === grade.move || grade.name === "forced" || grade.name === "best") return "";
  return `better: ${moveName(grade.best, game)}`;
}

/** A move in words: a card, a bid or a draw. */
export function moveName(move, game) {
  if (move === "draw") return "draw";
  return /^\d+$/.test(move) ? `bid ${move}` : cardName(move, game);
}

export function renderLog(list, frame, names) {
  const grades = new Map(frame.grades.map((grade) => [grade.ply, grade]));
  let ply = 0;
  const lines = [];
  for (const event of frame.view.events) {
    const move = moveOf(event);
    const words = sentence(event, names, frame.game);
    const grade = move ? grades.get(ply) : null;
    if (move) ply += 1;
    if (!words) continue;
    const kind = move ? (move.seat === frame.seat ? "mine" : "") : "note";
    lines.push(el("li", { class: kind }, words, grade ? [" ", ...gradeParts(grade, frame.game)] : null));
  }
  list.replaceChildren(...lines);
  list.scrollTop = list.scrollHeight;
}

export function renderScores(place, frame, names) {
  const seats = frame.players.length;
  const rounds = roundsOf(frame.view.events, seats);
  const totals = Array(seats).fill(0);
  const rows = rounds.map((round) => {
    const sign = SUIT_SIGNS[round.trump[0].toUpperCase()];
    const cells = names.map((_, seat) => {
      const bid = round.bids[seat];
      if (bid === null) return el("td", {}, "");
      if (!round.scores) return el("td", { class: "open" }, `${round.won[seat]}/${bid}`);
      totals[seat] += round.scores[seat];
      const exact = round.won[seat] === bid;
      return el("td", { class: exact ? "made" : "missed" },
        el("span", { class: "sheet-bid" }, `${round.won[seat]}/${bid}`), ` ${totals[seat]}`);
    });
    return el("tr", {}, el("th", { scope: "row" }, `${round.cards} ${round.trump === "none" ? "–" : sign}`), cells);
  });
  const heads = names.map((name) => el("th", { scope: "col" }, name));
  place.replaceChildren(
    el("table", { class: "sheet" },
      el("caption", { class: "visually-hidden" }, "Score sheet: tricks won of tricks bid, and points so far"),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Cards"), heads)),
      el("tbody", {}, rows),
      el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, "Total"), totals.map((total) => el("td", {}, total))))),
  );
}
