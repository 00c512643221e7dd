"""Blob: the rules a person chooses, for one round (`blob`) and for a whole game (`blob-game`)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field, field_validator, model_validator

from kibitz.games.base import Rules
from kibitz.games.blob.layout import (
    MAX_ROUNDS,
    MAX_SEATS,
    MISS_PENALTY,
    MISS_TRICKS,
    MISS_ZERO,
    NO_TRUMP,
    RANDOM_TRUMP,
    SUITS,
    TURNED_TRUMP,
    BlobParams,
    packed,
)


def _whole_word(said: object) -> object:
    """A trump as it is written here; a suit may be its letter, as on the cards."""
    if not isinstance(said, str):
        return said
    word = said.lower()
    return next((suit for suit in SUITS if word == suit[0]), word)


Trump = Annotated[
    Literal["random", "turned", "none", "clubs", "diamonds", "hearts", "spades"],
    BeforeValidator(_whole_word),
]
_TRUMP_CODES = {
    "random": RANDOM_TRUMP,
    "turned": TURNED_TRUMP,
    "none": NO_TRUMP,
    **{suit: index for index, suit in enumerate(SUITS)},
}
_MISS_CODES = {"zero": MISS_ZERO, "tricks": MISS_TRICKS, "penalty": MISS_PENALTY}
MAX_BID = 26
ROTATION: tuple[Trump, ...] = ("spades", "hearts", "clubs", "diamonds", "none")


class _Common(Rules):
    """What a round and a game have in common: the people, the deck, the scoring."""

    plays: ClassVar[str] = "kibitz.games.blob.game:GAME"

    players: Annotated[int, Field(ge=2, le=MAX_SEATS, description="seats at the table")] = 4
    suits: Annotated[int, Field(ge=1, le=4, description="suits in the deck")] = 4
    ranks: Annotated[int, Field(ge=2, le=13, description="cards in each suit, from the 2 up")] = 13
    points_per_trick: Annotated[int, Field(ge=0, le=100, description="points for a trick")] = 1
    exact_bonus: Annotated[int, Field(ge=0, le=1000, description="for an exact bid")] = 10
    miss: Annotated[
        Literal["zero", "tricks", "penalty"],
        Field(
            description="a missed bid scores zero, tricks (its points) or penalty (minus each off)"
        ),
    ] = "zero"

    @property
    def seats(self) -> int:
        return self.players

    @property
    def deck_size(self) -> int:
        return self.suits * self.ranks

    def _check_round(self, cards: int, trump: str) -> None:
        turned = 1 if trump == "turned" else 0
        need = self.players * cards + turned
        if need > self.deck_size:
            extra = " and the card turned up" if turned else ""
            raise ValueError(
                f"{self.players} hands of {cards}{extra} need {need} cards, but the deck has "
                f"{self.deck_size}; at most {(self.deck_size - turned) // self.players} each"
            )
        if trump in SUITS and SUITS.index(trump) >= self.suits:
            raise ValueError(f"{trump}: the deck has only {', '.join(SUITS[: self.suits])}")

    def _params(self, first_dealer: int, schedule: list[int], trumps: list[str]) -> BlobParams:
        deck = sum(((1 << self.ranks) - 1) << (16 * suit) for suit in range(self.suits))
        return BlobParams(
            players=self.players,
            deck=np.uint64(deck),
            first_dealer=first_dealer,
            points_per_trick=self.points_per_trick,
            exact_bonus=self.exact_bonus,
            miss=_MISS_CODES[self.miss],
            rounds=len(schedule),
            schedule=packed([(c, _TRUMP_CODES[t]) for c, t in zip(schedule, trumps, strict=True)]),
        )


class BlobRules(_Common):
    """One round of Blob."""

    game: ClassVar[str] = "blob"
    title: ClassVar[str] = "Blob, one round"

    cards: Annotated[int, Field(ge=1, le=MAX_BID, description="cards dealt to each seat")] = 7
    trump: Annotated[
        Trump,
        Field(
            description="a suit, none, random (of the suits and none), or turned (a card turned "
            "up and out of play, as in OpenSpiel's oh_hell)"
        ),
    ] = "random"
    dealer: Annotated[
        int | None, Field(ge=0, description="the dealer's seat; by default the last")
    ] = None

    @model_validator(mode="after")
    def _playable(self) -> BlobRules:
        self._check_round(self.cards, self.trump)
        if self.dealer is None:
            object.__setattr__(self, "dealer", self.players - 1)
        if self.dealer >= self.players:  # type: ignore[operator]
            raise ValueError(f"dealer: seats are 0 to {self.players - 1}")
        return self

    def _make_params(self) -> BlobParams:
        assert self.dealer is not None
        return self._params(self.dealer, [self.cards], [self.trump])


class BlobGameRules(_Common):
    """A whole game: a schedule of rounds, the dealer moving left, trump rotating."""

    game: ClassVar[str] = "blob-game"
    title: ClassVar[str] = "Blob, a whole game"

    start: Annotated[int, Field(ge=1, le=MAX_BID, description="cards in the first round")] = 7
    schedule: Annotated[
        tuple[int, ...],
        Field(
            max_length=MAX_ROUNDS,
            description="cards of each round; by default from start down to 2, a one-card round "
            "for each player, and up again",
        ),
    ] = ()
    trumps: Annotated[
        tuple[Trump, ...],
        Field(
            min_length=1,
            max_length=MAX_ROUNDS,
            description="trump of each round, repeated: suits, none, random or turned; by default "
            "spades, hearts, clubs, diamonds, none, as far as the deck has them",
        ),
    ] = ROTATION
    dealer: Annotated[
        int | None, Field(ge=0, description="the first dealer's seat; by default the last")
    ] = None

    @field_validator("schedule", "trumps", mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        return (
            tuple(p for p in value.replace(",", " ").split()) if isinstance(value, str) else value
        )

    @model_validator(mode="after")
    def _playable(self) -> BlobGameRules:
        if not self.schedule:
            down = list(range(self.start, 1, -1))
            rounds = (*down, *[1] * self.players, *reversed(down))
            object.__setattr__(self, "schedule", rounds)
        object.__setattr__(self, "start", self.schedule[0])  # one spelling for one game
        if self.trumps == ROTATION:
            there = (*SUITS[: self.suits], "none")
            object.__setattr__(self, "trumps", tuple(t for t in ROTATION if t in there))
        if not all(1 <= cards <= MAX_BID for cards in self.schedule):
            raise ValueError(f"schedule: rounds have 1 to {MAX_BID} cards")
        if self.dealer is None:
            object.__setattr__(self, "dealer", self.players - 1)
        if self.dealer >= self.players:  # type: ignore[operator]
            raise ValueError(f"dealer: seats are 0 to {self.players - 1}")
        for cards, trump in zip(self.schedule, self._rotation(), strict=True):
            self._check_round(cards, trump)
        return self

    def _rotation(self) -> list[str]:
        return [self.trumps[k % len(self.trumps)] for k in range(len(self.schedule))]

    def _make_params(self) -> BlobParams:
        assert self.dealer is not None
        return self._params(self.dealer, list(self.schedule), self._rotation())
