"""Prints the lines of requirements.lock, hashes and all, that parts of Kibitz need:

    python .ci/locked.py build           what builds the project, and dependencies that are sources
    python .ci/locked.py base,peers,...  what the project needs, and its extras

pip has no way to take a part of a file, and none to take hashes from constraints.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILDERS = ["setuptools"]
"""What builds the dependencies that come as sources."""


def name_of(text):
    """The name of a package at the beginning of a requirement, as pip compares it."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]*", text)[0]).lower()


def entries(text):
    """Of each entry its name, its lines and the names of those that want it."""
    found = []
    for line in text.splitlines():
        if line and line[0] not in " #":
            found.append((name_of(line), [line], set()))
        elif line.startswith("    --hash"):
            found[-1][1].append(line)
        elif line.startswith("    #") and (by := line.strip("# ").removeprefix("via").strip()):
            found[-1][2].add(name_of(by))
    return found


def select(parts, project, lock):
    """The entries that parts of a project (as pyproject.toml has it) need, in their order."""
    asked = []
    for part in parts:
        if part == "build":
            asked += [*project["build-system"]["requires"], *BUILDERS]
        elif part == "base":
            asked += project["project"]["dependencies"]
        else:
            asked += project["project"]["optional-dependencies"][part]
    locked = entries(lock)
    wanted = {name_of(each) for each in asked}
    if missing := wanted - {name for name, _, _ in locked}:
        raise SystemExit(f"requirements.lock lacks {', '.join(missing)}: make it anew, as it says")
    before = 0
    while len(wanted) > before:
        before = len(wanted)
        wanted |= {name for name, _, by in locked if by & wanted}
    return [lines for name, lines, _ in locked if name in wanted]


def main():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for lines in select(sys.argv[1].split(","), project, lock):
        print(*(line.rstrip(" \\") for line in lines), sep=" \\\n")


if __name__ == "__main__":
    main()
