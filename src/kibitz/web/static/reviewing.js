// The page of a finished game's review: waits for it, then hands it to the drawing.

import { el } from "./dom.js";
import { renderReview } from "./review.js";

export async function openReview(app, share, waiting) {
  app.title("Review");
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Reviewing" });
  const words = el("p", { class: "muted" }, "Looking at every decision of the game …");
  waiting.replaceChildren(words, bar);
  const answer = await app.connection.ask("review-shared", { share }, {
    onPart: ({ done, total }) => {
      bar.max = total || 1;
      bar.value = done;
      words.textContent = `Looking at every decision of the game: ${done} of ${total}`;
    },
  });
  return (main) => {
    const page = el("div", { class: "page", data: { testid: "review-page" } });
    main.replaceChildren(page);
    return renderReview(page, answer.review, { share });
  };
}
