// The seats around the table.

import { cardBack } from "./cards.js";
import { el } from "./dom.js";

const MOST_BACKS = 8;

/** The seats other than ours, from our left round the table. */
function otherSeats(frame) {
  const seats = frame.players.length;
  return Array.from({ length: seats - 1 }, (_, k) => (frame.seat + 1 + k) % seats);
}

export function renderSeats(place, game, frame, names) {
  place.dataset.seats = frame.players.length - 1;
  place.replaceChildren(...otherSeats(frame).map((seat) => plate(game, frame, seat, names)));
}

/** One seat: its name, its cards, and what else there is to say of it. */
export function plate(game, frame, seat, names, { backs = true } = {}) {
  const { state, to_act: turn } = frame.view;
  const active = turn === seat;
  const held = state.held?.[seat];
  const deals = state.dealer === seat;
  const thinks = active && frame.thinking === seat;
  return el("div", {
    class: `plate${active ? " active" : ""}`, role: "group", "aria-label": names[seat],
    data: { seat, testid: `seat-${seat}` },
  },
    el("div", { class: "plate-name" },
      el("span", { class: "name" }, names[seat]),
      deals ? el("span", { class: "chip", title: "Dealer", role: "img", "aria-label": "dealer" }, "D") : null,
      thinks ? el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")) : null),
    backs && held !== undefined ? fan(held, seat) : null,
    el("div", { class: "plate-facts" }, game.plateFacts(state, seat)),
  );
}

function fan(held, seat) {
  const shown = Math.min(held, MOST_BACKS);
  const backs = Array.from({ length: shown }, (_, k) => {
    const back = cardBack();
    back.style.setProperty("--turn", `${(k - (shown - 1) / 2) * 4}deg`);
    back.style.setProperty("--sink", `${Math.abs(k - (shown - 1) / 2) ** 2 * 0.3}px`);
    return back;
  });
  return el("div", { class: "fan" }, backs,
    el("span", { class: "count", data: { testid: `held-${seat}` } }, held,
      el("span", { class: "visually-hidden" }, held === 1 ? " card" : " cards")));
}
