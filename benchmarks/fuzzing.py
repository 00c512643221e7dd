"""What `fuzz` sends: wrong bytes, wrong types for every field of every request, right requests at
the wrong time, and odd requests over HTTP."""

from __future__ import annotations

import json
import random
from typing import Any

from running import Message

Schema = dict[str, Any]
TEXTS = (
    "", " ", "0", "-1", "null", "uno", "blob", "blob-game", "club", "casual", "cheat", "you", "g1",
    "R5", "W:R", "draw", "QH", "2", "draw G3", "QH deal AS KD 3C trump hearts", "deal 0 R5 R6",
    "deal 1 7", "top G5", "1 plays W:R", "0 draws 1", "round 1 cards 5 dealer 3 trump spades",
    "pile R5", "reshuffle", "start 0 colour R pending 2", "over +1 -1 emptied", "9999 plays R5",
    "a" * 64, "a" * 65, "x" * 400, "ü" * 200, "\u0000", "\u202e", "\U0001f0a1", "٣", "²", "1e9",
    "../../etc/passwd", "<script>alert(1)</script>", "'; DROP TABLE games; --", "%s%n", "{}", "[]",
    "flat:sims=1000000000", "pomcp:sims=60,keep=0", "rule:slips=nan", "__class__", "self", "name",
)  # fmt: skip
NUMBERS = (
    0, 1, -1, 2, 7, 50, 64, 255, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**30, 10**400, 0.5, -0.0,
    1e-300, 1e300, float("inf"), float("-inf"), float("nan"),
)  # fmt: skip
RULES = {
    "uno": ("skip", "hand_size", "colours", "ranks", "wilds", "wild_fours", "max_plies"),
    "blob": ("players", "suits", "ranks", "points_per_trick", "exact_bonus", "miss", "cards",
             "trump", "dealer"),
    "blob-game": ("players", "start", "schedule", "trumps", "dealer", "self", "game", "name"),
}  # fmt: skip
TOLD = ("hand", "top", "trump", "turned", "held", "drew", "pending", "colour", "bids", "nonsense")
SHOWN = 500
"""Requests that are remembered, to say which of them failed."""


class Maker:
    """Makes messages for one client, from the schema and from what it has been answered."""

    def __init__(self, schema: Schema, dice: random.Random, without: list[str]) -> None:
        self.dice = dice
        self._without = without
        self._types = schema["$defs"]
        requests = schema["anyOf"][0]["discriminator"]["mapping"]
        self._requests = {v: self._at(where) for v, where in requests.items() if v not in without}
        self._count = 0
        self._asked: dict[str, Message] = {}
        self.named: dict[str | None, Message] = {}
        """The last requests, by id."""
        self.others: list[Maker] = [self]
        self.tables: list[tuple[str, str]] = []
        self.frames: dict[str, Message] = {}
        self.promised: list[str] = []
        self.games: list[str] = []
        self.visitors: list[str] = []
        self.shares: list[str] = []
        self.events: list[str] = []

    def _at(self, where: str) -> Schema:
        found: Schema = self._types[where.rpartition("/")[2]]
        return found

    def connected(self) -> None:
        """A new connection: told games are gone, tables are not."""
        self.games = []

    def learn(self, answer: Message) -> None:
        """Keep what can be used in later messages."""
        match answer["is"]:
            case "table":
                table = answer["table"]
                if answer["token"]:
                    self.tables = [*self.tables[-7:], (table, answer["token"])]
                    self.frames = {t: f for t, f in self.frames.items() if t in dict(self.tables)}
                self.frames[table] = answer
                self.events = answer["view"]["events"]
                if answer["reveal"]:
                    self.shares = [*self.shares[-3:], answer["reveal"]["share"]]
            case "commitment":
                self.promised = [*self.promised[-3:], answer["table"]]
            case "game":
                self.games = [*self.games[-30:], answer["game_id"]]
            case "hello":
                self.visitors = [*self.visitors[-3:], answer["visitor"]]

    # --- messages ---

    def message(self) -> tuple[str | bytes, str | None, bool]:
        """A message, the id that its answer will have, and whether the server may close the
        connection instead."""
        kind = self.dice.choices(
            (self.sensible, self.mutated, self.broken, self.enormous), (55, 30, 15, 0.03)
        )[0]
        return kind()

    def _name(self) -> str:
        self._count += 1
        return f"{self._count}-{id(self)}"

    def _sent(self, request: Message) -> tuple[str, str | None, bool]:
        """The request as it goes out; with an id that is no id the answer has none, and a number
        comes back as text."""
        name = request.get("id")
        name = str(name) if type(name) in (int, float) else name
        named = name if isinstance(name, str) and 1 <= len(name) <= 64 else None
        bare = json.dumps(request, ensure_ascii=False)
        text = bare if self.dice.random() < 0.5 else json.dumps(request)
        if len(text) > 64 * 1024 or _surrogates(bare):
            named = None  # it is not read at all
        if named is not None:
            self.named[named] = request
            if len(self.named) > SHOWN:
                del self.named[next(iter(self.named))]
        return text, named, _surrogates(text)

    def sensible(self) -> tuple[str | bytes, str | None, bool]:
        """A request that may well be right, perhaps at the wrong time or for another's table."""
        return self._sent(self.request())

    def request(self) -> Message:
        dice = self.dice
        verbs = ("commit", "deal", "play", "undo", "sit", "step", "hint", "belief", "new", "event",
                 "analyse", "believe", "correct", "view", "close", "cancel", "hello", "settings",
                 "version", "list", "tell", "review", "review-shared")  # fmt: skip
        weights = (4, 4, 30, 4, 3, 4, 0.5, 0.5, 4, 6, 0.7, 0.5, 3, 3, 4, 2, 0.5, 2, 3, 0.3, 2, 1, 1)
        verb = dice.choices(verbs, weights)[0]
        verb = "version" if verb in self._without else verb
        said: Message = {"id": self._name(), "do": verb}
        maker = self if dice.random() < 0.9 else dice.choice(self.others)
        game = dice.choice(tuple(RULES))
        if verb in ("play", "undo", "sit", "step", "hint", "belief", "review"):
            table, token = dice.choice(maker.tables or [("none", "none")])
            if dice.random() < 0.05:
                token = dice.choice((token[:-1] + "x", token + "x", "", token.upper()))
            said |= {"table": table, "token": token}
            if verb == "play":
                view = maker.frames.get(table, {}).get("view", {})
                legal = view.get("legal") or ["draw"]
                said["move"] = dice.choice(legal) if dice.random() < 0.9 else dice.choice(TEXTS)
                if dice.random() < 0.5:
                    said["ply"] = view.get("plies", 0) + dice.choice((0, 0, 0, 1, -1))
        elif verb == "deal":
            said |= {
                "table": dice.choice(maker.promised or ["none"]),
                "nonce": f"{dice.getrandbits(256):064x}"[: dice.choice((32, 32, 32, 64, 31))],
                "game": game, "rules": self.rules(game), "seat": dice.choice((0, 0, 0, 1, 9)),
                "opponents": [dice.choice(("beginner", "casual", "club", "casual"))],
                "watch": dice.random() < 0.3,
            }  # fmt: skip
        elif verb == "new":
            said |= {"game": game, "rules": self.rules(game), "seat": dice.choice((0, 0, 1))}
            if dice.random() < 0.6:
                said["events"] = maker.events[: dice.randint(0, 40)]
            elif dice.random() < 0.3 and "told" not in self._without:
                said["told"] = {dice.choice(TOLD): dice.choice(TEXTS) for _ in range(3)}
        elif verb == "hello":
            said["visitor"] = dice.choice([None, "nobody", *maker.visitors])
        elif verb == "settings":
            said |= {"visitor": dice.choice(["nobody", *maker.visitors]),
                     "settings": {dice.choice(TEXTS): self.junk(2)}}  # fmt: skip
        elif verb == "review-shared":
            said["share"] = dice.choice(["none", *maker.shares])
        elif verb == "cancel":
            said["what"] = dice.choice([*list(self.named)[-5:], "none"])
        elif verb not in ("commit", "version", "list"):
            said["game_id"] = dice.choice(maker.games or ["g1"])
            if verb == "tell":
                said["said"] = dice.choice(TEXTS)
            elif verb == "event":
                said["events"] = [dice.choice([*maker.events, *TEXTS]) for _ in range(2)]
            elif verb == "correct":
                said["moves"] = dice.randint(1, 3)
            elif verb == "analyse":
                said |= {"sims": dice.choice((1, 10, 2000)), "every_ms": 20}
        return said

    def rules(self, game: str) -> Message:
        dice = self.dice
        if dice.random() < 0.6:
            return {}
        small = (1, 2, 3, 4, 5, 0, [2, 1], "turned", "none", "pass", "tricks", "01+", None)
        values = (*small, *small, dice.choice(NUMBERS), dice.choice(TEXTS), self.junk(1))
        return {dice.choice(RULES[game]): dice.choice(values) for _ in range(dice.randint(1, 2))}

    def mutated(self) -> tuple[str | bytes, str | None, bool]:
        """A request made from the schema, with one field or more that is wrong."""
        verb = self.dice.choice(list(self._requests))
        if verb in ("hint", "belief", "analyse", "believe") and self.dice.random() < 0.8:
            verb = "play"  # searches take their time
        shape = self._requests[verb]
        said = self.request() if self.dice.random() < 0.4 else self.filled(shape)
        for _ in range(self.dice.choice((1, 1, 1, 2, 3))):
            field = self.dice.choice([*shape["properties"], *said, "extra"])
            if field in self._without:
                continue
            match self.dice.randrange(4):
                case 0:
                    said.pop(field, None)
                case 1:
                    said[field] = self.dice.choice(NUMBERS)
                case 2:
                    said[field] = self.dice.choice(TEXTS)
                case 3:
                    said[field] = self.junk(3)
        return self._sent(said)

    def filled(self, shape: Schema) -> Message:
        fields = shape["properties"]
        needed = set(shape.get("required", ()))
        found = {
            field: self.value(fields[field])
            for field in fields
            if field in needed or (field not in self._without and self.dice.random() < 0.5)
        }
        return {**found, "id": self._name()}

    def value(self, shape: Schema) -> Any:
        """Something that the schema allows."""
        dice = self.dice
        if "const" in shape:
            return shape["const"]
        if "anyOf" in shape:
            return self.value(dice.choice(shape["anyOf"]))
        match shape.get("type"):
            case "string":
                return dice.choice(TEXTS)[: shape.get("maxLength", 400)] or "x"
            case "integer":
                return dice.choice((0, 1, 2, 3))
            case "number":
                return dice.choice((20, 50, 100))
            case "boolean":
                return dice.random() < 0.5
            case "array":
                return [self.value(shape["items"]) for _ in range(dice.randint(1, 3))]
            case "object":
                return {dice.choice(TEXTS): dice.choice(TEXTS) for _ in range(2)}
        return None

    def junk(self, deep: int) -> Any:
        """Any JSON."""
        dice = self.dice
        match dice.randrange(8 if deep else 5):
            case 0 | 1:
                return dice.choice(TEXTS)
            case 2 | 3:
                return dice.choice(NUMBERS)
            case 4:
                return dice.choice((None, True, False, "\ud800", "y" * 70_000, {}, []))
            case 5 | 6:
                return [self.junk(deep - 1) for _ in range(dice.randint(0, 5))]
        return {dice.choice(TEXTS): self.junk(deep - 1) for _ in range(dice.randint(0, 5))}

    def broken(self) -> tuple[str | bytes, str | None, bool]:
        """What is no message at all: its answer has no id."""
        dice = self.dice
        text = json.dumps(self.request())
        match dice.randrange(8):
            case 0:
                return dice.randbytes(dice.randint(0, 300)), None, False
            case 1:  # never the whole of it
                return text[: dice.randrange(len(text))], None, False
            case 2:
                return dice.choice("[{") * dice.choice((100, 10_000, 60_000)), None, False
            case 3:
                deep = dice.choice((50, 150, 1000, 10_000))
                return '{"a":' * deep + "1" + "}" * deep, None, False
            case 4:
                number = "9" * dice.choice((10, 5000, 60_000))
                return '{"id":' + number + "}", number if len(number) <= 64 else None, False
            case 5:
                return (
                    dice.choice((text + text, f"[{text}]", json.dumps(text), "\ufeff")),
                    None,
                    False,
                )
            case 6:
                return (
                    dice.choice(("", " ", "null", "0", '"x"', "NaN", "\u0000", "[]", "{}")),
                    None,
                    False,
                )
        return text.replace('"', "'"), None, False

    def enormous(self) -> tuple[str | bytes, str | None, bool]:
        """More than the server reads: it may hang up."""
        return "z" * (1 << 20) + "z", None, True


def _surrogates(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


# --- HTTP --------------------------------------------------------------------------------------

PATHS = (
    "/", "/real", "/table/x", "/review/x", "/static/index.html", "/static/", "/static/..", "/ws",
    "/static/%2e%2e/server.py", "/static/..%2f..%2fserver.py", "/static/%00", "/static/a.js%00",
    "/record/x.jsonl", "/record/.jsonl", "/record/%ff%fe.jsonl", "/record/" + "a" * 5000 + ".jsonl",
    "/record/..%2fx.jsonl", "/schema.json", "/health", "//", "///etc/passwd", "/?a=" + "b" * 9000,
    "/%", "/%zz", "/\u00e4", "/record/%22%0d%0aX-Bad:%201.jsonl", "*", "http://evil.example/", "",
)  # fmt: skip
METHODS = (
    "GET",
    "GET",
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "PRI",
    "get",
    "X",
)

VERSIONS = ("1.1", "1.1", "1.1", "1.0", "9")


def http_requests(dice: random.Random, port: int) -> bytes:
    """One request that is odd in some way."""
    here = f"localhost:{port}"
    if dice.random() < 0.05:
        return dice.randbytes(dice.randint(0, 500))
    host = dice.choice((here, here, here, here, "evil.example", "", "localhost", "[::1]", "a\tb"))
    lines = [f"{dice.choice(METHODS)} {dice.choice(PATHS)} HTTP/{dice.choice(VERSIONS)}"]
    if dice.random() < 0.95:
        lines.append(f"Host: {host}")
    extra = (
        "Origin: http://evil.example", f"Origin: http://{here}", "Origin: null",
        "X: " + "y" * 40_000,
        "Content-Length: 5", "Content-Length: -1", "Content-Length: 99999999999",
        "Transfer-Encoding: chunked", "Upgrade: websocket", "Connection: Upgrade",
        "Range: bytes=0-0",
        "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13", "Expect: 100-continue", "Cookie: \xff",
        ": empty", "no colon", "Accept-Encoding: gzip, br",
    )  # fmt: skip
    lines += dice.sample(extra, dice.randint(0, 3))
    lines += ["Connection: close", "", dice.choice(("", "", "hello", "5\r\nhello\r\n0\r\n\r\n"))]
    return "\r\n".join(lines).encode("utf-8", "surrogatepass")
