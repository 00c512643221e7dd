"""How often a win is sure in UNO, and how long it takes to find out, whether it is or not."""

from __future__ import annotations

import argparse
import time

import numpy as np

import kibitz


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--players", default="keen")
    options = parser.parse_args()
    seconds, sure = [], 0
    for seed in range(options.games):
        table = kibitz.play_out(kibitz.rules("uno"), [options.players] * 2, seed=seed)
        while table.plies:
            table.undo()
            view = table.view(table.to_act)
            if len(view.actions) < 2:
                continue
            belief = kibitz.belief(view, n=200)
            belief.entropy_is_exact  # noqa: B018 (works it out: a search needs it anyway)
            began = time.perf_counter()
            sure += bool(belief.sure_wins(view.actions))
            seconds.append(time.perf_counter() - began)
    taken = 1000 * np.array(seconds)
    print(
        f"{len(taken):,} decisions, {sure:,} with a sure win; "
        f"{taken.mean():.1f} ms on average, {taken.max():.1f} at most"
    )


if __name__ == "__main__":
    main()
