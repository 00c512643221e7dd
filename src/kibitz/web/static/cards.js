// Cards as inline SVG of 100 by 140: their back, and what the games make their faces of.

import { svg } from "./dom.js";

/** A card as a drawing: a face, or without one the back. `size` is one of sm, md or fit (as wide as
 *  what holds it); `quiet` drawings are hidden from screen readers, for places where words already say
 *  it. */
export function cardElement(face, label, { size = "md", quiet = false } = {}) {
  const attributes = quiet ? { "aria-hidden": "true" } : { role: "img", "aria-label": label };
  return svg("svg", {
    viewBox: "0 0 100 140", class: `card card-${size}${face ? "" : " card-back"}`, focusable: "false", ...attributes,
  }, face ?? backFace());
}

export function cardBack(size = "fit") {
  return cardElement(null, "", { size, quiet: true });
}

/** One sign alone, drawn around (0, 0) in a square of about 100. */
export function signElement(path, fill) {
  return svg("svg", { viewBox: "-54 -54 108 108", class: "sign", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: path, fill, "stroke-linejoin": "round" }),
  );
}

/** A sign in its place on a card. */
export function shape(path, x, y, scale, attributes) {
  return svg("path", {
    d: path, transform: `translate(${x} ${y}) scale(${scale})`, "stroke-linejoin": "round", ...attributes,
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
  return svg("text", { x, y, "font-size": size, fill, "text-anchor": "middle", class: "card-text", ...attributes },
    words,
  );
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
    svg("svg", { x: 6, y: 6, width: 88, height: 128, viewBox: "6 6 88 128" },
      svg("g", { stroke: "#4c6a8a", "stroke-width": 1.1, fill: "none" }, ...lines),
    ),
    svg("ellipse", { cx: 50, cy: 70, rx: 27, ry: 20, fill: "#243b53", stroke: "#e3c98f", "stroke-width": 1.6 }),
    svg("path", { d: "M31 70Q50 52 69 70Q50 88 31 70Z", fill: "none", stroke: "#e3c98f", "stroke-width": 2.4 }),
    svg("circle", { cx: 50, cy: 70, r: 6.2, fill: "#e3c98f" }),
  ];
}
