"""Before the cards are dealt: what is played, against whom, and a deal that nobody can choose."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass
from typing import Any

from rich.table import Table as Grid
from rich.text import Text

from kibitz import api
from kibitz.cli.arguments import split_rules
from kibitz.cli.console import compiling
from kibitz.cli.terminal_input import choose, listed, points, say, until, yes

USUAL = "club"
"""The level of those who only press Enter."""
WATCH, REAL = "watch", "real"
MOST_KEPT = 9
"""Unfinished games that are offered."""


@dataclass(frozen=True)
class Given:
    """What the command line said; None is asked for."""

    game: str | None = None
    rules: tuple[str, ...] = ()
    level: str | None = None
    seat: int | None = None
    coach: bool | None = None

    def check(self) -> None:
        """Refuse what cannot be, before anything is asked."""
        if self.game is None:
            return
        rules = api.rules(self.game, **split_rules(list(self.rules)))
        if self.seat is not None:
            _checked_seat(rules, str(self.seat))
        if self.level is not None:
            _checked_players(rules, self.level, rules.seats - 1)


@dataclass(frozen=True)
class Choice:
    """A game to sit down to."""

    rules: api.Rules
    players: tuple[str, ...]
    seat: int
    coach: bool
    watch: bool


def menu(house: api.House) -> str | dict[str, Any]:
    """What to do: the name of a game, `watch`, `real`, or a saved game to go on with."""
    saved, unreadable = house.saved()
    kept = [game for game in saved if not game["over"]][:MOST_KEPT]
    say()
    say(
        Text.assemble(
            ("Kibitz", "bold"),
            "  card games with hidden hands, with a coach. q leaves at any time.",
        )
    )
    if unreadable:
        say(f"{unreadable} saved games are damaged, or of another version: they cannot be opened.")
    say()
    again = {f"go on {n}" if n > 1 else "go on": game for n, game in enumerate(kept, 1)}
    options = [
        *_games(),
        (WATCH, "watch players of Kibitz play"),
        (REAL, "a real table: tell what happens, and get advice"),
        *((name, _kept_text(game)) for name, game in again.items()),
    ]
    said = choose("What shall it be?", options, options[0][0])
    return again.get(said, said)


def _kept_text(game: dict[str, Any]) -> str:
    return f"{game['title']}, {game['plies']} moves, {_ago(time.time() - game['updated'])}"


def _ago(seconds: float) -> str:
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {name}{'' if number == 1 else 's'} ago"
    return "just now"


def choice(game: str, given: Given, watch: bool = False) -> Choice:
    """All that is to be known before the deal; what was given is not asked for."""
    rules = ask_rules(game, given)
    players = _ask_players(rules, given, watch)
    seat = ask_seat(rules, given, "Behind which seat" if watch else "Your seat")
    coach = False if watch else given.coach
    if coach is None:
        coach = yes("Shall a coach grade your moves?")
    return Choice(rules, tuple(players), seat, coach, watch)


def _games() -> list[tuple[str, str]]:
    return [(name, api.rules_type(name).title) for name in api.GAMES]


def ask_game() -> str:
    options = _games()
    return choose("Which game?", options, options[0][0])


def ask_rules(game: str, given: Given) -> api.Rules:
    said = list(given.rules)
    rules = api.rules(game, **split_rules(said))
    if said or given.game is not None:
        return rules
    with compiling():
        sentences = api.render_of(rules).rules_text(rules)
    say()
    points(sentences)

    def read(answer: str) -> api.Rules:
        if answer == "?":
            grid = Grid.grid(padding=(0, 2, 0, 0))
            for name, value in rules.to_dict().items():
                shown = ",".join(map(str, value)) if isinstance(value, list) else value
                meaning = type(rules).model_fields[name].description or ""
                grid.add_row(f"  {name}", Text(str(shown), "bold"), meaning)
            say(grid)
            example = next(iter(rules.to_dict().items()))
            raise api.KibitzError(f"write name=value, such as {example[0]}={example[1]}")
        return api.rules(game, **split_rules([answer]))

    return until("Rules: Enter for these, changes such as name=value, or ? [Enter]: ", read)


def _ask_players(rules: api.Rules, given: Given, watch: bool) -> list[str]:
    number = rules.seats - (not watch)
    if given.level is not None:
        return _checked_players(rules, given.level, number)
    levels = {str(n): level for n, level in enumerate(api.game_of(rules).levels, 1)}
    say()
    listed([(level.name, level.help) for level in levels.values()])
    many = "" if number == 1 else f", or {number} separated by commas"
    who = "Who plays" if watch else "Your opponent" if number == 1 else "Your opponents"

    def read(answer: str) -> list[str]:
        words = [word.strip().lower() for word in (answer or USUAL).split(",")]
        named = [levels[word].name if word in levels else word for word in words]
        return _checked_players(rules, ",".join(named), number)

    return until(f"{who}: one of these{many} [{USUAL}]: ", read)


def _checked_players(rules: api.Rules, said: str, number: int) -> list[str]:
    names = [name.strip() for name in api.split_agents(said)]
    if len(names) not in (1, number):
        raise api.KibitzError(f"{number} players are needed, or one for all, not {len(names)}")
    there = [level.name for level in api.game_of(rules).levels]
    for name in names:
        if name in there:
            continue
        try:
            api.agent(name, rules.game)
        except api.KibitzError:
            if ":" in name or name in api.AGENTS:
                raise
            raise api.KibitzError(
                f"no level {name[:40]!r}{api.nearest(name, there)}; there are {', '.join(there)}"
            ) from None
    return names * number if len(names) == 1 else names


def ask_seat(rules: api.Rules, given: Given, prompt: str) -> int:
    if given.seat is not None:
        return _checked_seat(rules, str(given.seat))
    last = rules.seats - 1
    first = api.render_of(rules).begins(rules)
    return until(
        f"{prompt}, 0 to {last} ({first}) [0]: ", lambda said: _checked_seat(rules, said or "0")
    )


def _checked_seat(rules: api.Rules, said: str) -> int:
    if said.isascii() and said.isdecimal() and len(said) < 3 and int(said) < rules.seats:
        return int(said)
    raise api.KibitzError(f"a seat is a number from 0 to {rules.seats - 1}, not {said[:40]!r}")


def deal(house: api.House, chosen: Choice) -> tuple[api.Sitting, str]:
    """Commit, ask for the person's part, and deal; the table and the commitment."""
    table, promised = house.commit()
    say()
    say(
        "The deal is made of a secret of mine and a part of yours. My secret is chosen; I cannot "
        "change it any more, since this is its SHA-256:"
    )
    say(f"  {promised}", "bold")
    said = until("Your part: Enter for a random one, or type something of your own: ", str)
    nonce = hashlib.sha256(said.encode()).hexdigest()[:32] if said else secrets.token_hex(16)
    say(f"Your part is {nonce}.", "dim")
    with compiling():
        sitting = house.deal(
            table,
            nonce,
            chosen.rules,
            chosen.players,
            chosen.seat,
            coach=chosen.coach,
            watch=chosen.watch,
        )
    return sitting, promised
