// A finished game, looked at again: how the chances went, what each choice cost, and how much of the
// result was luck. Everything comes from the review's JSON.

import { BASE, el, plural } from "./dom.js";
import { gameOf } from "./games/index.js";
import { graph } from "./review_graph.js";
import { costs, dealt, gradeSummary, split } from "./review_parts.js";
import { position } from "./review_position.js";
import { copyLink } from "./sharing.js";
import { listed, namesIn, verb } from "./words.js";

/** Show a review; the way to let it go comes back. With `share`, the name under which the server knows
 *  the game, it can be passed on and its record downloaded. */
export function renderReview(element, review, { share = null } = {}) {
  const game = prepared(review);
  const state = { seat: game.seat, ply: firstPly(game, game.seat) };
  const places = {
    graph: el("div", { class: "review-graph" }),
    position: el("section", { class: "review-position panel", data: { testid: "review-position" } }),
    grades: el("section", { class: "panel", data: { testid: "review-grades" } }),
    costs: el("section", { class: "panel", data: { testid: "review-costs" } }),
    split: el("section", { class: "panel", data: { testid: "review-split" } }),
    deal: el("section", { class: "panel review-deal", data: { testid: "review-deal" } }),
  };
  let chart = null;

  const go = (ply) => {
    state.ply = Math.max(0, Math.min(game.moves.length, ply));
    chart?.mark(state.ply);
    places.position.replaceChildren(...position(game, state.ply, state.seat));
  };
  const reveal = (ply) => {
    go(ply);
    places.graph.scrollIntoView({ block: "nearest" });
  };
  const look = (seat) => {
    state.seat = seat;
    chart?.stop();
    chart = graph(game, seat, go);
    places.graph.replaceChildren(chart.element);
    places.grades.replaceChildren(...gradeSummary(game, seat));
    places.costs.replaceChildren(...costs(game, seat, reveal));
    places.split.replaceChildren(...split(game, seat));
    go(state.ply);
  };

  places.deal.replaceChildren(...dealt(game));
  element.replaceChildren(
    el("article", { class: "review", data: { testid: "review" } },
      heading(game, share, state.seat, look),
      el("div", { class: "review-main" }, el("section", { class: "panel" }, places.graph), places.position),
      el("div", { class: "review-side" }, places.grades, places.split, places.costs, places.deal),
    ),
  );
  look(state.seat);
  return () => chart.stop();
}

/** The review as the parts of the page want it. */
function prepared({ game, units, players, result, start, end, ...review }) {
  const seats = start.hands.length;
  return {
    ...review, ...result, game: gameOf(game), percent: units.includes("%"), seats, hands: start.hands, end: end.value,
    players: namesIn(players ?? Array(seats).fill(null)),
  };
}

/** Where to begin: at the seat's costliest choice, or at the first move. */
function firstPly(game, seat) {
  let worst = 0;
  let most = 0;
  for (const { ply, seat: who, grade } of game.moves) {
    // what cannot be told from the best has a loss too, but nothing was given away
    if (who === seat && grade && !["best", "forced"].includes(grade.name) && grade.loss > most) {
      most = grade.loss;
      worst = ply;
    }
  }
  return worst;
}

// --- the heading ---

function heading(game, share, seat, look) {
  return el("header", { class: "review-head" },
    el("div", {}, el("h1", { data: { testid: "review-result" } }, resultText(game)), el("p", { class: "muted" }, subtitle(game))),
    el("div", { class: "review-tools" }, seatChoice(game, seat, look), share ? tools(share) : null),
  );
}

function resultText({ returns, players, finished }) {
  if (!finished) return "Review";
  const best = Math.max(...returns);
  const winners = players.filter((_, k) => returns[k] === best);
  if (winners.length === players.length) return "A draw";
  const who = listed(winners);
  return winners.length > 1 ? `${who} share the win` : verb(who, "win");
}

function subtitle(game) {
  const parts = [plural(game.moves.length, "move")];
  if (!game.finished) parts.push("not finished");
  if (game.game.endings[game.ending]) parts.push(game.game.endings[game.ending]);
  if (!game.percent) {
    parts.push(game.players.map((name, k) => `${name} ${game.returns[k]}`).join(", "));
  }
  return parts.join(" · ");
}

/** Whose game to look at. */
function seatChoice(game, seat, look) {
  const choose = el("select", { id: "review-seat", data: { testid: "review-seat" } });
  game.players.forEach((name, k) => choose.append(el("option", { value: k }, name)));
  choose.value = String(seat);
  choose.addEventListener("change", () => look(Number(choose.value)));
  return el("label", { class: "review-choose" }, "Seen for ", choose);
}

function tools(share) {
  const name = encodeURIComponent(share);
  const given = { class: "button", href: `${BASE}record/${name}.jsonl`, download: true, data: { testid: "review-download" } };
  return [
    ...copyLink("Copy link", `${location.origin}${BASE}review/${name}`, "review-share"),
    el("a", given, "Download record"),
  ];
}
