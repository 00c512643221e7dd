"""UNO: the rules a person chooses."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from kibitz.games.base import Rules
from kibitz.games.uno.layout import COLUMN, RANKS, WILD, WILD_FOUR, UnoParams

STANDARD_RANKS = "0112233445566778899SSRR++"


class UnoRules(Rules):
    """Two-player UNO; the defaults are the 108 cards and seven cards each.

    `ranks` lists the cards of each colour, a rank once or twice for one or two copies: digits, S
    for Skip, R for Reverse, + for +2. Not built yet, and kept free: drawing with a playable card,
    playing the drawn card, drawing until playable, stacking, more than two players.
    """

    game: ClassVar[str] = "uno"
    title: ClassVar[str] = "UNO"
    plays: ClassVar[str] = "kibitz.games.uno.game:GAME"

    skip: Annotated[
        Literal["forfeit", "pass"],
        Field(
            description="Skip and Reverse: 'forfeit' lets the same player move again, 'pass' "
            "simply passes the turn"
        ),
    ] = "forfeit"
    hand_size: Annotated[int, Field(ge=1, le=53, description="cards dealt to each player")] = 7
    colours: Annotated[int, Field(ge=1, le=4, description="how many of R, Y, G, B")] = 4
    ranks: Annotated[
        str,
        Field(
            max_length=2 * len(RANKS), description="cards of each colour, a rank once for each copy"
        ),
    ] = STANDARD_RANKS
    wilds: Annotated[int, Field(ge=0, le=4, description="copies of Wild")] = 4
    wild_fours: Annotated[int, Field(ge=0, le=4, description="copies of Wild+4")] = 4
    max_plies: Annotated[
        int, Field(ge=1, le=1_000_000, description="a game this long is cut short as a draw")
    ] = 1000

    @model_validator(mode="after")
    def _playable(self) -> UnoRules:
        for rank, copies in Counter(self.ranks).items():
            if rank not in RANKS:
                raise ValueError(f"ranks: {rank!r} is no rank; use the letters of {RANKS}")
            if copies > 2:
                raise ValueError(f"ranks: {rank!r} stands {copies} times; at most two copies")
        if not self.ranks:
            raise ValueError(f"ranks: at least one of {RANKS} is needed")
        # one spelling for one deck, so that equal rules are equal objects
        object.__setattr__(self, "ranks", "".join(sorted(self.ranks, key=RANKS.index)))
        need = 2 * self.hand_size + 1
        if self.deck_size < need:
            raise ValueError(
                f"two hands of {self.hand_size} and a card to turn up need {need} cards, "
                f"but the deck has {self.deck_size}"
            )
        return self

    @property
    def seats(self) -> int:
        return 2

    @property
    def deck_size(self) -> int:
        return self.colours * len(self.ranks) + self.wilds + self.wild_fours

    def _make_params(self) -> UnoParams:
        lanes = np.uint64((1 << (16 * self.colours)) - 1)
        ones = twos = 0
        for rank, copies in Counter(self.ranks).items():
            ones |= (int(COLUMN) << RANKS.index(rank)) & int(lanes)
            if copies == 2:
                twos |= (int(COLUMN) << RANKS.index(rank)) & int(lanes)
        for lane in range(self.wilds):
            ones |= 1 << (16 * lane + WILD)
        for lane in range(self.wild_fours):
            ones |= 1 << (16 * lane + WILD_FOUR)
        return UnoParams(
            forfeit=self.skip == "forfeit",
            hand_size=self.hand_size,
            max_plies=self.max_plies,
            deck_ones=np.uint64(ones),
            deck_twos=np.uint64(twos),
            lanes=lanes,
        )
