// Passing on the address of a review.

import { button, el } from "./dom.js";
import { say } from "./say.js";

/** A button that copies a link, and a field that shows it where a browser lets no page copy. */
export function copyLink(title, link, testid) {
  const field = el("input", {
    type: "text", readonly: true, hidden: true, value: link, class: "share-link", "aria-label": "Link to the review",
  });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
      say("The link is copied");
    } catch {
      field.hidden = false;
      field.select();
    }
  };
  return [button(title, copy, { testid, "data-link": link }), field];
}
