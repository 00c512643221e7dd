#!/bin/sh
# The checks behind `./kibitz test`, which installs the tools first.
# With arguments, only pytest runs, and gets them.
set -u

cd "$(dirname "$0")/.." || exit 1
PATH=$PWD/.venv/bin:$PATH
export PATH

if [ $# -gt 0 ]; then
    exec pytest "$@"
fi

# Ctrl-C ends the whole sequence, not just the check at hand.
trap 'exit 130' INT

failed=
check() { # $1 = name, the rest = command
    name=$1
    shift
    printf '\n== %s ==\n' "$name"
    "$@" || failed="${failed:+$failed, }$name"
}

# All checks run even after a failure: one run shows everything there is to mend.
check 'ruff check' ruff check
check 'ruff format' ruff format --check
check 'mypy' mypy
check 'lint-imports' lint-imports
check 'pytest' pytest -n 2

if [ -n "$failed" ]; then
    printf '\nFailed: %s\n' "$failed"
    exit 1
fi
printf '\nAll checks passed.\n'
