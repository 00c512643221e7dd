"""What the games' drawings share."""

from __future__ import annotations

from rich.text import Text


def styled(text: str, style: str) -> Text:
    """Text whose style ends with it: a Text made with a style lends it to all that is added."""
    return Text.assemble((text, style))


def does(name: str, verb: str) -> Text:
    """Who does what: Club plays, and You play."""
    if name == "You":
        verb = "are" if verb == "is" else verb.removesuffix("s")
    return styled(name, "bold") + f" {verb}"


def plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def percent(chance: float) -> str:
    """A chance in percent; 0 and 100 stand only where it is proved."""
    if chance in (0.0, 1.0):
        return f"{100 * chance:.0f}"
    if chance < 0.005:
        return "<1"
    return ">99" if chance >= 0.995 else f"{100 * chance:.0f}"


def shaded(chance: float, colour: str) -> Text:
    """A chance on a cell whose brightness follows it, from dark to `colour` (#rrggbb)."""
    # by the root, since most chances are small and should not all look black
    share = max(0.0, min(1.0, chance)) ** 0.5
    low = 0x22
    red, green, blue = (round(low + share * (int(colour[k : k + 2], 16) - low)) for k in (1, 3, 5))
    ink = "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#ffffff"
    return styled(f"{percent(chance):>3} ", f"{ink} on #{red:02x}{green:02x}{blue:02x}")
