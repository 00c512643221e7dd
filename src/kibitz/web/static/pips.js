// The signs on the cards, drawn around (0, 0) in a square of about 100: the four suits, and the four
// shapes that tell the colours of UNO to those who do not see them. And what all faces share.

import { svg } from "./dom.js";

const STAR = Array.from({ length: 10 }, (_, k) => {
  const radius = k % 2 ? 21 : 48;
  const angle = (Math.PI * k) / 5 - Math.PI / 2;
  return `${(radius * Math.cos(angle)).toFixed(1)} ${(radius * Math.sin(angle) + 3).toFixed(1)}`;
}).join("L");

export const SHAPES = {
  R: "M0 -42L46 38L-46 38Z",
  Y: `M${STAR}Z`,
  G: "M0 -42A42 42 0 1 1 0 42A42 42 0 1 1 0 -42Z",
  B: "M-37 -37H37V37H-37Z",
  C: "M-5 14C-14 32-44 29-44 5C-44-11-29-17-17-12C-27-25-18-44 0-44C18-44 27-25 17-12C29-17 44-11 44 5C44 29 14 32 5 14C6 29 10 38 17 43L-17 43C-10 38-6 29-5 14Z",
  D: "M0-48C9-29 21-14 36 0C21 14 9 29 0 48C-9 29-21 14-36 0C-21-14-9-29 0-48Z",
  H: "M0 42C-20 24-46 8-46-16C-46-34-34-42-22-42C-10-42-2-33 0-24C2-33 10-42 22-42C34-42 46-34 46-16C46 8 20 24 0 42Z",
  S: "M0-46C-10-24-44-6-44 15C-44 34-18 38-5 21C-6 31-10 39-17 44L17 44C10 39 6 31 5 21C18 38 44 34 44 15C44-6 10-24 0-46Z",
};

export const UNO_RANKS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "S", "R", "+2"];
export const FRENCH_RANKS = "23456789TJQKA";
export const COLOUR_NAMES = { R: "red", Y: "yellow", G: "green", B: "blue" };
export const SHAPE_NAMES = { R: "triangle", Y: "star", G: "circle", B: "square" };
export const SUIT_NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
export const SUIT_SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };

/** Fill and ink of an UNO colour; the same in both themes, as on printed cards. */
export const PAINT = {
  R: { fill: "#c22f3c", deep: "#a02431", ink: "#ffffff" },
  Y: { fill: "#f1be3a", deep: "#d99f16", ink: "#2b2108" },
  G: { fill: "#2c7f4b", deep: "#1f6639", ink: "#ffffff" },
  B: { fill: "#2b62bd", deep: "#1f4d9b", ink: "#ffffff" },
};

/** Inks of the suits: four, so that no two suits look alike from afar. */
export const SUIT_INK = { C: "#1d6b46", D: "#b3590b", H: "#be2036", S: "#1f2734" };

/** A sign in its place on a card. */
export function shape(sign, x, y, scale, attributes) {
  return svg("path", {
    d: SHAPES[sign],
    transform: `translate(${x} ${y}) scale(${scale})`,
    "stroke-linejoin": "round",
    ...attributes,
  });
}

/** The same again for whoever sits opposite. */
export function turned(...parts) {
  return svg("g", { transform: "rotate(180 50 70)" }, ...parts);
}

/** The card itself, before anything is printed. */
export function paper(fill, edge) {
  return svg("rect", {
    x: 0.75, y: 0.75, width: 98.5, height: 138.5, rx: 9, fill, stroke: edge, "stroke-width": 1.5,
  });
}

export function text(words, x, y, size, fill, attributes = {}) {
  return svg(
    "text",
    { x, y, "font-size": size, fill, "text-anchor": "middle", class: "card-text", ...attributes },
    words,
  );
}
