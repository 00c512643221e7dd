// The faces of French cards: pips in their usual places, and for the court an emblem instead of a
// portrait, the same upside down.

import { paper, shape, text, turned } from "../../cards.js";
import { svg } from "../../dom.js";

export const SHAPES = {
  C: "M-5 14C-14 32-44 29-44 5C-44-11-29-17-17-12C-27-25-18-44 0-44C18-44 27-25 17-12C29-17 44-11 44 5C44 29 14 32 5 14C6 29 10 38 17 43L-17 43C-10 38-6 29-5 14Z",
  D: "M0-48C9-29 21-14 36 0C21 14 9 29 0 48C-9 29-21 14-36 0C-21-14-9-29 0-48Z",
  H: "M0 42C-20 24-46 8-46-16C-46-34-34-42-22-42C-10-42-2-33 0-24C2-33 10-42 22-42C34-42 46-34 46-16C46 8 20 24 0 42Z",
  S: "M0-46C-10-24-44-6-44 15C-44 34-18 38-5 21C-6 31-10 39-17 44L17 44C10 39 6 31 5 21C18 38 44 34 44 15C44-6 10-24 0-46Z",
};

export const RANKS = "23456789TJQKA";
export const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
export const SUIT_SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };

/** Inks of the suits: four, so that no two suits look alike from afar. */
export const INK = { C: "#1d6b46", D: "#b3590b", H: "#be2036", S: "#1f2734" };

const LEFT = 33;
const RIGHT = 67;
const PIPS = {
  2: [...middle(34, 106)],
  3: [...middle(34, 70, 106)],
  4: [...sides(34, 106)],
  5: [...sides(34, 106), ...middle(70)],
  6: [...sides(34, 70, 106)],
  7: [...sides(34, 70, 106), ...middle(52)],
  8: [...sides(34, 70, 106), ...middle(52, 88)],
  9: [...sides(30, 57, 83, 110), ...middle(70)],
  T: [...sides(30, 57, 83, 110), ...middle(43.5, 96.5)],
};

function middle(...heights) {
  return heights.map((y) => [50, y]);
}

function sides(...heights) {
  return heights.flatMap((y) => [[LEFT, y], [RIGHT, y]]);
}

const CROWNS = {
  K: "M-20 12L-24 -12L-12 -2L0 -20L12 -2L24 -12L20 12ZM-20 16H20V20H-20Z",
  Q: "M-18 12C-24 2-24 -6-22 -12C-14 -10-10 -4-8 2C-8 -8-4 -14 0 -18C4 -14 8 -8 8 2C10 -4 14 -10 22 -12C24 -6 24 2 18 12ZM-18 16H18V20H-18Z",
  J: "M-20 12C-20 -4-8 -10 4 -10C14 -10 20 -2 20 12ZM4 -10C10 -18 18 -20 26 -18C24 -10 16 -7 8 -8ZM-24 16H24V20H-24Z",
};

export function frenchFace(card) {
  const [rank, suit] = card;
  const ink = INK[suit];
  const parts = [paper("#fdfbf5", "#cfc7b5")];
  if (CROWNS[rank]) parts.push(...court(rank, suit, ink));
  else if (rank === "A") parts.push(...ace(suit, ink));
  else parts.push(...number(rank, suit, ink));
  parts.push(...corner(rank, suit, ink), turned(...corner(rank, suit, ink)));
  return parts;
}

function corner(rank, suit, ink) {
  const words = rank === "T" ? "10" : rank;
  const narrow = rank === "T" ? { textLength: 22, lengthAdjust: "spacingAndGlyphs" } : {};
  return [
    text(words, 14, 25, 23, ink, narrow),
    shape(SHAPES[suit], 14, 38, 0.165, { fill: ink }),
  ];
}

function number(rank, suit, ink) {
  return PIPS[rank].map(([x, y]) => {
    if (y <= 70) return shape(SHAPES[suit], x, y, 0.185, { fill: ink });
    return turned(shape(SHAPES[suit], 100 - x, 140 - y, 0.185, { fill: ink }));
  });
}

function ace(suit, ink) {
  return [
    svg("circle", { cx: 50, cy: 70, r: 31, fill: "none", stroke: ink, "stroke-opacity": 0.25, "stroke-width": 1.5 }),
    svg("circle", { cx: 50, cy: 70, r: 34.5, fill: "none", stroke: ink, "stroke-opacity": 0.14, "stroke-width": 1 }),
    shape(SHAPES[suit], 50, 70, 0.46, { fill: ink }),
  ];
}

function court(rank, suit, ink) {
  const half = () => [
    svg("path", { d: CROWNS[rank], fill: "#c99a2e", stroke: "#8a6413", "stroke-width": 1.2, "stroke-linejoin": "round", transform: "translate(50 38) scale(.78)" }),
    shape(SHAPES[suit], 50, 58, 0.2, { fill: ink }),
  ];
  return [
    svg("rect", { x: 26, y: 15, width: 48, height: 110, rx: 5, fill: ink, "fill-opacity": 0.07, stroke: ink, "stroke-opacity": 0.45, "stroke-width": 1.2 }),
    svg("path", { d: "M26 78L74 62", stroke: ink, "stroke-opacity": 0.45, "stroke-width": 1.2 }),
    ...half(),
    turned(...half()),
  ];
}
