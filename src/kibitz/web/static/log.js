// The log of moves in words with their grades.

import { el } from "./dom.js";

/** A grade in words: its name, and what was given away. */
export function gradeWords(grade) {
  if (grade.name === "forced" || grade.name === "best") return grade.name;
  return `${grade.name} −${grade.loss.toFixed(grade.loss < 1 ? 1 : 0)} % points`;
}

/** A grade and, where there was a better move, that move. */
export function gradeParts(grade, game) {
  const better = bestWords(grade, game);
  return [
    el("span", { class: `grade-name grade-${grade.name}`, title: game.stake, data: { grade: grade.name } }, gradeWords(grade)),
    better ? el("span", { class: "muted" }, ` ${better}`) : null,
  ];
}

export function bestWords(grade, game) {
  if (!grade.best || grade.best === grade.move || grade.name === "forced" || grade.name === "best") return "";
  return `better: ${game.moveName(grade.best)}`;
}

export function renderLog(list, game, frame, names) {
  const grades = new Map(frame.grades.map((grade) => [grade.ply, grade]));
  let ply = 0;
  const lines = [];
  for (const event of frame.view.events) {
    const move = game.moveOf(event);
    const words = game.sentence(event, names);
    const grade = move ? grades.get(ply) : null;
    if (move) ply += 1;
    if (!words) continue;
    const kind = move ? (move.seat === frame.seat ? "mine" : "") : "note";
    lines.push(el("li", { class: kind }, words, grade ? [" ", ...gradeParts(grade, game)] : null));
  }
  list.replaceChildren(...lines);
  list.scrollTop = list.scrollHeight;
}
