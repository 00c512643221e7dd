// Cards that move: from a hand to the table, from the deck to a hand. Nothing waits for it, and with
// animations off nothing moves.

const TIME = 320;
const CURVE = "cubic-bezier(.2,.75,.25,1)";

export function placeOf(element) {
  const box = element?.getBoundingClientRect();
  return box && box.width ? box : null;
}

/** Let `element` come from where something else was. */
export function flyFrom(element, from) {
  const to = placeOf(element);
  if (!from || !to) return;
  const x = from.left + from.width / 2 - to.left - to.width / 2;
  const y = from.top + from.height / 2 - to.top - to.height / 2;
  const scale = Math.min(1.3, Math.max(0.5, from.width / to.width));
  element.animate(
    [{ translate: `${x}px ${y}px`, scale, opacity: 0.85 }, { translate: "0 0", scale: 1, opacity: 1 }],
    { duration: TIME, easing: CURVE },
  );
}

/** Let a copy of `drawing` fly from one place to another and vanish. */
export function flyCopy(drawing, from, to) {
  if (!from || !to) return;
  const copy = drawing.cloneNode(true);
  copy.classList.add("flying");
  Object.assign(copy.style, { left: `${from.left}px`, top: `${from.top}px`, width: `${from.width}px` });
  document.body.append(copy);
  const x = to.left + to.width / 2 - from.left - from.width / 2;
  const y = to.top + to.height / 2 - from.top - from.height / 2;
  const flight = copy.animate(
    [{ translate: "0 0" }, { translate: `${x}px ${y}px`, scale: 0.7, opacity: 0.7 }],
    { duration: TIME, easing: CURVE },
  );
  flight.finished.catch(() => {}).finally(() => copy.remove());
}
