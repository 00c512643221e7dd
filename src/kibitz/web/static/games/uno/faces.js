// The faces of UNO cards, with four shapes that tell the colours to those who do not see them.

import { paper, shape, signElement, text, turned } from "../../cards.js";
import { svg } from "../../dom.js";

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
};

export const COLOURS = { R: "red", Y: "yellow", G: "green", B: "blue" };
export const SHAPE_NAMES = { R: "triangle", Y: "star", G: "circle", B: "square" };
export const RANKS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "S", "R", "+2"];

/** Fill and ink of an UNO colour; the same in both themes, as on printed cards. */
export const PAINT = {
  R: { fill: "#c22f3c", deep: "#a02431", ink: "#ffffff" },
  Y: { fill: "#f1be3a", deep: "#d99f16", ink: "#2b2108" },
  G: { fill: "#2c7f4b", deep: "#1f6639", ink: "#ffffff" },
  B: { fill: "#2b62bd", deep: "#1f4d9b", ink: "#ffffff" },
};

/** The sign of a colour. */
export const sign = (colour, paint = PAINT[colour].fill) => signElement(SHAPES[colour], paint);

/** The card on top, a wild with the colour that is wanted. */
export const topCard = ({ top, colour }) => (top[0] === "W" && colour ? `${top.split(":")[0]}:${colour}` : top);

export function unoFace(card) {
  const [face, declared] = card.split(":");
  return face[0] === "W" ? wildFace(face, declared) : colourFace(face[0], face.slice(1));
}

function colourFace(colour, rank) {
  const { fill, deep, ink } = PAINT[colour];
  const corner = [
    index(rank, ink),
    shape(SHAPES[colour], 16, 41, 0.135, { fill: ink }),
  ];
  const again = corner.map((part) => part.cloneNode(true));
  return [
    paper(fill, deep),
    shape(SHAPES[colour], 50, colour === "R" ? 66 : 70, 0.86, {
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
      shape(SHAPES[colour], x, y, 0.2, { fill: PAINT[colour].ink, "fill-opacity": chosen ? 1 : 0.25 }),
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
