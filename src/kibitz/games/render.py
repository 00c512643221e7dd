"""What the games' drawings share."""

from __future__ import annotations

from rich.text import Text


def styled(text: str, style: str) -> Text:
    """Text whose style ends with it: a Text made with a style lends it to all that is added."""
    return Text.assemble((text, style))
