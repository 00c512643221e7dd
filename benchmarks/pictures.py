"""Makes the pictures of the page in docs/img: a short game as a GIF, and screenshots.

    python benchmarks/pictures.py

Needs what the tests need: Playwright, chromium, Pillow.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from PIL import Image  # noqa: E402

import test_browser as page_tests  # noqa: E402

IMAGES = ROOT / "docs" / "img"
SIZE = {"width": 1180, "height": 760}
SHOWN = 900
"""Width of the GIF."""
COLOURS = 96


def picture(page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def small(image: Image.Image, width: int) -> Image.Image:
    height = round(image.height * width / image.width)
    return image.resize((width, height), Image.Resampling.LANCZOS)


def keep(image: Image.Image, name: str, width: int = 1180) -> None:
    found = small(image, min(width, image.width))
    found.quantize(200, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)
    print(f"{name}: {(IMAGES / name).stat().st_size // 1024} kB")


def visit(browser, server, size, theme, **options):
    context = browser.new_context(viewport=size, **options)
    settings = {**page_tests.AT_ONCE, "theme": theme}
    context.add_init_script(f"localStorage['kibitz.settings'] = '{json.dumps(settings)}'")
    page = context.new_page()
    page.goto(server.url)
    return page


def to_a_choice(page, cards: int = 2) -> bool:
    """Play on to a turn with so many cards to choose from, where a hint has something to say; False
    if the game is over before."""
    while page_tests.turn(page) == "you":
        if page_tests.lit(page).count() >= cards:
            return True
        page_tests.click_move(page)
    return False


def short_game(browser, server) -> None:
    """A few moves with the coach, then the end and the review."""
    page = visit(browser, server, SIZE, "light")
    frames: list[tuple[Image.Image, int]] = [(picture(page), 1600)]
    page_tests.begin(page, "uno", level="club")
    for _ in range(4):
        if not to_a_choice(page):
            break
        frames.append((picture(page), 900))
        page_tests.at(page, "hint").click()
        page.wait_for_selector("[data-testid=advice][data-final=true]")
        frames.append((picture(page), 1800))
        page_tests.click_move(page)
    if to_a_choice(page, 3):
        page_tests.at(page, "hint").click()
        page.wait_for_selector("[data-testid=advice][data-final=true]")
    keep(picture(page), "table.png")
    page_tests.play_out(page, page_tests.click_move)
    page_tests.at(page, "fairness").wait_for()
    frames.append((picture(page), 1800))
    page_tests.at(page, "review").click()
    page.wait_for_selector("[data-testid=review-costs]")
    page.wait_for_timeout(500)
    frames.append((picture(page), 2500))
    keep(Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB"), "review.png")
    images = [small(image, SHOWN) for image, _ in frames]
    palette = images[2].quantize(COLOURS)
    images = [
        image.quantize(COLOURS, palette=palette, dither=Image.Dither.NONE) for image in images
    ]
    images[0].save(
        IMAGES / "play.gif",
        save_all=True,
        append_images=images[1:],
        duration=[time for _, time in frames],
        loop=0,
        optimize=True,
    )
    print(f"play.gif: {(IMAGES / 'play.gif').stat().st_size // 1024} kB")


def phones(browser, server) -> None:
    """Three screens side by side: UNO, Blob, a real table."""
    shots = []
    for game, rules, theme in (
        ("uno", {}, "dark"),
        ("blob", {"players": 5, "cards": 6}, "light"),
    ):
        page = visit(browser, server, page_tests.NARROW, theme, device_scale_factor=2)
        page_tests.begin(page, game, level="club", **rules)
        for _ in range(3):
            page_tests.turn(page)
            page_tests.click_move(page)
        to_a_choice(page)
        page.keyboard.press("h")
        page.wait_for_selector("[data-testid=advice][data-final=true]", state="attached")
        page.wait_for_timeout(300)
        shots.append(picture(page))
    page = visit(browser, server, page_tests.NARROW, "light", device_scale_factor=2)
    page.goto(f"{server.url}/real")
    page_tests.at(page, "real-typed").fill("R5 R9 Y2 Y7 G3 GS W")
    page_tests.at(page, "real-typed").press("Enter")
    page_tests.at(page, "real-up-R3").click()
    page_tests.at(page, "real-start").click()
    page.wait_for_selector("[data-testid=real-advice][data-final=true]")
    shots.append(picture(page))
    gap = 40
    width = sum(shot.width for shot in shots) + gap * (len(shots) - 1)
    whole = Image.new("RGB", (width, shots[0].height), "#ffffff")
    at = 0
    for shot in shots:
        whole.paste(shot, (at, 0))
        at += shot.width + gap
    keep(whole, "phones.png")


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        page_tests.sync_api.sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=page_tests.CHROMIUM, args=page_tests.FLAGS
        )
        server = page_tests.Server(Path(folder))
        try:
            short_game(browser, server)
            phones(browser, server)
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main()
