// Cards, drawn here: UNO cards, French cards and their back, as inline SVG of 100 by 140.

import { svg } from "./dom.js";
import { frenchFace } from "./french.js";
import {
  COLOUR_NAMES, FRENCH_RANKS, PAINT, SHAPES, SUIT_INK, SUIT_NAMES, UNO_RANKS, paper, shape, text, turned,
} from "./pips.js";

const UNO_NAMES = { S: "skip", R: "reverse", "+2": "draw two" };
const FRENCH_NAMES = { T: "10", J: "jack", Q: "queen", K: "king", A: "ace" };

export function isUno(game) {
  return game === "uno";
}

/** A card or a move in words: "red 5", "wild, declares blue", "queen of hearts". */
export function cardName(card, game) {
  if (!card) return "a hidden card";
  if (!isUno(game)) {
    return `${FRENCH_NAMES[card[0]] ?? card[0]} of ${SUIT_NAMES[card[1]]}`;
  }
  const [face, declared] = card.split(":");
  if (face[0] === "W") {
    const name = face === "W" ? "wild" : "wild draw four";
    return declared ? `${name}, ${COLOUR_NAMES[declared]}` : name;
  }
  const rank = face.slice(1);
  return `${COLOUR_NAMES[face[0]]} ${UNO_NAMES[rank] ?? rank}`;
}

/** Cards in the order of a sorted hand: by colour or suit, then rank; wilds last. */
export function sortCards(cards, game) {
  const place = isUno(game) ? unoPlace : frenchPlace;
  return [...cards].sort((a, b) => place(a) - place(b));
}

function unoPlace(card) {
  if (card[0] === "W") return card === "W" ? 100 : 101;
  return 20 * "RYGB".indexOf(card[0]) + UNO_RANKS.indexOf(card.slice(1));
}

function frenchPlace(card) {
  return 20 * "SHCD".indexOf(card[1]) + 12 - FRENCH_RANKS.indexOf(card[0]);
}

/** A card as a drawing. Without a card (null) its back. `size` is one of sm, md or fit (as wide
 *  as what holds it); `quiet` drawings are hidden from screen readers, for places where words
 *  already say it. */
export function cardElement(card, { game = "uno", size = "md", quiet = false } = {}) {
  const label = cardName(card, game);
  const attributes = quiet ? { "aria-hidden": "true" } : { role: "img", "aria-label": label };
  const drawing = svg("svg", {
    viewBox: "0 0 100 140",
    class: `card card-${size}${card ? "" : " card-back"}`,
    focusable: "false",
    ...attributes,
  });
  if (!card) drawing.append(...backFace());
  else if (isUno(game)) drawing.append(...unoFace(card));
  else drawing.append(...frenchFace(card));
  return drawing;
}

/** One sign alone: a colour of UNO (R, Y, G, B) or a suit (C, D, H, S). */
export function signElement(sign, { paint = null, uno = false } = {}) {
  const fill = paint ?? (uno ? PAINT[sign].fill : SUIT_INK[sign]);
  return svg(
    "svg",
    { viewBox: "-54 -54 108 108", class: "sign", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: SHAPES[sign], fill, "stroke-linejoin": "round" }),
  );
}

function unoFace(card) {
  const [face, declared] = card.split(":");
  return face[0] === "W" ? wildFace(face, declared) : colourFace(face[0], face.slice(1));
}

function colourFace(colour, rank) {
  const { fill, deep, ink } = PAINT[colour];
  const corner = [
    index(rank, ink),
    shape(colour, 16, 41, 0.135, { fill: ink }),
  ];
  const again = corner.map((part) => part.cloneNode(true));
  return [
    paper(fill, deep),
    shape(colour, 50, colour === "R" ? 66 : 70, 0.86, {
      fill: deep, stroke: deep, "stroke-width": 8, "fill-opacity": 0.75, "stroke-opacity": 0.75,
    }),
    svg("rect", {
      x: 5, y: 5, width: 90, height: 130, rx: 6, fill: "none", stroke: ink, "stroke-opacity": 0.28,
    }),
    ...centre(rank, ink),
    ...corner,
    turned(...again),
  ];
}

function index(rank, ink) {
  if (rank === "S" || rank === "R") return glyph(rank, 16, 20, 0.19, ink);
  if (rank === "+2") return text(rank, 19, 26, 19, ink, { textLength: 23, lengthAdjust: "spacingAndGlyphs" });
  return text(rank, 15, 27, 23, ink);
}

function centre(rank, ink) {
  if (rank === "S" || rank === "R") return [glyph(rank, 50, 70, 0.5, ink)];
  if (rank === "+2") return [text("+2", 49, 86, 44, ink, { textLength: 60, lengthAdjust: "spacingAndGlyphs" })];
  const number = text(rank, 50, 92, 62, ink);
  const bar = svg("rect", { x: 37, y: 98, width: 26, height: 4, rx: 2, fill: ink });
  return rank === "6" || rank === "9" ? [number, bar] : [number];
}

/** Skip is a barred circle, Reverse two arrows that pass each other. */
function glyph(rank, x, y, scale, ink) {
  const line = { fill: "none", stroke: ink, "stroke-width": 12, "stroke-linecap": "round", "stroke-linejoin": "round" };
  const place = { transform: `translate(${x} ${y}) scale(${scale})` };
  if (rank === "S") {
    return svg("g", place, svg("circle", { r: 40, ...line }), svg("path", { d: "M-28 28L28 -28", ...line }));
  }
  return svg("g", place, svg("path", { d: "M-36 16V-6A22 22 0 0 1 -14 -28H34M18 -46L36 -28L18 -10", ...line }),
    svg("path", { d: "M36 -16V6A22 22 0 0 1 14 28H-34M-18 46L-36 28L-18 10", ...line }));
}

function wildFace(face, declared) {
  const label = face === "W" ? "W" : "+4";
  const quarters = [["R", 31, 46], ["Y", 69, 46], ["G", 31, 94], ["B", 69, 94]].flatMap(([colour, x, y]) => {
    const chosen = !declared || declared === colour;
    return [
      svg("rect", {
        x: x - 18, y: y - 23, width: 36, height: 46, rx: 8, fill: PAINT[colour].fill,
        "fill-opacity": chosen ? 1 : 0.2,
        stroke: declared === colour ? "#ffffff" : "none", "stroke-width": 3,
      }),
      shape(colour, x, y, 0.2, { fill: PAINT[colour].ink, "fill-opacity": chosen ? 1 : 0.25 }),
    ];
  });
  const corner = [text(label, label === "W" ? 16 : 18, 19, label === "W" ? 17 : 15, "#ffffff")];
  const middle = face === "W"
    ? []
    : [svg("circle", { cx: 50, cy: 70, r: 19, fill: "#20242c" }), text("+4", 49, 79, 25, "#ffffff")];
  return [
    paper("#20242c", "#3b4150"),
    ...quarters,
    ...middle,
    ...corner,
    turned(...corner.map((part) => part.cloneNode(true))),
  ];
}

/** The back: a quiet lattice with the house's mark, an open eye that looks over a shoulder. */
function backFace() {
  const lines = [];
  for (let k = -60; k <= 160; k += 14) {
    lines.push(svg("path", { d: `M${k} 8L${k + 124} 132M${k + 124} 8L${k} 132` }));
  }
  return [
    paper("#f4efe4", "#c9bfa8"),
    svg("rect", { x: 6, y: 6, width: 88, height: 128, rx: 5, fill: "#243b53" }),
    svg(
      "svg",
      { x: 6, y: 6, width: 88, height: 128, viewBox: "6 6 88 128" },
      svg("g", { stroke: "#4c6a8a", "stroke-width": 1.1, fill: "none" }, ...lines),
    ),
    svg("ellipse", { cx: 50, cy: 70, rx: 27, ry: 20, fill: "#243b53", stroke: "#e3c98f", "stroke-width": 1.6 }),
    svg("path", { d: "M31 70Q50 52 69 70Q50 88 31 70Z", fill: "none", stroke: "#e3c98f", "stroke-width": 2.4 }),
    svg("circle", { cx: 50, cy: 70, r: 6.2, fill: "#e3c98f" }),
  ];
}
