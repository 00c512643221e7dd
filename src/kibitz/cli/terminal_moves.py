"""What a person means by what it types: a move, by number or in notation, or a command."""

from __future__ import annotations

import re

from kibitz import api

COMMANDS = {
    "h": "hint",
    "b": "belief",
    "u": "undo",
    "l": "log",
    "s": "scores",
    "r": "rules",
    "?": "help",
    "q": "quit",
}
_LETTERS = {word: letter for letter, word in COMMANDS.items()} | {"exit": "q", "score": "s"}
_WITH_COLOUR = re.compile(r"(\d+|w|w4|w\+4)[: ]\s*(r|y|g|b|red|yellow|green|blue)", re.IGNORECASE)


def command(said: str, there: str = "".join(COMMANDS)) -> str | None:
    """The letter of a command, of those that there are here."""
    letter = _LETTERS.get(said.lower(), said.lower())
    return letter if len(letter) == 1 and letter in there else None


def numbered(view: api.View) -> list[tuple[int, str]]:
    """The cards of the hand, each with the number that plays it, or nothing if it cannot be
    played now."""
    seen, game = view.observation, api.game_of(view.rules)
    playable = {game.card_of(seen, action) for action in view.actions}
    found, number = [], 0
    for card in game.hand(seen, view.seat):
        number += card in playable
        found.append((card, str(number) if card in playable else ""))
    return found


def numbers_are_moves(view: api.View) -> bool:
    """Whether a number that is typed is a move itself, such as a bid, and no place in the hand."""
    return any(text.isdecimal() for text in view.legal)


def meant(view: api.View, said: str, commands: str = "".join(COMMANDS)) -> list[int]:
    """The legal actions that were meant: one, or several that differ in the colour declared."""
    said = said.strip()
    colour = ""
    if found := _WITH_COLOUR.fullmatch(said):
        said, colour = found[1], found[2][0].upper()
    if said.isascii() and said.isdecimal() and not numbers_are_moves(view):
        actions = _by_number(view, said)
    else:
        actions = _by_notation(view, said, commands)
    if colour:
        actions = [action for action in actions if view.text(action).endswith(f":{colour}")]
        if not actions:
            raise api.KibitzError(f"no colour is declared so; you may {_choices(view)}")
    return actions


def _by_number(view: api.View, said: str) -> list[int]:
    card_of = api.game_of(view.rules).card_of
    cards = {number: card for card, number in numbered(view) if number}
    card = cards.get(said.lstrip("0"))
    if card is None:
        raise api.KibitzError(f"no card has the number {said[:9]}: you may {_choices(view)}")
    return [a for a in view.actions if card_of(view.observation, a) == card]


def _by_notation(view: api.View, said: str, commands: str) -> list[int]:
    wild = said.upper().replace("W4", "W+4")
    if actions := [a for a in view.actions if view.text(a).partition(":")[0].upper() == wild]:
        return actions
    seen, game = view.observation, api.game_of(view.rules)
    try:
        action = game.parse_action(seen, said)
    except api.NotationError:
        if wild in ("W", "W+4"):
            raise api.KibitzError(f"you do not hold {wild}: you may {_choices(view)}") from None
        words = [*view.legal, *(COMMANDS[letter] for letter in commands)]
        near = api.nearest(said.upper(), words) or api.nearest(said.lower(), words)
        raise api.KibitzError(
            f"{said[:40]!r} is no move and no command{near}: you may {_choices(view)}; ? helps"
        ) from None
    if action in view.actions:
        return [action]
    card, text = game.card_of(seen, action), game.action_text(seen, action)
    if card is None:
        why = f"{text} is not allowed now"
    elif card not in game.hand(seen, view.seat):
        why = f"you do not hold {text.partition(':')[0]}"
    else:
        why = f"{text.partition(':')[0]} cannot be played now"
    raise api.KibitzError(f"{why}: you may {_choices(view)}")


def _choices(view: api.View) -> str:
    seen, game = view.observation, api.game_of(view.rules)
    if numbers_are_moves(view):
        return f"{game.renderer.verb(seen)} {', '.join(view.legal)}"
    texts = {game.card_of(seen, a): view.text(a).partition(":")[0] for a in view.actions}
    cards = dict.fromkeys(card for card, number in numbered(view) if number)
    plays = [f"play {', '.join(texts[card] for card in cards)}"] if cards else []
    others = [view.text(a) for a in view.actions if game.card_of(seen, a) is None]
    return " or ".join([*plays, *others])
