"""Games of other packages: found by their entry points, and left out where they are broken."""

import subprocess
import sys

from helpers import clean_environment

RULES = """
from typing import ClassVar
from kibitz.games.base import Rules

class Good(Rules):
    \"\"\"A game that was installed.\"\"\"
    game: ClassVar[str] = "good"
    title: ClassVar[str] = "Good"
    plays: ClassVar[str] = "good:GAME"
"""


def install(folder, package, points, **sources):
    """What pip leaves of a package with these entry points and modules."""
    facts = folder / f"{package}-1.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    lines = [f"{name} = {value}" for name, value in points.items()]
    (facts / "entry_points.txt").write_text("\n".join(["[kibitz.games]", *lines, ""]))
    for name, text in sources.items():
        (folder / f"{name}.py").write_text(text)


def kibitz(folder, *arguments):
    """The command, with the packages of a folder."""
    path = [str(folder), *(entry for entry in sys.path if entry.endswith("src"))]
    return subprocess.run(
        [sys.executable, "-m", "kibitz", *arguments],
        env=clean_environment(PYTHONPATH=":".join(path)),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_game_of_another_package_is_there(tmp_path):
    install(tmp_path, "goods", {"good": "good:Good"}, good=RULES)
    done = kibitz(tmp_path, "rules")
    assert "A game that was installed." in done.stdout
    assert done.stderr == ""
    assert "no game 'goo' (did you mean 'good'?)" in kibitz(tmp_path, "rules", "goo").stderr


def test_broken_ones_are_named_and_left_out(tmp_path):
    broken = {"typo": "typo:Typo", "uno": "good:Good", "text": "good:__name__", "gone": "gone:Gone"}
    install(tmp_path, "goods", {"good": "good:Good", **broken}, good=RULES, typo="oops")
    done = kibitz(tmp_path, "rules")
    assert done.returncode == 0
    assert "A game that was installed." in done.stdout
    assert "typo" not in done.stdout
    said = {line.split("'")[1]: line for line in done.stderr.splitlines()}
    assert set(said) == set(broken)
    assert "name 'oops' is not defined" in said["typo"]
    assert "its rules are of 'good'" in said["uno"]
    assert "no class of Rules" in said["text"]
    assert "No module named 'gone'" in said["gone"]
