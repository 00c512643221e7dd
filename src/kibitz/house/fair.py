"""A deal that nobody can choose: not the house, which commits to its secret before it knows the
person's part, and not the person, whose part comes before the secret is known.

    commitment = SHA-256(secret)            shown before the deal
    seed       = SHA-256(secret ":" nonce)  its first 128 bits; the nonce is the person's part
    cards      = the stream of that seed    of the version that the secret says

A secret has 256 bits, written as 64 hexadecimal digits, and deals by version 2 of chance, SHA-256
in counter mode. Those of before had 32 digits and deal by version 1: since the secret says so, the
house cannot choose the version afterwards. When the game is over the secret is revealed, and
everyone can check all three lines.
"""

from __future__ import annotations

import hashlib
import re

from kibitz.games.base import KibitzError
from kibitz.table import Record, Table
from kibitz.table.chance import PLAIN, SECRET

_NONCE = re.compile(r"[0-9a-f]{32,64}")
DIGITS = 64
"""Hexadecimal digits of a secret."""
_OLD_DIGITS = 32


def commitment(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def seed(secret: str, nonce: str) -> int:
    """The seed of the deal that a secret and a nonce make together."""
    if not _NONCE.fullmatch(nonce):
        raise KibitzError(f"a nonce is 32 to 64 hexadecimal digits, not {nonce[:70]!r}")
    return int(hashlib.sha256(f"{secret}:{nonce}".encode()).hexdigest()[:32], 16)


def chance(secret: str) -> int:
    """The version of chance that a secret deals by."""
    return PLAIN if len(secret) == _OLD_DIGITS else SECRET


def check_deal(secret: str, promised: str, nonce: str, record: Record) -> bool:
    """Whether the game was dealt as promised: the secret is the one that was committed to, and all
    cards of the record, those drawn later included, are those that it makes with the nonce."""
    if commitment(secret) != promised or record.set_up or record.seed != seed(secret, nonce):
        return False
    if record.chance != chance(secret):
        return False
    if record.index:  # each index is another deal of the seed, and one of many could be chosen
        return False
    try:
        Table.replay(record)  # follows the seed, card by card
    except KibitzError:
        return False
    return True
