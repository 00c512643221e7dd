"""The server as others meet it: what it refuses, what it hides, and what it limits."""

import asyncio
import contextlib
import functools
import json
import logging
import re
import secrets
import socket
import subprocess
import sys
import threading
import time
import types
from http.client import HTTPConnection

import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import connect

from kibitz import api
from kibitz.protocol.session import Limits
from kibitz.protocol.work import Work
from kibitz.web import door, logs, serving
from kibitz.web import server as web
from kibitz.web.door import Reach

FREE = Limits(rate=1e9, burst=1e9)
REACH = Reach()
BLOB = {"players": 4, "cards": 5}


class Running:
    """A server in a thread of this process."""

    def __init__(self, limits=FREE, reach=REACH):
        self.house = api.House()
        app = web.make_app(self.house, limits=limits, reach=reach)
        config, self.door = serving.configure(app, reach)
        self._server = uvicorn.Server(config)
        self._socket = serving.listen("127.0.0.1", 0)
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],))

    def __enter__(self):
        self._thread.start()
        until = time.monotonic() + 120
        while not self._server.started:
            assert time.monotonic() < until
            time.sleep(0.005)
        return self

    def __exit__(self, *_):
        self._server.should_exit = True
        self._thread.join(120)
        self._socket.close()
        assert not self._thread.is_alive()

    def get(self, path, method="GET", **headers):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, headers={"Host": f"localhost:{self.port}", **headers})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def talk(self, **options):
        return Talk(connect(f"ws://localhost:{self.port}/ws", compression=None, **options))


class Talk:
    """One client that asks, and waits for the answer."""

    def __init__(self, connecting):
        self._connecting = connecting
        self.frames = []
        self._count = 0

    def __enter__(self):
        self.socket = self._connecting.__enter__()
        return self

    def __exit__(self, *_):
        self._connecting.__exit__(None, None, None)

    def send(self, **request):
        self._count += 1
        request = {"id": str(self._count), **request}
        self.socket.send(json.dumps(request))
        return request["id"]

    def hear(self):
        message = json.loads(self.socket.recv(timeout=120))
        if message["is"] == "table":
            self.frames.append(message)
        return message

    def answer(self, id):
        while True:
            message = self.hear()
            if message["id"] == id and message.get("final", True):
                return message

    def ask(self, **request):
        return self.answer(self.send(**request))

    def deal(self, game="uno", level="casual", **more):
        table = self.ask(do="commit")["table"]
        said = {"game": game, "opponents": [level], "nonce": secrets.token_hex(16), **more}
        return self.ask(do="deal", table=table, **said)

    def turn(self, frame):
        """The table when it is the person's turn, or over."""
        while frame["thinking"] is not None:
            message = self.hear()
            if message["is"] == "table" and message["number"] > frame["number"]:
                frame = message
        return frame

    def finish(self, frame):
        """Play the first legal move until the game is over."""
        token = frame["token"]
        frame = self.turn(frame)
        while frame["outcome"] is None:
            move = frame["view"]["legal"][0]
            frame = self.turn(self.ask(do="play", table=frame["table"], token=token, move=move))
        return frame


@pytest.fixture(scope="module")
def server():
    serving.make_ready()
    with Running() as found:
        yield found


@pytest.fixture
def client(server):
    with server.talk() as found:
        yield found


# --- who may speak to it -----------------------------------------------------------------------


def refused(server, **headers):
    with pytest.raises(InvalidStatus) as found, server.talk(additional_headers=headers):
        pass
    return found.value.response.status_code == 403


def test_a_page_from_elsewhere_may_not_speak_to_it(server):
    assert refused(server, Origin="http://evil.example")
    assert refused(server, Origin="null")
    assert refused(server, Origin=f"http://localhost:{server.port + 1}")
    assert refused(server, Origin=f"http://localhost.evil.example:{server.port}")
    with server.talk(additional_headers={"Origin": f"http://localhost:{server.port}"}) as client:
        assert client.ask(do="version")["is"] == "version"


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "127.0.0.1.nip.io"])
def test_another_name_for_this_machine_is_not_served(server, host):
    status, _, _ = server.get("/health", Host=host)
    assert status == 403
    status, _, _ = server.get("/health", Host=f"127.0.0.1:{server.port}")
    assert status == 200


@pytest.mark.parametrize(
    "path",
    ["/", "/health", "/schema.json", "/nowhere", "/static/nothing.js", "/static/..%2fserver.py",
     "/record/nothing.jsonl", "/table/x", "/review/x"],
)  # fmt: skip
def test_the_headers_are_on_every_answer(server, path):
    for status, headers, _ in (
        server.get(path), server.get(path, method="POST"), server.get(path, Host="evil.example"),
    ):  # fmt: skip
        assert status < 500
        found = {name.lower(): value for name, value in headers.items()}
        for name, value in web.HEADERS.items():
            assert found[name.lower()] == value, (status, name)
        assert "default-src 'none'" in found["content-security-policy"]
        assert "server" not in found


@pytest.mark.parametrize(
    "path", ["..%2fstatic%2fmain.js", "games%2f..%2fmain.js", "%2fmain.js", "games//game.js"]
)
def test_no_path_leaves_the_folder_of_the_page(server, path):
    assert server.get("/static/main.js")[0] == server.get("/static/games/game.js")[0] == 200
    assert server.get(f"/static/{path}")[0] == 404


# --- who comes and says nothing ----------------------------------------------------------------


@contextlib.contextmanager
def silent(server, number, said=b"", host="127.0.0.1"):
    """Connections that are made and ask for nothing."""
    with contextlib.ExitStack() as stack:
        found = []
        for _ in range(number):
            line = socket.create_connection(("127.0.0.1", server.port), 20, (host, 0))
            found.append(stack.enter_context(line))
            line.sendall(said)
        yield found


def hung_up(line):
    """Wait until the server hangs up."""
    line.settimeout(20)
    with contextlib.suppress(ConnectionError):
        while line.recv(1000):
            pass
    return True


def comes_in(server, **options):
    with server.talk(**options) as client:
        return client.ask(do="version")["is"] == "version"


@pytest.mark.parametrize("reach", [Reach(each=8), Reach(connections=8)], ids=["each", "all"])
def test_those_who_say_nothing_keep_nobody_out(reach):
    with Running(reach=reach) as server, server.talk() as before, silent(server, 50) as lines:
        assert comes_in(server)
        assert before.ask(do="version")["is"] == "version"  # who has joined stays
        assert all(map(hung_up, lines[:40]))
        assert len(server.door) <= 8


@pytest.mark.parametrize("reach", [Reach(each=2), Reach(connections=2)], ids=["each", "all"])
def test_too_many_connections_are_refused(reach):
    with Running(reach=reach) as server:
        with server.talk(), server.talk(), silent(server, 1) as (line,):
            assert hung_up(line)
        until = time.monotonic() + 120
        while time.monotonic() < until:  # a moment after the others left there is room
            with contextlib.suppress(WebSocketException, OSError, EOFError):
                assert comes_in(server)
                return
        pytest.fail("the places are not free again")


def test_one_address_does_not_take_the_places_of_another():
    with Running(reach=Reach(each=2)) as server, server.talk(), server.talk():
        with silent(server, 1) as (line,):
            assert hung_up(line)
        elsewhere = socket.create_connection(("127.0.0.1", server.port), 20, ("127.0.0.2", 0))
        origin = {"Origin": f"http://localhost:{server.port}"}  # as pages send it
        assert comes_in(server, sock=elsewhere, additional_headers=origin)


def test_who_asks_for_nothing_has_some_seconds():
    one = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with Running(reach=Reach(seconds=2.0)) as server, contextlib.ExitStack() as stack:
        kinds = (b"", b"GET / HT", one + b"GET /he")
        lines = [stack.enter_context(silent(server, 3, said)) for said in kinds]
        assert all(hung_up(line) for kind in lines for line in kind)
        assert comes_in(server)


def test_who_has_joined_has_some_seconds_to_say_something():
    with Running(reach=Reach(seconds=2.0)) as server, server.talk() as talker:
        talker.ask(do="version")
        with server.talk() as client, pytest.raises(ConnectionClosed) as found:
            client.hear()
        assert found.value.rcvd.code == 1008
        assert talker.ask(do="version")["is"] == "version"  # as rarely as it likes from then on


def test_who_does_not_take_leave_is_let_go():
    """A connection that the server has closed ends, though the other side never answers."""
    now = [0.0]
    found = door.Door(10, 10, 5.0, clock=lambda: now[0])

    class Line:
        closing = aborted = False

        def get_extra_info(self, _):
            return ("127.0.0.1", 1)

        def is_closing(self):
            return self.closing

        def abort(self):
            self.aborted = True

    line = Line()
    assert found.enter(line)
    found.join(line)
    now[0] = 100.0
    found.sweep()
    assert not line.aborted
    line.closing = True
    found.sweep()
    assert not line.aborted
    now[0] = 105.0
    found.sweep()
    assert line.aborted


def test_a_household_is_one_address():
    assert door.neighbours("10.0.0.1") == door.neighbours("::ffff:10.0.0.1") == "10.0.0.1"
    assert door.neighbours("2001:db8::1") == door.neighbours("2001:db8::ffff:1%eth0")
    assert door.neighbours("2001:db8::1") != door.neighbours("2001:db8:0:1::1")


def test_an_event_is_logged_once_a_minute():
    now, told = [0.0], []
    log = logging.Logger("test")
    log.addFilter(logs.Seldom(lambda: now[0]))
    handler = logging.Handler()
    handler.emit = lambda record: told.append(record.getMessage())
    log.addHandler(handler)
    for number in range(1000):
        log.warning("refused %s", number)
        log.warning(f"broken at 0x{number:x}")
    assert told == ["refused 0", "broken at 0x0"]
    now[0] = 60.0
    for _ in range(5):
        log.warning("refused %s", 7)
    assert told[2:] == ["refused 7 (999 more like this since)"]
    for number in range(1000):
        log.warning("x" * number)
    assert len(told) <= 3 + logs.MOST


FEW_FILES = """
import resource
from kibitz.cli import main
from kibitz.web import serving
serving.make_ready = lambda: None
resource.setrlimit(resource.RLIMIT_NOFILE, (400, 400))
main()
"""


def test_with_few_files_it_goes_on_and_says_little(tmp_path):
    """Where the system allows few open files, those who say nothing use up no more of them."""
    with (tmp_path / "log").open("wb") as log:
        command = [sys.executable, "-c", FEW_FILES, "play", "--no-browser", "--port", "0"]
        process = subprocess.Popen(
            [*command, "--data", tmp_path], stdout=subprocess.PIPE, stderr=log, text=True
        )
    with process:
        found = re.search(r"localhost:(\d+)", process.stdout.readline())
        server = types.SimpleNamespace(port=int(found[1]))
        try:
            address = f"ws://localhost:{server.port}/ws"
            with silent(server, 600), Talk(connect(address, open_timeout=60)) as client:
                assert client.ask(do="version")["is"] == "version"
        finally:
            process.terminate()
    said = (tmp_path / "log").read_text()
    assert said.count("made way") == 1, said
    assert len(said) < 2000, said


# --- what it hides -----------------------------------------------------------------------------


def test_without_the_token_a_table_is_like_none_at_all(server, client):
    frame = client.deal()
    at = {"table": frame["table"], "move": frame["view"]["legal"][:1] or "draw"}
    for verb in ("sit", "undo", "hint", "belief", "step", "review"):
        wrong = client.ask(do=verb, table=frame["table"], token="x" * 22)
        unknown = client.ask(do=verb, table="unknown", token=frame["token"])
        assert wrong["code"] == unknown["code"] == "not-found"
        assert wrong["message"] == unknown["message"]
        assert client.ask(do=verb, table=frame["table"])["code"] == "bad-request"
    assert client.ask(do="play", **{**at, "move": "draw"}, token="é")["code"] == "not-found"
    with server.talk() as other:
        sat = other.ask(do="sit", table=frame["table"], token=frame["token"])
        assert sat["view"]["events"][:3] == frame["view"]["events"][:3]


def cards_of(line, seat):
    """Cards that a line of events shows of another seat than this one, before they are played."""
    words = line.split()
    if words[0] == "deal" and words[1] != str(seat):
        return words[2:]
    if words[1:2] == ["draws"] and words[0] != str(seat):
        return words[2:]
    return []


@pytest.mark.parametrize(("game", "rules"), [("uno", {}), ("blob", BLOB)])
@pytest.mark.parametrize("seat", [0, 1])
def test_no_card_of_another_is_shown_before_the_end(server, client, game, rules, seat):
    frame = client.deal(game, rules=rules, seat=seat)
    last = client.finish(frame)
    assert len(client.frames) > 5
    for each in client.frames:
        view = each["view"]
        for line in view["events"]:
            # of others only numbers are told, one for each deal or draw
            shown = cards_of(line, seat)
            assert all(word.isdigit() for word in shown), line
            assert len(shown) <= 1
        if each["outcome"] is None:
            assert each["reveal"] is None
            assert "secret" not in json.dumps(each)
            sitting = server.house.find(each["table"], frame["token"])
            assert sitting.secret not in json.dumps(each)
        assert view["seat"] == seat
        assert not view["legal"] or view["to_act"] == seat
    assert last["reveal"]["deal"]["hands"]


def test_hands_of_others_are_in_no_frame(server, client):
    """Whoever knows the true hands finds none of the cards that only others held."""
    frame = client.deal("blob", rules=BLOB)
    last = client.finish(frame)
    others = {card for hand in last["reveal"]["deal"]["hands"][1:] for card in hand.split()}
    assert len(others) == 15
    played = set()
    for each in client.frames:
        if each["outcome"] is not None:
            continue
        played |= {line.split()[2] for line in each["view"]["events"] if " plays " in line}
        text = json.dumps(each["view"])
        assert not [card for card in others - played if f'"{card}"' in text or f" {card}" in text]


def test_the_record_of_a_game_is_there_when_it_is_over(server, client):
    frame = client.deal("blob", rules=BLOB)
    for name in (frame["table"], frame["token"], ""):
        assert server.get(f"/record/{name}.jsonl")[0] == 404
    assert client.ask(do="review", table=frame["table"], token=frame["token"])["code"] == "illegal"
    assert client.ask(do="review-shared", share=frame["table"])["code"] == "not-found"
    last = client.finish(frame)
    status, headers, body = server.get(f"/record/{last['reveal']['share']}.jsonl")
    assert status == 200
    assert "attachment" in headers["content-disposition"]
    assert json.loads(body)["deal"] == last["reveal"]["deal"]
    assert server.get(f"/record/{frame['table']}.jsonl")[0] == 404


def test_what_goes_wrong_has_the_headers_too(monkeypatch):
    with Running() as server:

        def held(share):
            raise api.KibitzError("database is locked")

        monkeypatch.setattr(server.house, "finished", held)
        status, headers, _ = server.get("/record/x.jsonl")
        assert status == 503
        monkeypatch.setattr(server.house, "finished", lambda share: 1 / 0)
        status, headers, body = server.get("/record/x.jsonl")
        assert status == 500
        assert b"Traceback" not in body
        assert headers["content-security-policy"] == web.HEADERS["Content-Security-Policy"]


# --- limits ------------------------------------------------------------------------------------


def test_sizes_are_limited(server, client):
    client.socket.send("x" * (FREE.size + 1))
    assert client.hear()["code"] == "too-large"
    client.socket.send("x" * ((1 << 20) + 1))
    with pytest.raises(ConnectionClosed) as found:
        client.hear()
    assert found.value.rcvd is None or found.value.rcvd.code == 1009


def test_rates_are_limited():
    with Running(Limits(rate=0.001, burst=20)) as server, server.talk() as client:
        for _ in range(30):
            client.socket.send('{"id": "1", "do": "version"}')
        found = [client.hear() for _ in range(30)]
        assert [each["is"] for each in found] == ["version"] * 20 + ["error"] * 10
        assert found[-1]["code"] == "too-fast"
    with Running(Limits(rate=0.001, burst=20)) as server, server.talk() as client:
        long = json.dumps({"id": "1", "do": "version", "x": "y" * 15_000})
        client.socket.send(long)
        client.socket.send(long)  # counts for more than is left
        assert [client.hear()["code"] for _ in range(2)] == ["bad-request", "too-fast"]


def test_one_client_may_not_ask_for_many_analyses_at_a_time(server, client):
    frame = client.deal()
    at = {"table": frame["table"], "token": frame["token"]}
    asked = [client.send(do="hint", **at) for _ in range(12)]
    found = {}
    while len(found) < len(asked):
        message = client.hear()
        if message.get("final", True):
            found[message["id"]] = message
    codes = [found[id].get("code", found[id]["is"]) for id in asked]
    assert codes[:4] == ["analysis"] * 4
    assert set(codes[4:]) == {"busy"}
    assert client.ask(do="hint", **at)["is"] == "analysis"


def test_one_address_does_not_take_all_places_for_searches(monkeypatch):
    work = functools.partial(Work, each=2, near=4, most=6)
    monkeypatch.setattr(web, "Work", work)
    told = {"hand": "R5 R9 Y2 Y7 G3 GS W", "top": "R3"}
    with Running() as server, contextlib.ExitStack() as stack:
        origin = {"Origin": f"http://localhost:{server.port}"}

        def asked(host, number):
            """The codes of what is refused of some analyses without an end."""
            where = ("127.0.0.1", server.port)
            line = socket.create_connection(where, 20, (host, 0))
            talk = stack.enter_context(server.talk(sock=line, additional_headers=origin))
            game = talk.ask(do="new", game="uno", told=told)["game_id"]
            for seed in range(number):
                talk.send(do="analyse", game_id=game, sims=2_000_000, every_ms=20, seed=seed)
            heard = {}
            while len(heard) < number:
                message = talk.hear()
                heard[message["id"]] = message.get("code")
            return sorted(filter(None, heard.values()))

        assert asked("127.0.0.1", 3) == ["busy"]
        assert asked("127.0.0.1", 2) == []
        assert asked("127.0.0.1", 2) == ["busy"] * 2
        assert asked("127.0.0.2", 2) == []


def test_an_analysing_client_does_not_stop_another(server, client):
    frame = client.deal()
    while len(frame["view"]["legal"]) < 2:  # else there is nothing to think about
        frame = client.deal()
    at = {"table": frame["table"], "token": frame["token"]}
    told = client.ask(do="new", game="uno", events=frame["view"]["events"])["game_id"]
    long = [client.send(do="analyse", game_id=told, sims=2_000_000, seed=k) for k in range(4)]
    with server.talk() as other:
        mine = other.turn(other.deal())
        mine = other.finish(mine | {"token": other.frames[0]["token"]})
        assert mine["outcome"] is not None
        club = other.deal("blob", "club", rules=BLOB)  # its opponents need turns at the search
        assert other.finish(club)["outcome"] is not None
    # and the analyses were under way all that time
    for id in long:
        client.send(do="cancel", what=id)
    for _ in long:
        found = client.hear()
        while found["is"] != "analysis":
            assert found["is"] == "cancelled"
            found = client.hear()
        assert found["cancelled"]
    assert client.ask(do="hint", **at)["is"] == "analysis"


def test_who_does_not_read_is_let_go(monkeypatch):
    monkeypatch.setattr(web, "MOST_UNREAD", 50_000)
    there = {
        "type": "websocket", "path": "/ws", "raw_path": b"/ws", "query_string": b"",
        "headers": [(b"host", b"localhost")], "client": ("127.0.0.1", 1), "scheme": "ws",
        "server": ("localhost", 80), "root_path": "", "subprotocols": [], "http_version": "1.1",
    }  # fmt: skip

    async def silent():
        said = asyncio.Queue()
        said.put_nowait({"type": "websocket.connect"})
        for _ in range(100):
            said.put_nowait({"type": "websocket.receive", "text": '{"id": "1", "do": "list"}'})

        async def send(message):
            if message["type"] == "websocket.send":
                await asyncio.Event().wait()  # as if no more fits into the line

        await asyncio.wait_for(web.make_app(api.House())(there, said.get, send), 20)

    asyncio.run(silent())


def test_searches_are_those_of_levels(server):
    """Whoever could name any agent could have it search for ever."""
    endless = "ismcts:sims=1000000000"
    with server.talk() as client:
        said = client.deal(level=endless)
        assert (said["is"], said["code"]) == ("error", "refused")
        told = {"hand": "R5 R9 Y2 Y7 G3 GS W", "top": "R3"}
        game = client.ask(do="new", game="uno", told=told)["game_id"]
        for more in ({"agent": endless}, {"ms": 1e6}, {"sims": 10**9}):
            said = client.ask(do="analyse", game_id=game, **more)
            assert (said["is"], said["code"]) == ("error", "refused"), more
        assert client.ask(do="analyse", game_id=game, agent="club")["is"] == "analysis"


# --- two at one table --------------------------------------------------------------------------


def test_agents_go_on_when_the_one_who_let_them_move_leaves(server):
    with server.talk() as first, server.talk() as second:
        frame = first.deal("blob", "expert", rules=BLOB, seat=3)
        second.ask(do="sit", table=frame["table"], token=frame["token"])
        first.socket.close()
        assert second.turn(second.frames[-1])["view"]["to_act"] == 3


def test_what_an_agent_thought_of_a_move_taken_back_is_forgotten(client):
    heard, hear = [], client.hear
    client.hear = lambda: heard.append(hear()) or heard[-1]
    frame = client.turn(client.deal("uno", "expert"))
    at = {"table": frame["table"], "token": frame["token"]}
    for _ in range(3):
        plies = frame["view"]["plies"]
        client.send(do="play", **at, move=frame["view"]["legal"][0], ply=plies)
        back = client.ask(do="undo", **at)  # while the agent thinks about its answer
        assert back["view"]["plies"] <= plies
        client.ask(do="hint", **at)  # searched after whatever the agent searches
        frame = client.ask(do="sit", **at)
        assert frame["view"] == back["view"]
    assert not any(message["is"] == "error" for message in heard)  # nor was it tried in our turn


def test_a_step_is_answered_though_another_was_faster(server):
    with server.talk() as first, server.talk() as second:
        frame = first.deal("blob", "expert", rules=BLOB, watch=True)
        at = {"table": frame["table"], "token": frame["token"]}
        second.ask(do="sit", **at)
        for _ in range(3):
            asked = [(client, client.send(do="step", **at)) for client in (first, second)]
            assert [client.answer(id)["is"] for client, id in asked] == ["table", "table"]
