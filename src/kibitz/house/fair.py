"""A deal that nobody can choose: not the house, which commits to its secret before it knows the
person's part, and not the person, whose part comes before the secret is known.

    commitment = SHA-256(secret)            shown before the deal
    seed       = SHA-256(secret ":" nonce)  its first 128 bits; the nonce is the person's part

The secret has 128 bits of the operating system's, written as 32 hexadecimal digits. When the game
is over it is revealed, and everyone can check both lines, and the deal.
"""

from __future__ import annotations

import hashlib
import re

from kibitz.games.base import KibitzError
from kibitz.table import Record, Table

_NONCE = re.compile(r"[0-9a-f]{32,64}")
DIGITS = 32
"""Hexadecimal digits of a secret."""


def commitment(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def seed(secret: str, nonce: str) -> int:
    """The seed of the deal that a secret and a nonce make together."""
    if not _NONCE.fullmatch(nonce):
        raise KibitzError(f"a nonce is 32 to 64 hexadecimal digits, not {nonce[:70]!r}")
    return int(hashlib.sha256(f"{secret}:{nonce}".encode()).hexdigest()[:32], 16)


def check(secret: str, promised: str, nonce: str, record: Record) -> bool:
    """Whether the game was dealt as promised: the secret is the one that was committed to, and all
    cards of the record, those drawn later included, are those that it makes with the nonce."""
    if commitment(secret) != promised or record.set_up or record.seed != seed(secret, nonce):
        return False
    if record.index:  # each index is another deal of the seed, and one of many could be chosen
        return False
    try:
        Table.replay(record)  # follows the seed, card by card
    except KibitzError:
        return False
    return True
