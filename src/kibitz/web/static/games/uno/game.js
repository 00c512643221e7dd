// UNO on the page.

import { cardBack } from "../../cards.js";
import { el, plural } from "../../dom.js";
import { listed, verb } from "../../words.js";
import { Game } from "../game.js";
import { COLOURS, PAINT, RANKS, SHAPES, SHAPE_NAMES, sign, topCard, unoFace } from "./faces.js";
import { real } from "./real.js";
import { replay } from "./replay.js";

const RANK_NAMES = { S: "skip", R: "reverse", "+2": "draw two" };
const RANK_SIGNS = { S: "⊘", R: "⇄" };

const capital = (word) => word[0].toUpperCase() + word.slice(1);

export class Uno extends Game {
  move = /^(?<seat>\d+) (?<verb>plays|draws) (?<rest>.+)$/;
  endings = { exhausted: "no cards are left to draw", truncated: "cut short at the limit of moves" };
  stake = "percentage points of the chance to win";
  chance = "draw";
  points = false;
  keys = [["D", "draw"], ["R Y G B", "declare a colour for a wild"]];
  help = ["UNO", "Get rid of your cards first. A card fits if colour or sign is that of the top card; wilds always "
    + "fit, and you name the colour. You must play if you can; otherwise you draw one card and your turn ends. "
    + "+2 and wild +4 make the other draw and miss a turn. Skip and Reverse let you move again, or only pass "
    + "the turn, as the lobby says."];
  tile = { line: "Two players, 108 cards", cards: ["R5", "W+4", "B+2"] };
  mainRules = ["skip", "hand_size"];
  ruleWords = { skip: ["Skip and Reverse", "after a Skip or Reverse"], hand_size: ["Cards each"] };
  choiceWords = { forfeit: "You move again", pass: "The turn passes" };
  fixedMove = { move: "draw", words: "Draw", key: "D" };
  faceUp = { top: "top card" };
  real = real;
  replay = replay;

  // --- words ---

  cardName(card) {
    const [face, declared] = card.split(":");
    if (face[0] === "W") {
      const name = face === "W" ? "wild" : "wild draw four";
      return declared ? `${name}, ${COLOURS[declared]}` : name;
    }
    const rank = face.slice(1);
    return `${COLOURS[face[0]]} ${RANK_NAMES[rank] ?? rank}`;
  }

  moveName(move) {
    return move === "draw" ? "draw" : this.cardName(move);
  }

  deed(name, move) {
    const [first, ...more] = String(move).split(" ");
    if (first !== "draw") return `${verb(name, "play")} ${this.cardName(first)}`;
    const what = more.map((card) => (/^\d+$/.test(card) ? plural(Number(card), "card") : this.cardName(card)));
    return [verb(name, "draw"), listed(what)].join(" ").trim();
  }

  sentence(line, names) {
    const move = this.moveOf(line);
    if (move) return this.deed(names[move.seat], move.verb === "draws" ? `draw ${move.rest}` : move.rest);
    const [first, second, third, ending] = line.split(" ");
    if (second === "is") return `${names[first]} ${names[first] === "You" ? "are" : "is"} skipped`;
    if (first === "reshuffle") return "The pile is shuffled into the deck";
    if (first === "top") return `Turned up: ${this.cardName(second)}`;
    if (first !== "over") return null;
    const why = ending === "emptied" ? "the hand is empty" : this.endings[ending] ?? ending;
    if (Number(second) === Number(third)) return `A draw: ${why}`;
    return `${verb(names[Number(second) > Number(third) ? 0 : 1], "win")}: ${why}`;
  }

  wanted({ state, legal }) {
    if (state.pending) return `Your turn: draw ${plural(state.pending, "card")}`;
    return legal.length === 1 && legal[0] === "draw" ? "No card fits: draw one" : "Your turn: play a card";
  }

  refusal(card, { state, legal }) {
    if (state.pending) return `You have to draw ${plural(state.pending, "card")}`;
    return `The ${this.cardName(card)} does not fit ${legal.length > 1 ? "here" : "here: draw"}`;
  }

  // --- cards ---

  sort(cards) {
    const place = (card) => {
      const [face, declared] = card.split(":");
      if (face[0] === "W") return (face === "W" ? 100 : 110) + "RYGB".indexOf(declared);
      return 20 * "RYGB".indexOf(card[0]) + RANKS.indexOf(card.slice(1));
    };
    return [...cards].sort((a, b) => place(a) - place(b));
  }

  face(card) {
    return unoFace(card);
  }

  cardOf(move) {
    return move === "draw" ? null : move.split(":")[0];
  }

  mark(move) {
    const [, declared] = move.split(":");
    return declared ? sign(declared) : null;
  }

  // --- the table ---

  question(moves) {
    const choices = moves.map((move) => {
      const [, colour] = move.split(":");
      const { ink, fill } = PAINT[colour];
      const words = el("span", {}, COLOURS[colour], el("span", { class: "visually-hidden" }, `, ${SHAPE_NAMES[colour]}`));
      return { move, key: colour, content: [sign(colour, ink), words], style: { background: fill, color: ink } };
    });
    choices.sort((a, b) => "RYGB".indexOf(a.key) - "RYGB".indexOf(b.key));
    return { title: "Which colour?", choices };
  }

  plateFacts({ held }, seat) {
    return held[seat] === 1 ? el("span", { class: "last-card" }, "last card") : null;
  }

  renderMiddle(place, frame, names, play) {
    const { state, legal } = frame.view;
    const { colour } = state;
    const may = !frame.watch && legal.includes("draw");
    const deck = el("button", {
      type: "button", class: `deck${may ? " lit" : ""}`, tabindex: -1, "aria-disabled": may ? null : "true",
      "aria-label": `Deck, ${plural(state.deck, "card")}${may ? ", draw" : ""}`,
      data: { testid: "deck" }, on: { click: () => play("draw") },
    }, el("span", { class: "stack" }, [0, 1, 2].map(() => cardBack())));
    const { ink, fill } = PAINT[colour];
    const flag = el("div", { class: "flag", data: { testid: "colour", colour } }, sign(colour, ink), COLOURS[colour]);
    Object.assign(flag.style, { background: fill, color: ink });
    place.className = "middle piles";
    place.replaceChildren(
      el("div", { class: "pile-place" }, deck, el("p", { class: "pile-note" }, `${state.deck} to draw from`)),
      el("div", { class: "pile-place" },
        el("div", { class: "stack top", data: { testid: "top", card: state.top } },
          state.pile > 1 ? cardBack() : null, this.card(topCard(state), { size: "fit" })),
        el("p", { class: "pile-note" }, `${plural(state.pile, "card")} played`)),
      el("div", { class: "pile-side" }, flag,
        el("p", { class: "pending", data: { testid: "pending" } }, state.pending ? `${state.pending} to draw` : "")),
    );
  }

  // --- the hidden cards: a colour a row, a rank a column ---

  beliefTables({ rules, columns: [{ holder }] }) {
    const letters = [...(rules?.ranks ?? "")];
    const ranks = letters.length ? RANKS.filter((rank) => letters.includes(rank[0])) : RANKS;
    const cell = (card, what) => ({ card, holder, what });
    const rows = Object.entries(COLOURS).slice(0, rules?.colours ?? 4).map(([letter, word]) => {
      const name = capital(word);
      const cells = ranks.map((rank) => cell(letter + rank, `${name} ${capital(RANK_NAMES[rank] ?? rank)}`));
      const heading = { text: name, sign: SHAPES[letter], fill: PAINT[letter].fill };
      return { kind: word, items: [heading, ...cells, cell(letter, `any ${name}`)] };
    });
    const heads = ranks.map((rank) => ({
      text: RANK_SIGNS[rank] ?? rank, name: rank in RANK_NAMES ? capital(RANK_NAMES[rank]) : null,
    }));
    const corner = { text: "Colour", hidden: true };
    const wilds = [{ text: "Wild" }, cell("W", "W"), { text: "Wild +4" }, cell("W+4", "W+4")];
    return [
      {
        kind: "grid", caption: "Chance in percent that the other player holds each card", rows,
        head: [corner, ...heads, { text: "any", title: "a card of this colour at all" }],
      },
      {
        kind: "wilds", caption: "Chance in percent that the other player holds a wild", quiet: true,
        head: null, rows: [{ kind: "wild", items: wilds }],
      },
    ];
  }
}
