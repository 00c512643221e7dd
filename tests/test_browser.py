"""The page in a real browser: whole games by mouse, keyboard and touch, the coach, reviews, real
tables, and a server that is killed. Screenshots are kept in `build/screenshots`, to be looked at.

Debian's chromium is driven by Playwright; `./kibitz test` installs it where it can.
"""

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from kibitz.web.serving import make_ready

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
if not CHROMIUM:
    pytest.skip("no chromium here; `apt install chromium` brings it", allow_module_level=True)
sync_api = pytest.importorskip("playwright.sync_api")
expect = sync_api.expect

ROOT = Path(__file__).parent.parent
SHOTS = ROOT / "build" / "screenshots"
SERVER = [sys.executable, "-c", "from kibitz.cli import main; main()", "play", "--no-browser"]
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 360, "height": 740}
AT_ONCE = {"animations": False, "pace": "off", "coach": True, "theme": "light"}
CHECKS = (Path(__file__).parent / "accessibility.js").read_text()
PATIENCE = 60_000


class Server:
    """A real server of its own, which can be killed and started again where it was."""

    def __init__(self, folder):
        self.folder, self.port = folder, 0
        self.start()

    def start(self):
        command = [*SERVER, "--port", str(self.port), "--data", str(self.folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = re.search(r"http://\S+", self.process.stdout.readline())[0].rstrip("/")
        self.port = int(self.url.rpartition(":")[2])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)
        self.process.stdout.close()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=30)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    make_ready()  # on a new machine this compiles, which takes as long as it takes
    found = Server(tmp_path_factory.mktemp("data"))
    yield found
    found.stop()


@pytest.fixture(scope="module")
def browser():
    SHOTS.mkdir(parents=True, exist_ok=True)
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def visit(browser, server):
    """Open a page as a new visitor. At the end nothing may have gone wrong in it, and it may have
    asked no other host for anything."""
    contexts, problems = [], []

    def open_page(path="/", size=WIDE, settings=AT_ONCE, touch=False, **options):
        context = browser.new_context(viewport=size, has_touch=touch, **options)
        context.set_default_timeout(PATIENCE)
        kept = json.dumps(settings)
        context.add_init_script(
            f"if (!localStorage['kibitz.settings']) localStorage['kibitz.settings'] = '{kept}'"
        )
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("console", lambda m: m.type == "error" and problems.append(f"console: {m.text}"))
        page.on(
            "request",
            lambda r: r.url.startswith((server.url, "data:", "blob:")) or problems.append(r.url),
        )
        page.problems = problems
        contexts.append(context)
        page.goto(server.url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def at(page, name):
    return page.get_by_test_id(name)


def shot(page, name):
    page.screenshot(path=SHOTS / f"{name}.png")


def accessible(page, name):
    shot(page, name)
    assert page.evaluate(CHECKS) == [], name


def begin(page, game, level="casual", **rules):
    at(page, f"lobby-game-{game}").check(force=True)
    for rule, value in rules.items():
        field = at(page, f"rule-{rule}")
        if not field.is_visible():
            page.get_by_text("More rules").click()
        if field.evaluate("e => e.tagName") == "SELECT":
            field.select_option(str(value))
        else:
            field.fill(str(value))
            field.dispatch_event("change")
    at(page, "level").select_option(level)
    at(page, "start").click()
    at(page, "status").wait_for()


def turn(page):
    """Wait until it is our turn, or the game is over; says which."""
    page.wait_for_selector("[data-testid=status]:is([data-turn=you], [data-turn=over])")
    return at(page, "status").get_attribute("data-turn")


def moved(page, ply):
    page.wait_for_function(
        "ply => Number(document.querySelector('[data-testid=status]').dataset.ply) !== ply", arg=ply
    )


def ply(page):
    return int(at(page, "status").get_attribute("data-ply"))


def lit(page):
    """The cards that may be played."""
    return page.locator("[data-testid=hand] button:not([aria-disabled=true]):not(:disabled)")


def click_move(page, tap=False):
    before = ply(page)
    press = (lambda place: place.tap()) if tap else (lambda place: place.click())
    if tap:
        page.wait_for_timeout(400)  # sooner it would be the second half of a double tap
    bids = page.locator("[data-testid^=move-]")
    if bids.count():
        press(bids.first)
    elif lit(page).count():
        press(lit(page).first)
        if at(page, "question").is_visible():
            press(page.locator("[data-testid^=choice-]:visible").first)
    else:
        press(at(page, "draw"))
    moved(page, before)


def key_move(page):
    before = ply(page)
    bids = page.locator("[data-testid^=move-]")
    if bids.count():
        page.keyboard.press(bids.first.get_attribute("data-testid").removeprefix("move-"))
    elif not lit(page).count():
        page.keyboard.press("d")
    else:
        wanted = lit(page).first.get_attribute("data-testid")
        page.keyboard.press("ArrowRight")  # to the hand, from wherever we are
        page.keyboard.press("Home")
        for _ in range(80):
            focused = page.evaluate("document.activeElement.dataset.testid")
            enabled = page.evaluate(
                "document.activeElement.getAttribute('aria-disabled') !== 'true'"
            )
            if focused == wanted and enabled:
                break
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        if at(page, "question").is_visible():
            page.keyboard.press("Enter")
    moved(page, before)


def play_out(page, move, most=400):
    for _ in range(most):
        if turn(page) == "over":
            return
        move(page)
    raise AssertionError("the game does not end")


# --- whole games ---------------------------------------------------------------------------------


def test_a_game_of_uno_by_clicks(visit, server):
    page = visit()
    expect(at(page, "commitment")).to_contain_text(re.compile("[0-9a-f]{8}"))
    accessible(page, "lobby-1280-light")
    begin(page, "uno")
    assert turn(page) == "you"
    accessible(page, "uno-1280-light")
    play_out(page, click_move)
    expect(at(page, "result")).to_be_visible()
    expect(at(page, "fairness")).to_have_attribute("data-ok", "true")
    accessible(page, "uno-result-1280-light")
    at(page, "result-close").click()
    expect(at(page, "result")).to_be_hidden()
    at(page, "result-open").click()
    expect(at(page, "result")).to_be_visible()
    with page.expect_download() as download:
        at(page, "download").click()
    record = json.loads(Path(download.value.path()).read_text())
    assert record["result"]["plies"] == len(record["actions"])
    link = at(page, "share").get_attribute("data-link")
    assert link.startswith(server.url + "/review/")


def test_a_round_of_blob_by_clicks(visit):
    page = visit()
    begin(page, "blob", players=5, cards=3)
    turn(page)
    accessible(page, "blob-bidding-1280-light")
    click_move(page)
    turn(page)
    accessible(page, "blob-1280-light")
    play_out(page, click_move)
    expect(at(page, "fairness")).to_have_attribute("data-ok", "true")
    accessible(page, "blob-result-1280-light")


def test_another_trump_than_was_shown_is_found_out(visit):
    page = visit()
    begin(page, "blob", level="beginner", players=2, cards=1)
    page.evaluate("""() => {
      const seats = JSON.parse(localStorage["kibitz.seats"]);
      for (const { seen } of Object.values(seats)) {
        seen.trump = seen.trump === "hearts" ? "clubs" : "hearts";
      }
      localStorage["kibitz.seats"] = JSON.stringify(seats);
    }""")
    play_out(page, click_move)
    expect(at(page, "fairness")).to_have_attribute("data-ok", "false")
    expect(at(page, "fairness")).to_contain_text("You were shown")


def test_a_round_of_blob_by_keyboard_alone(visit):
    page = visit(settings={**AT_ONCE, "theme": "dark"})
    begin(page, "blob", players=3, cards=4)
    turn(page)
    accessible(page, "blob-bidding-1280-dark")
    key_move(page)
    turn(page)
    accessible(page, "blob-1280-dark")
    play_out(page, key_move)
    expect(at(page, "fairness")).to_have_attribute("data-ok", "true")
    accessible(page, "blob-result-1280-dark")


def test_a_game_of_uno_by_keyboard_alone(visit):
    page = visit()
    begin(page, "uno", level="beginner")
    play_out(page, key_move)
    expect(at(page, "result")).to_be_visible()


@pytest.mark.parametrize("game", ["uno", "blob", "blob-game"])
def test_a_game_on_a_phone(visit, game):
    page = visit(size=NARROW, touch=True, settings={**AT_ONCE, "theme": "dark"})
    accessible(page, "lobby-360-dark")
    rules = {"uno": {}, "blob": {"players": 5, "cards": 3}, "blob-game": {"players": 3, "start": 2}}
    begin(page, game, **rules[game])
    turn(page)
    accessible(page, f"{game}-360-dark")
    play_out(page, lambda p: click_move(p, tap=True))
    expect(at(page, "fairness")).to_have_attribute("data-ok", "true")
    accessible(page, f"{game}-result-360-dark")


NO_GAMES = """import { Game } from "./game.js";
const plain = new Game();
export const gameOf = () => plain;
export const helpful = [];"""


@pytest.mark.parametrize("game", ["uno", "blob"])
def test_a_game_that_the_page_has_never_heard_of_is_played(visit, game):
    page = visit()
    script = {"body": NO_GAMES, "content_type": "text/javascript"}
    page.route("**/static/games/index.js", lambda route: route.fulfill(**script))
    page.reload()
    begin(page, game, level="beginner")
    turn(page)
    accessible(page, f"plain-{game}-1280-light")
    play_out(page, click_move)
    expect(at(page, "fairness")).to_contain_text("cannot be checked")
    at(page, "review").click()
    page.wait_for_selector(".review")


SPILLS = """() => [...document.querySelectorAll(".plate")].flatMap((plate) => {
  const box = plate.getBoundingClientRect();
  const parts = plate.querySelectorAll(".name, .chip, .dots, .fan > *, .plate-facts > *");
  return [...parts].filter((part) => {
    const { left, right, top, bottom } = part.getBoundingClientRect();
    return left < box.left || right > box.right || top < box.top || bottom > box.bottom;
  }).map((part) => `${part.getAttribute("class")} of ${plate.ariaLabel}`);
})"""


@pytest.mark.parametrize("players", [5, 8])
def test_many_people_fit_on_a_phone(visit, players):
    page = visit(size=NARROW, touch=True)
    begin(page, "blob", level="beginner", players=players, cards=6)
    turn(page)
    assert page.evaluate(SPILLS) == []
    accessible(page, f"blob-{players}-bidding-360-light")
    click_move(page, tap=True)
    turn(page)
    assert page.evaluate(SPILLS) == []
    accessible(page, f"blob-{players}-360-light")
    click_move(page, tap=True)
    turn(page)
    shot(page, f"blob-{players}-trick-360-light")


def test_a_new_round_shows_no_trick_of_the_last(visit):
    page = visit()
    at(page, "seat").select_option("1")  # who sits there leads to the second round
    begin(page, "blob-game", level="beginner", players=3, start=1)
    led = 0
    while turn(page) == "you":
        said = at(page, "log").locator("li").last.inner_text()
        if " bid" in said and not page.locator("[data-testid^=move-]").count():
            led += 1
            expect(page.locator(".laid")).to_have_count(0)
        click_move(page)
    assert led == 1


# --- the coach -----------------------------------------------------------------------------------


def test_the_coach_hints_believes_and_grades_and_moves_are_taken_back(visit):
    page = visit()
    begin(page, "blob", players=3, cards=5)
    turn(page)
    expect(at(page, "belief").first).to_be_visible()
    at(page, "hint").click()
    expect(at(page, "why").first).to_be_visible()
    assert page.locator("[data-testid^='advice-']").count() > 1
    expect(at(page, "coach")).to_contain_text("only what you may know")
    accessible(page, "coach-1280-light")
    before = ply(page)
    click_move(page)
    expect(at(page, "log")).to_contain_text(
        re.compile("best|good|inaccuracy|mistake|blunder", re.I)
    )
    turn(page)
    at(page, "undo").click()
    page.wait_for_function(
        "ply => Number(document.querySelector('[data-testid=status]').dataset.ply) === ply",
        arg=before,
    )
    assert turn(page) == "you"
    shot(page, "undone-1280-light")


def test_a_click_counts_though_advice_comes_while_the_button_is_down(visit):
    page = visit()
    begin(page, "blob", players=3, cards=5)
    turn(page)
    before = ply(page)
    page.locator("[data-testid^=move-]").first.hover()
    page.mouse.down()
    page.keyboard.press("h")
    expect(page.locator("[data-testid=advice][data-final=true]")).to_be_visible()
    page.mouse.up()
    moved(page, before)


def test_keys_ask_for_hints_and_take_back(visit):
    page = visit(size=NARROW)
    begin(page, "uno")
    turn(page)
    page.keyboard.press("h")
    expect(at(page, "why").first).to_be_visible()
    accessible(page, "coach-360-light")
    before = ply(page)
    click_move(page)
    turn(page)
    page.keyboard.press("u")
    page.wait_for_function(
        "ply => Number(document.querySelector('[data-testid=status]').dataset.ply) === ply",
        arg=before,
    )
    page.keyboard.press("?")
    expect(at(page, "help-dialog")).to_be_visible()
    accessible(page, "help-360-light")


def test_without_the_coach_nothing_is_said(visit):
    page = visit(settings={**AT_ONCE, "coach": False})
    begin(page, "uno")
    turn(page)
    expect(at(page, "coach")).to_be_hidden()
    expect(at(page, "belief").first).to_be_hidden()


# --- afterwards ----------------------------------------------------------------------------------


def finished(page, game="uno", **rules):
    begin(page, game, level="beginner", **rules)
    play_out(page, click_move)
    at(page, "review").click()
    page.wait_for_selector(".review", timeout=PATIENCE)


def test_a_review_and_its_link_in_another_browser(visit):
    page = visit()
    finished(page)
    accessible(page, "review-1280-light")
    page.screenshot(path=SHOTS / "review-1280-whole.png", full_page=True)
    other = visit(page.url.removeprefix(page.url.partition("/review")[0]), size=NARROW)
    other.wait_for_selector(".review")
    accessible(other, "review-360-light")
    other.screenshot(path=SHOTS / "review-360-whole.png", full_page=True)


def test_a_review_of_blob(visit):
    page = visit(settings={**AT_ONCE, "theme": "dark"})
    finished(page, "blob", players=4, cards=3)
    accessible(page, "review-blob-1280-dark")


def test_the_report_opens_from_disk(browser, run, tmp_path):
    games, report = tmp_path / "games.jsonl", tmp_path / "report.html"
    run("watch", "uno", "--seed", "3", "--save", games)
    code, _, err = run("review", games, "--seat", "0", "--html", report)
    assert code == 0, err
    page = browser.new_page(viewport=WIDE)
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda m: m.type == "error" and problems.append(m.text))
    page.on("request", lambda r: r.url.startswith(("file:", "data:")) or problems.append(r.url))
    page.goto(report.as_uri())
    page.wait_for_selector(".review")
    shot(page, "report-1280")
    page.close()
    assert problems == []


# --- and more ------------------------------------------------------------------------------------


def test_a_game_goes_on_after_the_server_was_killed(browser, tmp_path):
    server = Server(tmp_path / "data")
    context = browser.new_context(viewport=WIDE)
    settings = json.dumps({**AT_ONCE, "coach": False})  # its grades come when they come
    context.add_init_script(f"localStorage['kibitz.settings'] = '{settings}'")
    page = context.new_page()
    page.goto(server.url)
    begin(page, "uno")
    for _ in range(3):
        turn(page)
        click_move(page)
    turn(page)
    before, log = ply(page), at(page, "log").inner_text()
    server.kill()
    server.start()
    page.reload()
    assert turn(page) == "you"
    assert ply(page) == before
    assert at(page, "log").inner_text() == log
    server.kill()  # and without a reload: the page comes back by itself
    server.start()
    click_move(page)
    turn(page)
    assert ply(page) > before
    page.goto(server.url)
    at(page, "saved").first.click()
    turn(page)
    context.close()
    server.stop()


def test_agents_are_watched(visit):
    page = visit()
    at(page, "watch").check(force=True)
    begin(page, "blob", level="casual", players=4, cards=2)
    page.wait_for_selector("[data-testid=status][data-turn=over]")
    expect(at(page, "result")).to_be_visible()
    accessible(page, "watched-1280-light")


def test_a_real_table(visit):
    page = visit("/real")
    at(page, "real-game-uno").first.click()
    at(page, "real-typed").fill("R5 R9 Y2 Y7 G3 GS W")
    at(page, "real-typed").press("Enter")
    accessible(page, "real-setup-1280-light")
    at(page, "real-up-R3").click()
    at(page, "real-start").click()
    expect(at(page, "real-advice")).to_contain_text("%")
    accessible(page, "real-1280-light")
    at(page, "real-said-R9").click()
    at(page, "real-said-draw").click()
    expect(at(page, "real-advice")).to_contain_text("%")
    expect(at(page, "real-list").locator("li")).to_have_count(2)
    at(page, "real-undo").click()
    expect(at(page, "real-list").locator("li")).to_have_count(1)
    page.reload()
    expect(at(page, "real-list").locator("li")).to_have_count(1)
    shot(page, "real-restored-1280-light")


def test_a_real_table_of_blob(visit):
    page = visit("/real")
    at(page, "real-game-blob").click()
    at(page, "real-players").select_option("3")
    at(page, "real-cards").fill("3")
    for card in ("AS", "KH", "4D"):
        at(page, f"real-hand-{card}").click()
    at(page, "real-up-2H").click()
    accessible(page, "real-blob-setup-1280-light")
    at(page, "real-start").click()
    expect(at(page, "real-advice")).to_contain_text("Points")
    for said in ("2", "0", "0"):
        at(page, f"real-said-{said}").click()
    expect(at(page, "real-moves").locator("tbody tr")).to_have_count(3)
    accessible(page, "real-blob-1280-light")
    for said in ("AS", "3S", "9S"):
        at(page, f"real-said-{said}").click()
    expect(at(page, "real-moves").locator("tbody tr")).to_have_count(2)
    expect(at(page, "real-list").locator("li")).to_have_count(6)


def test_a_real_table_on_a_phone(visit):
    page = visit("/real", size=NARROW, touch=True, settings={**AT_ONCE, "theme": "dark"})
    at(page, "real-start").wait_for()
    accessible(page, "real-setup-360-dark")


@pytest.mark.parametrize("coach", [False, True])
def test_nothing_jumps_while_one_plays(visit, coach):
    """The place of the buttons and of the log stays when cards and advice come and go."""
    page = visit(settings={**AT_ONCE, "coach": coach})
    page.evaluate(
        "window.shifts = 0; new PerformanceObserver(list => list.getEntries().forEach("
        "e => { if (!e.hadRecentInput) window.shifts += e.value })).observe("
        "{type: 'layout-shift', buffered: true})"
    )
    begin(page, "uno")
    turn(page)
    place = at(page, "draw").bounding_box()
    log = at(page, "log").bounding_box()
    for _ in range(6):
        if turn(page) == "over":
            break
        if coach:
            at(page, "hint").click()
            page.wait_for_selector("[data-testid=advice][data-final=true]", state="attached")
            assert at(page, "log").bounding_box() == log
        click_move(page)
        assert at(page, "draw").bounding_box() == place
        assert at(page, "log").bounding_box() == log
    assert page.evaluate("window.shifts") < 0.1


def test_what_the_server_does_not_know_is_told(visit):
    page = visit("/table/nowhere")
    expect(at(page, "failed")).to_be_visible()
    accessible(page, "no-table-1280-light")


def test_there_is_a_page_for_every_address(server):
    for path in ("/", "/real", "/table/x", "/review/y"):
        with urlopen(server.url + path) as answer:
            assert b"main.js" in answer.read()


# --- slips of hand and eye ------------------------------------------------------------------------


def test_a_page_that_comes_late_is_not_shown(visit, server):
    page = visit()
    begin(page, "uno")
    lines, late = [], []

    def line(browser):
        lines.append(browser)
        there = browser.connect_to_server()
        there.on_message(
            lambda text: (late.append if '"is":"table"' in text else browser.send)(text)
        )

    page.route_web_socket("**/ws", line)
    page.goto(server.url)
    at(page, "saved").first.click()
    page.wait_for_selector(".waiting")
    at(page, "home").click()
    at(page, "commitment").wait_for()  # asked for after the table, so that has been answered
    assert late
    for text in late:
        lines[-1].send(text)
    page.wait_for_timeout(200)
    expect(at(page, "start")).to_be_visible()
    expect(at(page, "status")).to_have_count(0)


def test_a_double_click_plays_one_card(visit):
    page = visit()
    begin(page, "uno", ranks="SS", wilds=0, wild_fours=0, hand_size=3)  # all fit, all move again
    turn(page)
    box = lit(page).nth(1).bounding_box()
    x, y = (
        box["x"] + 0.8 * box["width"],
        box["y"] + box["height"] / 2,
    )  # here lies a card before and after
    page.mouse.click(x, y, click_count=2, delay=150)
    page.wait_for_timeout(300)
    assert ply(page) == 1


def test_a_click_that_leaves_a_field_is_not_lost(visit, server):
    page = visit()
    at(page, "lobby-game-blob").check(force=True)
    at(page, "rule-players").fill("0")
    at(page, "rule-players").fill("9")
    at(page, "each").click()
    expect(at(page, "each")).to_be_checked()
    expect(at(page, "rule-players")).to_have_value("8")  # the most there can be
    expect(at(page, "seat")).to_have_value("0")
    page.goto(server.url + "/real")
    at(page, "real-typed").fill("R5 R9 Y2 Y7 G3 GS W")
    page.locator("button[title='red 3']").click()
    at(page, "real-hand_size").fill("7")
    at(page, "real-start").click()
    expect(at(page, "real-advice")).to_be_visible()


def test_the_link_that_skips_the_bar_leaves_the_page_as_it_is(visit):
    page = visit()
    begin(page, "uno")
    turn(page)
    page.evaluate("document.querySelector('#main > *').dataset.same = 'yes'")
    page.locator(".skip-link").press("Enter")
    page.wait_for_timeout(200)
    expect(page.locator("#main > [data-same=yes]")).to_be_visible()
    assert page.url.endswith("#main")


def test_a_dialog_does_not_outlive_its_page(visit):
    page = visit()
    begin(page, "uno", colours=1, ranks="0", wild_fours=0, hand_size=2)  # the hands are all wilds
    turn(page)
    lit(page).first.click()
    expect(at(page, "question")).to_be_visible()
    page.go_back()
    expect(at(page, "start")).to_be_visible()
    expect(page.locator("dialog")).to_have_count(0)


def focused(page):
    return page.evaluate("document.activeElement.dataset.testid ?? document.activeElement.tagName")


def test_the_keyboard_keeps_its_place(visit):
    page = visit()
    at(page, "lobby-game-blob").check(force=True)
    at(page, "rule-players").fill("2")
    at(page, "rule-cards").fill("3")
    at(page, "start").press("Enter")
    turn(page)
    assert focused(page) == "MAIN"
    at(page, "move-1").focus()
    page.keyboard.press("h")
    page.wait_for_selector("[data-testid=advice][data-final=true]")
    assert focused(page) == "move-1"
    page.keyboard.press("Enter")
    moved(page, 0)
    turn(page)
    assert focused(page).startswith("card-")
    at(page, "hint").press("Enter")
    page.wait_for_selector("[data-testid=advice][data-final=true]")
    assert focused(page) == "hint"
    at(page, "undo").press("Enter")
    page.wait_for_selector("[data-testid^=move-]")
    assert focused(page) == "undo"
    play_out(page, key_move)
    at(page, "result-close").press("Enter")
    assert focused(page) == "result-open"
    page.keyboard.press("Enter")
    at(page, "new-game").press("Enter")
    at(page, "start").wait_for()
    assert focused(page) == "MAIN"
