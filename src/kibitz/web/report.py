"""A review as one file: opens from disk with a double click, and asks nobody for anything.

The page's own modules draw it. Browsers load no modules from disk, so they are put into one script,
each in a function of its own that gives back what it exports.
"""

from __future__ import annotations

import json
import posixpath
import re
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

ENTRY = "review.js"
STYLES = ("style.css", "charts.css", "review.css")

_IMPORT = re.compile(r'^import\s*\{([^}]*)\}\s*from\s*"(\.[a-z0-9_./]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
_EXPORTS = re.compile(r"^export \{([^}]*)\};\n", re.MULTILINE)
_LEFT = re.compile(r"^\s*(import|export)\b.*$", re.MULTILINE)


def write_report(review: dict[str, Any], path: Path) -> None:
    """Write the review, as `Review.to_dict` gives it, to a file for a browser."""
    path.write_text(report_html(review), encoding="utf-8")


def report_html(review: dict[str, Any]) -> str:
    players = review.get("players") or []
    title = "Review: " + " against ".join(str(name) for name in players) if players else "Review"
    return _PAGE.format(
        title=escape(title),
        style="\n".join(_text(name) for name in STYLES),
        data=_data(review),
        script=_script(),
    )


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<main><div class="page" id="review"></div></main>
<script type="application/json" id="data">{data}</script>
<script>
{script}
</script>
</body>
</html>
"""


def _text(name: str) -> str:
    return files("kibitz.web").joinpath("static", name).read_text(encoding="utf-8")


def _data(review: dict[str, Any]) -> str:
    """JSON in which nothing can end the element it stands in: a name may be any text."""
    text = json.dumps(review, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _script() -> str:
    order: list[str] = []
    _collect(ENTRY, order)
    parts = ['"use strict";', "const modules = {};", *(_wrapped(name) for name in order), _START]
    script = "\n".join(parts)
    if "</script" in script.lower() or "<!--" in script:
        raise ValueError("a module holds text that would end the script it is put into")
    return script


_START = f"""\
const theme = matchMedia("(prefers-color-scheme: dark)");
const paint = () => {{
  document.documentElement.dataset.theme = theme.matches ? "dark" : "light";
}};
paint();
theme.addEventListener("change", paint);
modules["{ENTRY}"].renderReview(
  document.getElementById("review"),
  JSON.parse(document.getElementById("data").textContent),
);"""


def _collect(name: str, order: list[str]) -> None:
    """The modules that `name` needs, each after those it needs itself."""
    if name in order:
        return
    for found in _IMPORT.finditer(_text(name)):
        _collect(_beside(name, found[2]), order)
    order.append(name)


def _beside(name: str, path: str) -> str:
    """The module that `name` means by a path."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def _wrapped(name: str) -> str:
    """A module as a function that is called at once."""
    text = _text(name)
    exported = _EXPORT.findall(text)
    for found in _EXPORTS.finditer(text):
        exported += [part.strip() for part in found[1].split(",") if part.strip()]
    text = _EXPORTS.sub("", text)
    text = _IMPORT.sub(
        lambda m: f'const {{{_renamed(m[1])}}} = modules["{_beside(name, m[2])}"];\n', text
    )
    text = re.sub(r"^export (?=async |function|class|const|let)", "", text, flags=re.MULTILINE)
    if left := _LEFT.search(text):
        raise ValueError(f"{name}: {left[0].strip()!r} cannot be put into a report")
    return f'modules["{name}"] = (() => {{\n{text}\nreturn {{ {", ".join(exported)} }};\n}})();'


def _renamed(names: str) -> str:
    """`a as b` of an import is `a: b` where an object is taken apart."""
    return re.sub(r"(\w+) as (\w+)", r"\1: \2", names)
