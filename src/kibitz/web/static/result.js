// The end of a game: who won, whether the deal was fair, and what can be done now.

import { button, el } from "./dom.js";
import { announce, toast } from "./say.js";
import { verifyDeal } from "./verify.js";

/** The panel for a finished game. `kept` is what this page kept from the deal. */
export function resultPanel(app, frame, names, kept) {
  const { outcome, reveal } = frame;
  const heading = el("h2", { tabindex: -1 }, outcome.text);
  const fairness = el("p", { class: "fairness small", data: { testid: "fairness" } }, "Checking the deal …");
  const review = `/review/${encodeURIComponent(reveal.share)}`;
  const record = `/record/${encodeURIComponent(reveal.share)}.jsonl`;
  const share = new URL(review, location.origin).href;
  const shut = button("Result", () => shut.replaceWith(panel), { kind: "shut", testid: "result-open" });
  const panel = el(
    "section",
    { class: "result", "aria-label": "Result", data: { testid: "result" } },
    button("×", () => panel.replaceWith(shut), {
      kind: "ghost close", "aria-label": "Look at the table", testid: "result-close",
    }),
    heading,
    frame.game === "uno" ? null : standings(outcome.returns, names),
    el("div", { class: "result-buttons" },
      el("a", { class: "button primary", href: review, data: { testid: "review" } }, "Review the game"),
      el("a", { class: "button", href: "/", data: { testid: "new-game" } }, "New game"),
      button("Copy share link", () => copy(share), { testid: "share", "data-link": share }),
      el("a", { class: "button", href: record, download: "", data: { testid: "download" } }, "Download")),
    fairness,
  );
  check(frame, kept, fairness);
  return { panel, heading };
}

function standings(returns, names) {
  const order = names.map((name, seat) => ({ name, points: returns[seat] })).sort((a, b) => b.points - a.points);
  return el("ol", { class: "standings" }, order.map(({ name, points }) =>
    el("li", {}, el("span", {}, name), el("strong", {}, String(points)))));
}

async function copy(link) {
  try {
    await navigator.clipboard.writeText(link);
    toast("The link is copied");
  } catch {
    toast(link);
  }
}

/** Whether the cards follow from the commitment that was shown before the deal. */
async function check(frame, kept, place) {
  const { reveal, game } = frame;
  // without what was kept from before the deal, the server's word would be held against itself
  if (!kept?.commitment || !kept?.nonce) {
    place.dataset.ok = "unknown";
    place.textContent = "The deal cannot be checked here: this browser did not see it being made.";
    return;
  }
  const { commitment, nonce, seen, asked } = kept;
  try {
    const { ok, text } = await verifyDeal({
      commitment, secret: reveal.secret, nonce, game, rules: reveal.rules, deal: reveal.deal,
      seat: frame.seat, seen, asked,
    });
    place.classList.add(ok ? "fair" : "unfair");
    place.dataset.ok = String(ok);
    place.textContent = `${ok ? "✓" : "✗"} ${text}`;
    announce(text);
  } catch (error) {
    place.textContent = `The deal could not be checked: ${error.message}`;
  }
}
