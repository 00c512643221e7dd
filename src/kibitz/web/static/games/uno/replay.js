// A game of UNO dealt and drawn again from its chance.

import { below } from "../../chance.js";
import { otherMove, sorted, takeFrom } from "../game.js";
import { real } from "./real.js";

// Cards are numbered colour * 16 + rank, wilds 13 and +4 14 with one bit in each lane for a copy.

const COLOURS = "RYGB";
const RANKS = "0123456789SR+";
const WILD = 13;
const FOUR = 14;

function cardText(card) {
  const rank = card % 16;
  if (rank >= WILD) return rank === WILD ? "W" : "W+4";
  return COLOURS[Math.floor(card / 16)] + (rank === 12 ? "+2" : RANKS[rank]);
}

function cardNumber(text) {
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
      return cardText(card);
    });
  }
}

function fullDeck(rules) {
  const deck = new Cards();
  for (const [card, copies] of real.deck(rules)) {
    for (let copy = 0; copy < copies; copy += 1) deck.put(cardNumber(card));
  }
  return deck;
}

function deal(rules, chance) {
  for (;;) {
    const deck = fullDeck(rules);
    const hands = [0, 1].map(() => deck.draw(rules.hand_size ?? 7, chance));
    const top = deck.pick(chance);
    if (top % 16 < WILD) {
      deck.take(top);
      return { dealt: { hands, top: cardText(top) }, deck };
    }
  }
}

export function replay(rules, chance) {
  const { dealt, deck } = deal(rules, chance);
  return { dealt, wrong: (actions, moves, seat) => wrong(dealt, deck, chance, actions, moves, seat) };
}

/** What is wrong with the draws of a game, if anything is. */
function wrong(dealt, deck, chance, actions, moves, seat) {
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
      if (!takeFrom(hands[move.seat], card)) return `Move ${ply + 1}: seat ${move.seat} did not have ${card}.`;
      pile.push(top);
      top = card;
      pending = card === "W+4" ? 4 : Number(card.endsWith("+2")) * 2;
      continue;
    }
    const number = Math.max(1, pending);
    pending = 0;
    if (deck.size < number) {
      for (const card of pile) deck.put(cardNumber(card));
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
