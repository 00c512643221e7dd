"""Fixtures that several files of tests use."""

import sys

import pytest

LONGEST = "test_pure_python.py"
COMPILING = "Compiling for this machine"


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command line in this process: exit code, output, errors."""
    from kibitz.cli import app

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["kibitz", *map(str, arguments)])
        capsys.readouterr()
        code = app._run()
        captured = capsys.readouterr()
        # on a new machine the first command to need a kernel also says that it compiles
        said = [line for line in captured.err.splitlines(True) if COMPILING not in line]
        return code, captured.out, "".join(said)

    return call


def pytest_collection_modifyitems(items):
    """What takes longest begins first: at the end one process would wait for the other."""
    items.sort(key=lambda item: item.path.name != LONGEST)
