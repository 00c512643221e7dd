// The end of a game: who won, whether the deal was fair, and what can be done now.

import { BASE, button, el } from "./dom.js";
import { announce } from "./say.js";
import { copyLink } from "./sharing.js";
import { verifyDeal } from "./verify.js";

/** The panel for a finished game. `kept` is what this page kept from the deal, `heard` the lines of the
 *  game that it last had while it was on. */
export function resultPanel(game, frame, names, kept, heard) {
  const { outcome, reveal } = frame;
  const heading = el("h2", { tabindex: -1 }, outcome.text);
  const fairness = el("p", { class: "fairness small", data: { testid: "fairness" } });
  const review = `${BASE}review/${encodeURIComponent(reveal.share)}`;
  const record = `${BASE}record/${encodeURIComponent(reveal.share)}.jsonl`;
  const [copy, link] = copyLink("Copy share link", location.origin + review, "share");
  const swap = (old, now, focus) => {
    old.replaceWith(now);
    focus.focus({ preventScroll: true });
  };
  const shut = button("Result", () => swap(shut, panel, heading), { kind: "shut", testid: "result-open" });
  const panel = el("section", { class: "result", "aria-label": "Result", data: { testid: "result" } },
    button("×", () => swap(panel, shut, shut), {
      kind: "ghost close", "aria-label": "Look at the table", testid: "result-close",
    }),
    heading,
    game.points ? standings(outcome.returns, names) : null,
    el("div", { class: "result-buttons" },
      el("a", { class: "button primary", href: review, data: { testid: "review" } }, "Review the game"),
      el("a", { class: "button", href: BASE, data: { testid: "new-game" } }, "New game"),
      copy,
      el("a", { class: "button", href: record, download: "", data: { testid: "download" } }, "Download"),
      link),
    fairness,
  );
  check(game, frame, kept, heard, fairness);
  return { panel, heading };
}

function standings(returns, names) {
  const order = names.map((name, seat) => ({ name, points: returns[seat] })).sort((a, b) => b.points - a.points);
  return el("ol", { class: "standings" }, order.map(({ name, points }) =>
    el("li", {}, el("span", {}, name), el("strong", {}, String(points)))));
}

/** Whether the cards follow from the commitment that was shown before the deal. */
function check({ replay }, { reveal, game, seat, view }, kept, heard, place) {
  // without what was kept from before the deal, the server's word would be held against itself
  const seen = kept?.commitment && kept.nonce;
  if (!seen || !replay) {
    const why = seen ? "this page does not know how the game is dealt" : "this browser did not see it being made";
    place.dataset.ok = "unknown";
    place.textContent = `The deal cannot be checked here: ${why}.`;
    return;
  }
  const { commitment, nonce, asked } = kept;
  const { secret, rules, deal, actions } = reveal;
  const { events } = view;
  const { ok, text } = verifyDeal({
    commitment, secret, nonce, game, rules, deal, actions, events, seat, seen: kept.seen, asked, heard,
  });
  place.classList.add(ok ? "fair" : "unfair");
  place.dataset.ok = String(ok);
  place.textContent = `${ok ? "✓" : "✗"} ${text}`;
  announce(text);
}
