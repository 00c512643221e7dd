// A fair deal: the server commits to its part of the shuffle and the page shows that commitment;
// only then does the page send its own part. Neither can choose the cards alone.

import { el } from "./dom.js";
import { gameOf } from "./games/index.js";
import { keepSeatAt } from "./kept.js";

const EXPLANATION =
  "The server has drawn its secret and shows you its fingerprint (SHA-256). When you sit down, your "
  + "browser adds a number of its own, and both together shuffle the deck. After the game the secret is "
  + "shown, and your browser checks that it has this fingerprint and gives exactly these cards.";

/** Ask for a commitment and show it; gives {table, commitment}. */
export async function fixDeck(app, place) {
  const { table, commitment } = await app.connection.ask("commit");
  place.replaceChildren(
    el("details", {},
      el("summary", {}, "The deck is fixed before you sit down: ",
        el("code", { data: { testid: "commitment", commitment }, title: commitment }, `${commitment.slice(0, 12)}…`)),
      el("p", { class: "small muted" }, EXPLANATION),
      el("p", { class: "small mono whole" }, commitment)),
  );
  return { table, commitment };
}

/** Sit down with a nonce of ours. If the server no longer knows its commitment, `again` asks for a
 *  new one, and the person decides. */
export async function deal(app, request, fixed, again) {
  const nonce = randomHex(16);
  const fields = { ...request, table: fixed?.table, nonce, visitor: app.visitor };
  try {
    const frame = await app.connection.ask("deal", fields);
    const { state } = frame.view;
    const seen = ["hand", ...Object.keys(gameOf(frame.game).faceUp)].map((name) => [name, state[name]]);
    keepSeatAt(frame.table, {
      token: frame.token, commitment: fixed.commitment, nonce,
      seen: Object.fromEntries(seen), asked: askedRules(app, request),
    });
    return frame;
  } catch (error) {
    if (error.code !== "not-found" || !again) throw error;
    await again(); // not dealt in silence: a house could throw away a deal that it does not like
    throw new Error("The server no longer knew that deck. A new one is fixed: deal again.");
  }
}

/** All rules of the game that was asked for, those included that were left as they usually are; but
 *  one that is usually left empty follows from the others. */
function askedRules(app, { game, rules }) {
  const usual = app.list.games.find((one) => one.name === game).rules.map((rule) => [rule.name, rule.default]);
  return { ...Object.fromEntries(usual.filter(([, value]) => String(value ?? "") !== "")), ...rules };
}

function randomHex(bytes) {
  const drawn = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(drawn, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
