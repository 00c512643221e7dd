// What the page asks of a game. A game overrides what it says or draws better; one that the page has
// never heard of is played with this alone: cards as text, moves as buttons.

import { cardElement, paper, text } from "../cards.js";
import { el } from "../dom.js";
import { verb } from "../words.js";

const plainText = (value) => (Object(value) === value ? Object.values(value).map(plainText).join(" ") : String(value ?? ""));

export class Game {
  // --- words ---

  /** A line that is a move: seat, verb, and what is moved; here as a game writes it that says nothing
   *  else. */
  move = /^(?<verb>\w+) seat=(?<seat>\d+) action=(?<rest>\S+)/;
  /** Why a game may have ended, in words. */
  endings = {};
  /** What a loss is counted in, and the chance there is after the deal. */
  stake = "percentage points of what is at stake";
  chance = "deal";
  /** How a result is counted: in points, or just won and lost. */
  points = true;
  pointsHead = "Points";
  /** For the help: keys with what they do, and [title, rules in short]. */
  keys = [];
  help = null;

  cardName(card) {
    return card;
  }

  /** A move in words: "red 5", "bid 2". */
  moveName(move) {
    return move;
  }

  /** What a player does, as a sentence without its stop: "Ann plays red 5", "You draw". */
  deed(name, move) {
    return `${name}: ${this.moveName(move)}`;
  }

  /** The seat, verb and rest of a line that is a move, or null. */
  moveOf(line) {
    const found = this.move.exec(line)?.groups;
    return found ? { ...found, seat: Number(found.seat) } : null;
  }

  /** One line of the game in words, or null if it is not worth any. */
  sentence(line, names) {
    const move = this.moveOf(line);
    if (move) return `${verb(names[move.seat], move.verb)} ${move.rest}`;
    return line.replace(/seat=(\d+)/, (_, seat) => names[seat]).replaceAll("=", " ");
  }

  /** What is wanted of the person whose turn it is. */
  wanted() {
    return "Your turn";
  }

  /** Why a card cannot be played. */
  refusal(card) {
    return `The ${this.cardName(card)} cannot be played now`;
  }

  // --- cards ---

  /** Cards in the order of a sorted hand. */
  sort(cards) {
    return [...cards];
  }

  /** What is printed on a card. */
  face(card) {
    return [paper("#fdfbf5", "#cfc7b5"), text(card, 50, 82, Math.min(40, 120 / card.length), "#1f2734")];
  }

  card(card, options) {
    return cardElement(this.face(card), this.cardName(card), options);
  }

  /** The card that a move plays, or null; and a sign beside it for what else the move says. */
  cardOf() {
    return null;
  }

  mark() {
    return null;
  }

  // --- the lobby ---

  /** A line about the game, and a fan of cards. */
  tile = { line: "", cards: [] };
  /** The rules that people change most; titles and help for a form, and words for choices. */
  mainRules = [];
  ruleWords = {};
  choiceWords = {};

  /** Keep the rules of a form to what can be; `input(name)` is the field of a rule. */
  fitRules() {}

  // --- the table ---

  /** A move with a button that is always in sight: {move, words, key}. */
  fixedMove = null;
  /** What lies face up after the deal: names in the state, and what people call them. */
  faceUp = {};

  /** What asks for one of several moves with the same card. */
  question(moves) {
    return { title: "Which move?", choices: moves.map((move) => ({ move, content: this.moveName(move) })) };
  }

  /** What stands on the plate of a seat beside its cards. */
  plateFacts() {
    return null;
  }

  /** The middle of the table; `play(move)` plays. */
  renderMiddle(place, { view }) {
    const facts = Object.entries(view.state).filter(([name, value]) => name !== "hand" && plainText(value));
    place.className = "middle plain";
    place.replaceChildren(el("dl", {}, facts.flatMap(([name, value]) =>
      [el("dt", {}, name.replaceAll("_", " ")), el("dd", {}, plainText(value))])));
  }

  /** A frame to show for a while between two, so that people see what came of a move. */
  between() {
    return null;
  }

  /** A score sheet, where there is one. */
  scores() {
    return null;
  }

  // --- the hidden cards ---

  /** Tables of chances: {kind, caption, head, rows: [{kind, items}]}. An item is a heading {text, name,
   *  sign}, or a cell {card, holder, what}. `columns` are the holders: {holder, text, name}. */
  beliefTables({ cards, columns }) {
    return [chanceTable("plain", "Chances in percent", { text: "" }, cards, columns, (card) => this.cardName(card))];
  }

  // --- other things that a game may offer ---

  /** How a game with real cards is told; see the games that have it. */
  real = null;

  /** The game dealt again from its chance: `dealt` has the hands, and what lies face up;
   *  `wrong(actions, moves, seat, events)` says what is wrong with all that came after the deal, as the
   *  record's actions and the moves and lines that the seat saw tell it. */
  replay = null;
}

/** A table of chances with a card a row and a holder a column; many fit side by side. */
export function chanceTable(kind, caption, corner, cards, columns, title) {
  return {
    kind,
    caption,
    narrow: true,
    head: [corner, ...columns.map(({ text, name }) => ({ text, name }))],
    rows: cards.map((card) => ({
      kind: "",
      items: [{ text: title(card) }, ...columns.map(({ holder, name }) => ({ card, holder, what: `${card}, ${name}` }))],
    })),
  };
}

/** The cards of a hand that is a list, or text. */
export function cardsIn(hand) {
  return typeof hand === "string" ? hand.split(/\s+/).filter(Boolean) : [...(hand ?? [])];
}

/** Cards in a text that is the same whatever their order. */
export const sorted = (hand) => cardsIn(hand).sort().join(" ");

export const otherMove = (ply, action) => `Move ${ply + 1} was not ${action.split(" ")[0]} when you saw it.`;

/** Cards with their copies, those that are gone left out. */
export function without(cards, gone) {
  const left = new Map(cards);
  for (const card of gone) {
    if ((left.get(card) ?? 0) > 1) left.set(card, left.get(card) - 1);
    else left.delete(card);
  }
  return left;
}

/** Take a card out of a hand; whether it was there. */
export function takeFrom(hand, card) {
  const at = hand.indexOf(card);
  if (at >= 0) hand.splice(at, 1);
  return at >= 0;
}
