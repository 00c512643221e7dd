"""Compilation: the cache is never stale, and the small operations on bits are what they say."""

import ast
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

import numba
import numpy as np
import pytest

import kibitz
from helpers import clean_environment
from kibitz import _cache, _jit, bits, contract

# --- the cache -----------------------------------------------------------------------------------

PROGRAM = """
import json
import numpy as np
import kibitz
from kibitz import _cache, _jit, players

rules = kibitz.rules("uno")
state = kibitz.game_of(rules).new_state()
state.hand[0, 0] = 1 << 5 | 1 << 10  # R5 and RS on R3
state.top_rank = 3
compiled = []
with _jit.watch_compilation(lambda function: compiled.append(function.__name__)):
    choice = players.favourites(rules.params, state, players.RULE, np.zeros(64))
    state.turn = 1  # an empty hand: it must draw
    draw = players.favourites(rules.params, state, players.RULE, np.zeros(64))
print(json.dumps([kibitz.__file__, int(choice), int(draw), compiled]))
"""
"""A kernel of `kibitz.players` that calls, through the contract, kernels of `kibitz.games.uno`."""

R5, RS, DRAW = 1 << 5, 1 << 10, 1 << 15


class Copy:
    """A copy of the package, to be edited, with a cache of its own."""

    def __init__(self, folder):
        self.package = folder / "src" / "kibitz"
        self.cache = folder / "cache"
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(_jit.PACKAGE, self.package, ignore=ignored)

    def run(self, **environment):
        """Choice among R5 and RS, the draw, and what was compiled for it."""
        found, said = self.told(**environment)
        assert said == []
        return found

    def told(self, **environment):
        """The same, and the lines that were said about it."""
        where = {"PYTHONPATH": str(self.package.parent), "KIBITZ_CACHE_DIR": str(self.cache)}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=clean_environment(**where | environment),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        place, *found = json.loads(done.stdout)
        assert Path(place).parent == self.package
        return tuple(found), done.stderr.splitlines()

    def code(self):
        """The files of machine code."""
        return sorted(path for path in self.cache.rglob("*") if path.is_file())

    def add(self, name, text):
        """Write some more lines at the end of a file, so that they have the last word."""
        with (self.package / name).open("a") as file:
            file.write("\n\n" + text)


OTHER_SCORES = """
@kernel
def rule_scores(params, state, out):
    for action in range(64):
        out[action] = -action
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    copy = Copy(tmp_path_factory.mktemp("package"))
    choice, draw, compiled = copy.run()
    assert (choice, draw) == (RS, DRAW), "the rule player likes action cards"
    assert "favourites" in compiled
    return copy


def test_unchanged_sources_are_not_compiled_again(package):
    assert package.run() == (RS, DRAW, [])


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("games/uno/policy.py", OTHER_SCORES, (R5, DRAW)),
        ("games/uno/layout.py", "DRAW_ONLY = np.uint64(1 << 47)\n", (RS, 1 << 47)),
    ],
    ids=["a callee", "a constant"],
)
def test_a_change_elsewhere_changes_the_result(package, name, text, expected):
    """The kernel called is in `players.py`, which stays as it is."""
    file = package.package / name
    before = file.read_text()
    package.add(name, text)
    try:
        choice, draw, _ = package.run()
    finally:
        file.write_text(before)
    assert (choice, draw) == expected


def test_old_caches_are_removed_and_the_newest_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("KIBITZ_CACHE_DIR", str(tmp_path))
    for age in range(5):
        (tmp_path / f"kernels-{age}").mkdir()
        os.utime(tmp_path / f"kernels-{age}", (1000 - age, 1000 - age))
    (tmp_path / "something else").mkdir()
    now = _jit._cache_dir()
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {now.name, "kernels-0", "kernels-1", "something else"}


def test_the_cache_moves_where_the_package_cannot_be_written(tmp_path, monkeypatch):
    for name in ("KIBITZ_CACHE_DIR", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(_jit, "source_hash", lambda: "now")
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setattr(_jit, "PACKAGE", file)
    assert _jit._cache_dir() == tmp_path / "cache" / "kibitz" / "kernels-now"


def damage(files):
    """Spoil the files in all ways, in turn."""
    ways = (
        lambda content: b"",
        lambda content: content[: len(content) // 2],
        lambda content: content[:-1] + bytes([content[-1] ^ 1]),
        lambda content: content[:99] + bytes([content[99] ^ 128]) + content[100:],
        lambda content: pickle.dumps({"somebody": "else's"}),
        lambda content: files[0].read_bytes(),  # a good one, of another kernel
    )
    for number, file in enumerate(files[1:]):
        file.write_bytes(ways[number % len(ways)](file.read_bytes()))


def test_damaged_machine_code_is_thrown_away_and_compiled_anew(package):
    files = package.code()
    assert len(files) > 6, "there is one of every kind of damage"
    damage(files)
    (choice, draw, compiled), said = package.told()
    assert (choice, draw) == (RS, DRAW)
    assert "favourites" in compiled
    (line,) = said
    assert line.startswith("kibitz: ")
    assert line.endswith(" holds no machine code of ours: thrown away, compiled anew")
    assert package.run() == (RS, DRAW, []), "it has healed"


def test_where_nothing_can_be_written_code_goes_to_a_private_temporary_folder(package, tmp_path):
    """And never to numba's own folder beside the source, where it would be stale after a change."""
    file = tmp_path / "file"
    file.touch()
    nowhere = {"KIBITZ_CACHE_DIR": str(file / "cache"), "TMPDIR": str(tmp_path)}
    private = tmp_path / f"kibitz-{os.getuid()}"
    (choice, draw, compiled), (line,) = package.told(**nowhere)
    assert (choice, draw) == (RS, DRAW)
    assert "favourites" in compiled
    wrong = f"machine code cannot be kept in {file / 'cache'} (Not a directory)"
    assert line == f"kibitz: {wrong}: it goes to {private}"
    assert private.stat().st_mode & 0o777 == 0o700
    assert package.told(**nowhere) == ((RS, DRAW, []), [line]), "it is found again"
    assert not list(package.package.rglob("*.nb[ic]"))


def test_a_temporary_folder_that_others_can_write_is_not_used(tmp_path, monkeypatch):
    """Whoever puts machine code where we look for it has us run it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    name = tmp_path / f"kibitz-{os.getuid()}"
    (tmp_path / "theirs").mkdir(mode=0o700)
    name.symlink_to(tmp_path / "theirs")
    found = [_cache.private_folder()]
    name.unlink()
    name.mkdir()
    name.chmod(0o777)
    found.append(_cache.private_folder())
    for folder in found:
        assert folder not in (name, tmp_path / "theirs")
        assert folder.parent == tmp_path
        assert folder.stat().st_mode & 0o777 == 0o700
    name.chmod(0o700)
    assert _cache.private_folder() == name


def test_machine_code_that_cannot_be_written_is_no_error(package):
    """Such as on a full disk, or where the folder has become one that only others may write."""
    for file in package.code():
        file.unlink()
        file.mkdir()  # no file can take its place
    try:
        (choice, draw, compiled), said = package.told()
    finally:
        shutil.rmtree(package.cache)
    assert (choice, draw) == (RS, DRAW)
    assert "favourites" in compiled
    assert [line.split(" in ")[0] for line in said] == ["kibitz: machine code"] * 2
    assert package.told()[0][:2] == (RS, DRAW)
    assert package.code()


# --- which sources there are ---------------------------------------------------------------------


def module_file(name):
    """The file of a module of Kibitz, or None if there is no such module."""
    base = _jit.PACKAGE.joinpath(*name.split(".")[1:])
    found = [path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()]
    return found[0] if found else None


def imported_modules(source):
    """Modules of Kibitz that a source imports; imports for type checkers do not count."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = {part for part in parts if part.startswith("kibitz.") and module_file(part)}
            found |= modules or {node.module}
    return {name for name in found if name.startswith("kibitz.")}


@pytest.mark.parametrize(
    "path", _jit.kernel_sources(), ids=lambda p: str(p.relative_to(_jit.PACKAGE))
)
def test_kernel_sources_import_kernel_sources_only(path):
    """Otherwise a change in what they import would not change the cache."""
    sources = set(_jit.kernel_sources())
    imported = imported_modules(path.read_text())
    assert {name for name in imported if module_file(name) not in sources} == set()


def test_kernels_and_layouts_are_kernel_sources():
    names = {path.relative_to(_jit.PACKAGE).as_posix() for path in _jit.kernel_sources()}
    for game in ("uno", "blob"):
        assert {f"games/{game}/{name}.py" for name in ("kernels", "layout", "policy")} <= names
    common = {"_jit.py", "bits.py", "rng.py", "contract.py", "players.py", "arena/kernels.py"}
    assert common <= names


def test_an_operation_is_the_kernel_of_its_name_in_a_kernel_source():
    """Were another kernel registered in a file that is no kernel source, old code would stay."""
    sources = {str(path) for path in _jit.kernel_sources()}
    for game in ("uno", "blob"):
        kibitz.game_of(kibitz.rules(game))
    for name, kernels in contract._KERNELS.items():
        assert len(kernels) >= 2
        for kernel in kernels.values():
            function = getattr(kernel, "py_func", kernel)
            assert (function.__name__, function.__code__.co_filename in sources) == (name, True)


def test_imports_are_found_however_they_are_written():
    source = """
from typing import TYPE_CHECKING
import kibitz.view
from kibitz import contract
from kibitz.games.uno import kernels, policy
from kibitz.games.uno.rules import UnoRules
if TYPE_CHECKING:
    from kibitz.table import Table
"""
    assert imported_modules(source) == {
        "kibitz.view",
        "kibitz.contract",
        "kibitz.games.uno.kernels",
        "kibitz.games.uno.policy",
        "kibitz.games.uno.rules",
    }


def test_the_hash_depends_on_every_byte_of_every_source(tmp_path, monkeypatch):
    shutil.copytree(_jit.PACKAGE, tmp_path / "kibitz")
    monkeypatch.setattr(_jit, "PACKAGE", tmp_path / "kibitz")
    hashes = {_jit.source_hash()}
    for path in _jit.kernel_sources():
        with path.open("a") as file:
            file.write("\n")
        hashes.add(_jit.source_hash())
    assert len(hashes) == 1 + len(_jit.kernel_sources())


def test_a_cache_that_another_process_is_removing_is_not_looked_into(tmp_path, monkeypatch):
    """Several processes that start after a change all tidy up at once."""
    package = Copy(tmp_path).package
    (package / "__pycache__" / "kernels-old").mkdir(parents=True)
    look = os.scandir

    def scandir(path="."):
        if "kernels-old" in str(path):
            raise FileNotFoundError(path)
        return look(path)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(_jit, "PACKAGE", package)
    assert package / "games" / "uno" / "kernels.py" in _jit.kernel_sources()


# --- records -------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["uno", "blob"])
def test_no_field_of_a_record_is_hidden_by_an_attribute_of_numpy(game):
    """`state.size` or `state.round` would silently be numpy's own."""
    names = kibitz.game_of(kibitz.rules(game)).dtype.names
    assert "turn" in names
    assert {"size", "round"} <= set(dir(np.record)), "the check looks in the right place"
    assert set(names) & set(dir(np.record)) == set()


# --- bits ----------------------------------------------------------------------------------------


def some_words():
    """Words of every number of members, at random, and the extremes."""
    choice = Random(1)
    words = [sum(1 << n for n in choice.sample(range(64), size)) for size in range(1, 65)]
    return [*words, *(1 << n for n in range(64)), (1 << 64) - 1]


@numba.njit
def counted(word):
    return bits.popcount(word), bits.lowest(word), bits.highest(word)


def test_counting_and_finding_bits():
    for word in some_words():
        members = [n for n in range(64) if word >> n & 1]
        assert counted(np.uint64(word)) == (len(members), members[0], members[-1])


def test_single_and_lowest_bit():
    assert [int(bits.single(n)) for n in range(64)] == [1 << n for n in range(64)]
    for word in some_words():
        assert int(bits.lowest_bit(np.uint64(word))) == word & -word
    assert int(bits.lowest_bit(np.uint64(0))) == 0


def test_select_is_the_portable_select_and_finds_the_member_of_that_rank():
    for word in some_words():
        members = [n for n in range(64) if word >> n & 1]
        for rank, member in enumerate(members):
            assert int(bits.select(np.uint64(word), rank)) == 1 << member
            assert int(bits.select_portable(np.uint64(word), rank)) == 1 << member
