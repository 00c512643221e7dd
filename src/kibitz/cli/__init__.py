"""The command line. Imports `kibitz.api` alone, and nothing that needs numba before a command runs,
so that `kibitz --help` is instant."""

from kibitz.cli.app import main

__all__ = ["main"]
