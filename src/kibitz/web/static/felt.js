// The table itself: the other seats, and in the middle deck and pile, or the trick.

import { cardElement, cardName, isUno, signElement } from "./cards.js";
import { el, plural } from "./dom.js";
import { COLOUR_NAMES, PAINT } from "./pips.js";
import { lastTrick } from "./story.js";

const MOST_BACKS = 8;
/** Places of the others' cards in a trick, in percent, by the number of seats: so that no two cards
 *  cover each other, nor the middle, on a small screen. */
const SPOTS = {
  2: [[50, 20]],
  3: [[20, 36], [80, 36]],
  4: [[14, 50], [50, 20], [86, 50]],
  5: [[14, 62], [30, 20], [70, 20], [86, 62]],
  6: [[20, 75], [20, 25], [50, 20], [80, 25], [80, 75]],
  7: [[28, 80], [11, 47], [33, 20], [67, 20], [89, 47], [72, 80]],
  8: [[29, 80], [11, 51], [28, 20], [50, 20], [72, 20], [89, 51], [71, 80]],
};

/** The seats other than ours, from our left round the table. */
function otherSeats(frame) {
  const seats = frame.players.length;
  return Array.from({ length: seats - 1 }, (_, k) => (frame.seat + 1 + k) % seats);
}

export function renderSeats(place, frame, names) {
  place.dataset.seats = frame.players.length - 1;
  place.replaceChildren(...otherSeats(frame).map((seat) => plate(frame, seat, names)));
}

/** Name, cards, and in Blob bid and tricks of one seat. */
export function plate(frame, seat, names, { backs = true } = {}) {
  const { state, to_act: turn, game } = frame.view;
  const active = turn === seat;
  const held = state.held[seat];
  const uno = isUno(game);
  const deals = !uno && state.dealer === seat;
  const thinks = active && frame.thinking === seat;
  return el(
    "div",
    {
      class: `plate${active ? " active" : ""}`, role: "group", "aria-label": names[seat],
      data: { seat, testid: `seat-${seat}` },
    },
    el("div", { class: "plate-name" },
      el("span", { class: "name" }, names[seat]),
      deals ? el("span", { class: "chip", title: "Dealer", role: "img", "aria-label": "dealer" }, "D") : null,
      thinks ? el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")) : null),
    backs ? fan(held, seat) : null,
    el("div", { class: "plate-facts" },
      uno ? (held === 1 ? el("span", { class: "last-card" }, "last card") : null) : bidding(state, seat)),
  );
}

function fan(held, seat) {
  const shown = Math.min(held, MOST_BACKS);
  const backs = Array.from({ length: shown }, (_, k) => {
    const back = cardElement(null, { size: "fit", quiet: true });
    back.style.setProperty("--turn", `${(k - (shown - 1) / 2) * 4}deg`);
    back.style.setProperty("--sink", `${Math.abs(k - (shown - 1) / 2) ** 2 * 0.3}px`);
    return back;
  });
  return el("div", { class: "fan" }, backs,
    el("span", { class: "count", data: { testid: `held-${seat}` } }, held,
      el("span", { class: "visually-hidden" }, held === 1 ? " card" : " cards")));
}

function bidding(state, seat) {
  const bid = state.bids[seat];
  if (bid === null) return el("span", { class: "tricks" }, "no bid");
  const won = state.won[seat];
  const mark = won === bid ? "exact" : won > bid ? "over" : "";
  const words = `${won} of ${plural(bid, "trick")} bid`;
  return el("span", { class: `tricks ${mark}`, title: words },
    el("span", { "aria-hidden": "true" }, `${won} / ${bid}`), el("span", { class: "visually-hidden" }, words));
}

export function renderMiddle(place, frame, names, onDraw) {
  if (isUno(frame.game)) renderPiles(place, frame, onDraw);
  else renderTrick(place, frame, names);
}

function renderPiles(place, frame, onDraw) {
  const { state, legal } = frame.view;
  const { colour } = state;
  const may = !frame.watch && legal.includes("draw");
  const top = state.top[0] === "W" && state.colour ? `${state.top.split(":")[0]}:${colour}` : state.top;
  const deck = el(
    "button",
    {
      type: "button", class: `deck${may ? " lit" : ""}`, tabindex: -1, "aria-disabled": may ? null : "true",
      "aria-label": `Deck, ${plural(state.deck, "card")}${may ? ", draw" : ""}`,
      data: { testid: "deck" }, on: { click: onDraw },
    },
    el("span", { class: "stack" }, [0, 1, 2].map(() => cardElement(null, { size: "fit", quiet: true }))),
  );
  const sign = signElement(colour, { uno: true, paint: PAINT[colour].ink });
  const flag = el("div", { class: "flag", data: { testid: "colour", colour } }, sign, COLOUR_NAMES[colour]);
  flag.style.background = PAINT[colour].fill;
  flag.style.color = PAINT[colour].ink;
  place.className = "middle piles";
  place.replaceChildren(
    el("div", { class: "pile-place" }, deck, el("p", { class: "pile-note" }, `${state.deck} to draw from`)),
    el("div", { class: "pile-place" },
      el("div", { class: "stack top", data: { testid: "top", card: state.top } },
        state.pile > 1 ? cardElement(null, { size: "fit", quiet: true }) : null,
        cardElement(top, { game: "uno", size: "fit" })),
      el("p", { class: "pile-note" }, `${plural(state.pile, "card")} played`)),
    el("div", { class: "pile-side" }, flag,
      el("p", { class: "pending", data: { testid: "pending" } }, state.pending ? `${state.pending} to draw` : "")),
  );
}

function renderTrick(place, frame, names) {
  const { state, events } = frame.view;
  place.className = `middle trick-place ${state.phase}`;
  const before = state.phase === "bidding" ? null : lastTrick(events);
  const over = !state.trick.length;
  const cards = over ? before?.cards ?? [] : state.trick;
  const winner = over ? before?.winner : state.winning;
  const full = cards.length === frame.players.length;
  const laid = cards.map(({ seat, card }) => {
    const kind = `laid${seat === winner ? " winning" : ""}`;
    const one = el("div", { class: kind, data: { seat, card, testid: `laid-${card}` } },
      cardElement(card, { game: frame.game, size: "fit", quiet: true }),
      el("span", { class: "laid-name" }, names[seat]),
      el("span", { class: "visually-hidden" }, ` played the ${cardName(card, frame.game)}`));
    const [x, y] = spot(frame, seat);
    one.style.left = `${x}%`;
    one.style.top = `${y}%`;
    return one;
  });
  const said = state.phase === "bidding" ? bidSummary(state) : full && winner !== undefined && winner !== null
    ? `${names[winner]} ${names[winner] === "You" ? "take" : "takes"} the trick` : "";
  place.replaceChildren(
    trumpNote(frame),
    el("div", {
      class: `trick${over ? " done" : ""}`, role: "group", "aria-label": over ? "Last trick" : "Trick",
      data: { testid: "trick" },
    }, laid),
    el("p", { class: "trick-note" }, said));
}

function bidSummary(state) {
  const sum = state.bids.reduce((total, bid) => total + (bid ?? 0), 0);
  return `${plural(sum, "trick")} bid of ${state.cards}`;
}

function trumpNote(frame) {
  const { trump, turned, round, rounds, cards } = frame.view.state;
  const suit = trump === "none" ? null : trump[0].toUpperCase();
  return el("div", { class: "trump", data: { testid: "trump", trump } },
    el("span", { class: "trump-sign" }, suit ? signElement(suit) : "–"),
    el("span", { class: "trump-words" },
      el("span", {}, suit ? `Trump ${trump}` : "No trump"),
      el("span", { class: "felt-muted" },
        `${rounds > 1 ? `Round ${round}/${rounds}, ` : ""}${plural(cards, "card")}`)),
    turned ? cardElement(turned, { game: "blob", size: "sm" }) : null);
}

/** Where a seat's card lies: ours below, the others clockwise from our left. */
function spot(frame, seat) {
  const seats = frame.players.length;
  return [[50, 80], ...SPOTS[seats]][(seat - frame.seat + seats) % seats];
}
