// A game dealt and drawn again from its chance: every card that the server says was dealt or drawn
// must be the one that the two numbers give, and whoever played a card must have held it.

import { below } from "./chance.js";

// --- UNO -------------------------------------------------------------------------------------------
// Cards are numbered colour * 16 + rank, wilds 13 and +4 14 with one bit in each lane for a copy.

const COLOURS = "RYGB";
const RANKS = "0123456789SR+";
const WILD = 13;
const FOUR = 14;

function unoText(card) {
  const rank = card % 16;
  if (rank >= WILD) return rank === WILD ? "W" : "W+4";
  return COLOURS[Math.floor(card / 16)] + (rank === 12 ? "+2" : RANKS[rank]);
}

function unoCard(text) {
  if (text.startsWith("W")) return text === "W" ? WILD : FOUR;
  return COLOURS.indexOf(text[0]) * 16 + RANKS.indexOf(text[1]);
}

/** Cards as the kernels keep them: those there at least once, and those there twice. */
class Cards {
  ones = new Set();
  twos = new Set();

  get size() {
    return this.ones.size + this.twos.size;
  }

  put(card) {
    if (card % 16 < WILD) (this.ones.has(card) ? this.twos : this.ones).add(card);
    else this.ones.add([0, 1, 2, 3].map((lane) => 16 * lane + (card % 16)).find((one) => !this.ones.has(one)));
  }

  take(card) {
    if (card % 16 >= WILD) {
      const copies = [...this.ones].filter((other) => other % 16 === card % 16);
      this.ones.delete(Math.max(...copies));
    } else if (!this.twos.delete(card)) {
      this.ones.delete(card);
    }
  }

  /** Which card the next number points at; first the single copies, then the second. */
  pick(chance) {
    const order = (set) => [...set].sort((a, b) => a - b);
    return [...order(this.ones), ...order(this.twos)][below(chance, this.size)];
  }

  draw(n, chance) {
    return Array.from({ length: n }, () => {
      const card = this.pick(chance);
      this.take(card);
      return unoText(card);
    });
  }
}

function unoDeck({ colours = 4, ranks = "0112233445566778899SSRR++", wilds = 4, wild_fours: fours = 4 }) {
  const deck = new Cards();
  for (let colour = 0; colour < colours; colour += 1) {
    for (const rank of ranks) deck.put(colour * 16 + RANKS.indexOf(rank));
  }
  for (let copy = 0; copy < wilds; copy += 1) deck.put(WILD);
  for (let copy = 0; copy < fours; copy += 1) deck.put(FOUR);
  return deck;
}

function unoDeal(rules, chance) {
  for (;;) {
    const deck = unoDeck(rules);
    const hands = [0, 1].map(() => deck.draw(rules.hand_size ?? 7, chance));
    const top = deck.pick(chance);
    if (top % 16 < WILD) {
      deck.take(top);
      return { dealt: { hands, top: unoText(top) }, deck };
    }
  }
}

/** What is wrong with the draws of a game, if anything is. */
function unoWrong({ dealt, deck }, chance, actions, moves, seat) {
  const hands = dealt.hands.map((hand) => [...hand]);
  let top = dealt.top;
  let pile = [];
  let pending = 0;
  for (const [ply, action] of actions.entries()) {
    const [said, ...told] = action.split(" ");
    const move = moves[ply];
    if (said !== "draw") {
      const card = said.split(":")[0];
      if (move?.verb !== "plays" || move.rest !== said) return otherMove(ply, action);
      if (!without(hands[move.seat], card)) return `Move ${ply + 1}: seat ${move.seat} did not have ${card}.`;
      pile.push(top);
      top = card;
      pending = card === "W+4" ? 4 : Number(card.endsWith("+2")) * 2;
      continue;
    }
    const number = Math.max(1, pending);
    pending = 0;
    if (deck.size < number) {
      for (const card of pile) deck.put(unoCard(card));
      pile = [];
    }
    const drawn = deck.size < number ? [] : deck.draw(number, chance);
    if (sorted(drawn) !== sorted(told)) {
      return `Move ${ply + 1}: the draw should have been ${drawn.join(" ") || "nothing"}, not ${told.join(" ") || "nothing"}.`;
    }
    if (!drawn.length) return ply + 1 === actions.length ? null : "The game should have ended when no card was left.";
    if (move?.verb !== "draws") return otherMove(ply, action);
    const seen = move.seat === seat ? sorted(move.rest) === sorted(drawn) : move.rest === String(drawn.length);
    if (!seen) return `Move ${ply + 1}: you saw ${move.rest} drawn, not ${drawn.join(" ")}.`;
    hands[move.seat].push(...drawn);
  }
  return null;
}

// --- Blob ------------------------------------------------------------------------------------------

const SUITS = ["clubs", "diamonds", "hearts", "spades"];
const blobText = (card) => "23456789TJQKA"[card % 16] + "CDHS"[Math.floor(card / 16)];

function blobDeal(rules, chance, cards, trump) {
  const { players = 4, suits = 4, ranks = 13 } = rules;
  const stock = [];
  for (let suit = 0; suit < suits; suit += 1) {
    for (let rank = 0; rank < ranks; rank += 1) stock.push(16 * suit + rank);
  }
  const draw = () => stock.splice(below(chance, stock.length), 1)[0];
  const hands = [];
  for (let seat = 0; seat < players; seat += 1) {
    const hand = [];
    for (let n = 0; n < cards; n += 1) hand.push(blobText(draw()));
    hands.push(hand);
  }
  if (trump === "turned") {
    const card = draw();
    return { hands, trump: SUITS[Math.floor(card / 16)], turned: blobText(card) };
  }
  if (trump === "random") return { hands, trump: SUITS.slice(0, suits)[below(chance, suits + 1)] ?? "none" };
  return { hands, trump };
}

/** The cards and the trump of each round. */
function blobRounds(game, rules) {
  if (game === "blob") return [[rules.cards ?? 7, rules.trump ?? "random"]];
  const trumps = rules.trumps?.length ? rules.trumps : ["spades"];
  const cards = rules.schedule?.length ? rules.schedule : [rules.start ?? 7];
  return cards.map((number, round) => [number, trumps[round % trumps.length]]);
}

/** "deal 2C | 3D trump hearts turned 4S", as the record has it after the last card of a round. */
function blobDealText({ hands, trump, turned }) {
  const cards = hands.map((hand) => sorted(hand)).join(" | ");
  return `deal ${cards} trump ${trump}${turned ? ` turned ${turned}` : ""}`;
}

function sortedDeal(text) {
  return text.replace(/^deal (.*?) trump/, (_, hands) => `deal ${hands.split("|").map(sorted).join(" | ")} trump`);
}

function blobWrong(first, rounds, rules, chance, actions, moves, events, seat) {
  let { hands } = first;
  hands = hands.map((hand) => [...hand]);
  let round = 0;
  let bids = hands.length;
  for (const [ply, action] of actions.entries()) {
    const said = action.split(" ")[0];
    const told = action.slice(said.length).trim();
    const move = moves[ply];
    if (move?.verb !== (bids > 0 ? "bids" : "plays") || move.rest !== said) return otherMove(ply, action);
    if (bids > 0) bids -= 1;
    else if (!without(hands[move.seat], said)) return `Move ${ply + 1}: seat ${move.seat} did not have ${said}.`;
    let dealt = "";
    if (hands.every((hand) => !hand.length) && round + 1 < rounds.length) {
      round += 1;
      const next = blobDeal(rules, chance, ...rounds[round]);
      dealt = blobDealText(next);
      const wrong = unlikeTold(next, events, round, seat);
      if (wrong) return wrong;
      hands = next.hands.map((hand) => [...hand]);
      bids = hands.length;
    }
    if (sortedDeal(told) !== dealt) return `Move ${ply + 1}: what follows should have been ${dealt || "nothing"}, not ${told || "nothing"}.`;
  }
  return null;
}

/** What the player was told of a later round's deal. */
function unlikeTold({ hands, trump, turned }, events, round, seat) {
  const begun = events.findIndex((line) => line.startsWith(`round ${round + 1} `));
  const named = / trump (\w+)(?: turned (\w+))?/.exec(events[begun] ?? "");
  if (!named || named[1] !== trump || named[2] !== turned) return `Round ${round + 1} should have had trump ${trump}.`;
  const own = events.slice(begun).find((line) => line.startsWith(`deal ${seat} `)) ?? "";
  if (sorted(own.split(" ").slice(2)) === sorted(hands[seat])) return null;
  return `In round ${round + 1} you should have been dealt ${hands[seat].join(" ")}.`;
}

// --- both ------------------------------------------------------------------------------------------

export const listed = (hand) => (typeof hand === "string" ? hand.split(/\s+/).filter(Boolean) : [...(hand ?? [])]);
export const sorted = (hand) => listed(hand).sort().join(" ");

/** Take a card out of a hand; whether it was there. */
function without(hand, card) {
  const at = hand.indexOf(card);
  if (at >= 0) hand.splice(at, 1);
  return at >= 0;
}

const otherMove = (ply, action) => `Move ${ply + 1} was not ${action.split(" ")[0]} when you saw it.`;

/** The moves among the lines of a game: seat, verb and what was played, bid or drawn. */
function movesOf(events) {
  const found = events.map((line) => /^(\d+) (plays|bids|draws) (.+)$/.exec(line)).filter(Boolean);
  return found.map(([, seat, verb, rest]) => ({ seat: Number(seat), verb, rest }));
}

/**
 * A game dealt from its chance: `dealt` has the hands as lists of cards, and `top`, or `trump` and
 * `turned`; `wrong(actions, events, seat)` says what is wrong with all that came after the deal, as the
 * record's actions and what the seat saw tell it.
 */
export function dealtAgain(game, rules, chance) {
  if (game === "uno") {
    const found = unoDeal(rules, chance);
    return {
      dealt: found.dealt,
      wrong: (actions, events, seat) => counted(actions, events)
        ?? unoWrong(found, chance, actions, movesOf(events), seat),
    };
  }
  if (game !== "blob" && game !== "blob-game") throw new Error(`${game} is a game whose deal this page cannot repeat`);
  const rounds = blobRounds(game, rules);
  const dealt = blobDeal(rules, chance, ...rounds[0]);
  return {
    dealt,
    wrong: (actions, events, seat) => counted(actions, events)
      ?? blobWrong(dealt, rounds, rules, chance, actions, movesOf(events), events, seat),
  };
}

/** The moves told are those that were seen, but for a last draw for which no card was left. */
function counted(actions, events) {
  const seen = movesOf(events).length;
  const last = actions.at(-1) === "draw" ? 1 : 0;
  return seen === actions.length - last ? null : `There were ${seen} moves, and ${actions.length} are told.`;
}
