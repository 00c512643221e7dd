"""Behind a reverse proxy: a real nginx, with the settings that the documents show."""

import json
import os
import re
import shutil
import socket
import subprocess
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus, WebSocketException

from kibitz import KibitzError
from kibitz.web.door import Reach, behind
from test_server import FREE, Running, Talk, connect

NGINX = shutil.which("nginx", path=f"{os.defpath}:/usr/sbin:{os.environ['PATH']}")
needs_nginx = pytest.mark.skipif(NGINX is None, reason="no nginx; `apt install nginx` brings it")
DOCUMENT = Path(__file__).parent.parent / "docs" / "play.md"
WHOLE = """
daemon off; pid {folder}/pid; error_log stderr warn; worker_processes 1;
events {{ worker_connections 200; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    {server}
}}
"""


def documented(upstream, port):
    """The server that the documents show, at a port of its own and without a certificate."""
    (server,) = re.findall(r"^```nginx\n(.*?)^```", DOCUMENT.read_text(), re.DOTALL | re.M)
    server = re.sub(r"ssl_certificate\w* .*;", "", server)
    for old, new in (("443 ssl", f"127.0.0.1:{port}"), ("127.0.0.1:8765", upstream)):
        assert old in server
        server = server.replace(old, new)
    return server


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Proxy:
    """nginx before a server of ours; people open it as `localhost`."""

    def __init__(self, folder, **more):
        self.port = free_port()
        self.origin = f"http://localhost:{self.port}"
        reach = behind(Reach(**more), f"{self.origin}/kibitz/", None, "127.0.0.1")
        self.server = Running(FREE, reach)
        self.folder = folder

    def __enter__(self):
        self.server.__enter__()
        settings = self.folder / "nginx.conf"
        server = documented(f"127.0.0.1:{self.server.port}", self.port)
        settings.write_text(WHOLE.format(folder=self.folder, server=server))
        self.process = subprocess.Popen([NGINX, "-p", self.folder, "-c", settings])
        until = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except OSError:
                assert self.process.poll() is None, "nginx did not start"
                assert time.monotonic() < until
                time.sleep(0.01)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)
        self.server.__exit__()

    def get(self, path):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", path, headers={"Host": f"localhost:{self.port}"})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def talk(self, host="127.0.0.1", path="/kibitz/ws", **headers):
        line = socket.create_connection(("127.0.0.1", self.port), 60, (host, 0))
        sent = {"Origin": self.origin, **headers}
        address = f"ws://localhost:{self.port}{path}"
        return Talk(connect(address, sock=line, compression=None, additional_headers=sent))


def refused(proxy, *host, **headers):
    with pytest.raises(InvalidStatus) as found:
        proxy.talk(*host, **headers)
    return found.value.response.status_code == 403


@needs_nginx
def test_everything_is_below_the_path(tmp_path):
    with Proxy(tmp_path) as proxy:
        status, headers, page = proxy.get("/kibitz/")
        assert status == 200
        assert "default-src 'none'" in headers["content-security-policy"]
        loaded = re.findall(r'(?:src|href)="(/[^"]*)"', page)
        assert len(loaded) > 5
        assert all(proxy.get(path)[0] == 200 for path in loaded)
        assert proxy.get("/kibitz/table/x")[2] == proxy.get("/kibitz/real")[2] == page
        assert json.loads(proxy.get("/kibitz/health")[2])["ok"]
        assert proxy.get("/kibitz/nowhere")[0] == 404
        assert proxy.server.get("/health")[0] == 404
        status, headers, _ = proxy.server.get("/kibitz")
        assert (status, headers["location"]) == (307, "/kibitz/")
        with proxy.talk() as client:
            frame = client.finish(client.deal("blob", rules={"players": 2, "cards": 2}))
        status, _, record = proxy.get(f"/kibitz/record/{frame['reveal']['share']}.jsonl")
        assert status == 200
        assert json.loads(record)["deal"] == frame["reveal"]["deal"]
        assert refused(proxy, Origin="http://evil.example")
        assert refused(proxy, Origin=f"http://localhost:{proxy.server.port}")


@needs_nginx
def test_people_behind_it_are_counted_by_their_own_addresses(tmp_path):
    with Proxy(tmp_path, each=2) as proxy, proxy.talk() as first, proxy.talk("127.0.0.2") as second:
        for client in (first, second):
            assert client.ask(do="version")["is"] == "version"
        with proxy.talk("127.0.0.2"):
            assert refused(proxy, "127.0.0.2")
            # whatever they say themselves
            assert refused(proxy, "127.0.0.2", **{"X-Forwarded-For": "127.0.0.9"})
            with proxy.talk("127.0.0.3") as other:
                assert other.ask(do="version")["is"] == "version"


@needs_nginx
def test_the_page_plays_below_the_path(tmp_path):
    sync_api = pytest.importorskip("playwright.sync_api")
    import test_browser as page_tests  # skipped where there is no browser

    asked, problems = set(), []
    with Proxy(tmp_path) as proxy, sync_api.sync_playwright() as playwright:
        home = f"{proxy.origin}/kibitz/"
        browser = playwright.chromium.launch(
            executable_path=page_tests.CHROMIUM, args=page_tests.FLAGS
        )
        page = browser.new_page(viewport=page_tests.WIDE)
        page.set_default_timeout(page_tests.PATIENCE)
        kept = json.dumps(page_tests.AT_ONCE)
        page.add_init_script(f"localStorage['kibitz.settings'] = '{kept}'")
        page.on("request", lambda request: asked.add(request.url))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(home)
        page_tests.begin(page, "blob", "beginner", players=2, cards=2)
        page_tests.play_out(page, page_tests.click_move)
        page_tests.at(page, "review").click()
        page.wait_for_selector(".review", timeout=300_000)  # its kernels may have to be compiled
        assert page.url.startswith(f"{home}review/")
        page.reload()
        page.wait_for_selector(".review")
        page_tests.at(page, "real-link").click()
        page.wait_for_url(f"{home}real")
        page_tests.at(page, "home").click()
        page.wait_for_url(home)
        page.get_by_role("link", name=re.compile("Blob")).first.click()  # the game that was kept
        page.wait_for_url(f"{home}table/*")
        browser.close()
    assert problems == []
    assert all(url.startswith((home, "data:")) for url in asked)


def comes_in(server, said):
    try:
        with server.talk(additional_headers=said):
            return True
    except (OSError, EOFError, WebSocketException):
        return False


def test_nobody_else_is_believed():
    """Who speaks to the server directly is counted by its own address, whatever it says."""
    reach = behind(Reach(each=2), "http://cards.example", None, "10.0.0.0/8")
    with Running(reach=reach) as server:
        said = {"X-Forwarded-For": "10.1.2.3", "Origin": "http://cards.example"}
        with server.talk(additional_headers=said), server.talk(additional_headers=said):
            assert not comes_in(server, said)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (("cards.example", None, None), "--public-url cards.example: an address such as https://"),
        (("https://a:b@cards.example", None, None), "an address such as"),
        (("https://cards.example:x/", None, None), "an address such as"),
        (("https://cards.example/?a", None, None), "an address such as"),
        (("https://cards.example/a b/", None, None), "/a b: everything can be below a path such"),
        ((None, "kibitz", None), "kibitz: everything can be below a path such as /kibitz"),
        (("https://cards.example/a", "/b", None), "--base-path /b: the path of --public-url is /a"),
        ((None, None, "cards.example"), "--trust-proxy: addresses or networks are needed"),
        ((None, None, "10.0.0.1/8"), "--trust-proxy: .* 10.0.0.1/8 has host bits set"),
    ],
)
def test_what_cannot_be_is_refused_with_what_would_be_right(said, message):
    with pytest.raises(KibitzError, match=message):
        behind(Reach(), *said)


def test_an_address_is_spelt_as_browsers_send_it():
    reach = behind(Reach(), "https://Cards.example:443/kibitz", None, "127.0.0.1, ::1")
    assert (reach.origin, reach.base) == ("https://cards.example", "/kibitz")
    assert reach.hosts[-1] == "cards.example"
    assert reach.trusted == ("127.0.0.1", "::1")
    assert reach.url == "https://cards.example/kibitz/"
    assert behind(Reach(), None, "/kibitz/", None).base == "/kibitz"
    assert behind(Reach(), "http://[::1]:80", None, None).origin == "http://[::1]"
