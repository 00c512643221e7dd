"""Running the page's scripts with node, for the tests that ask them questions."""

import json
import shutil
import subprocess
from importlib.resources import files

import pytest

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="needs node, which runs the page's scripts")


def run(folder, script, given):
    """The JSON that a module prints which has all of the page's beside it, and `given` as JSON on
    its standard input."""
    shutil.copytree(files("kibitz") / "web" / "static", folder, dirs_exist_ok=True)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "asked.js").write_text(
        'import { readFileSync } from "node:fs";\n'
        'const given = JSON.parse(readFileSync(0, "utf8"));\n'
        f"{script}\n"
    )
    done = subprocess.run(
        [NODE, folder / "asked.js"],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
