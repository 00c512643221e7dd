#!/bin/sh
# Makes requirements.lock anew, after a change of pyproject.toml or for newer versions; uv is needed.
#
#   sh .ci/lock.sh                          versions stay as they are where they can
#   sh .ci/lock.sh --upgrade                all are the newest
#   sh .ci/lock.sh --upgrade-package NAME   one is
set -eu

cd "$(dirname "$0")/.."
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
cp requirements.lock "$new/lock"
# what builds the project is no dependency of it, but is locked like one
sed -n 's/^requires = \["\(.*\)"\]$/\1/p' pyproject.toml >"$new/build.in"
# No index is named in the file: each machine has its own.
uv pip compile pyproject.toml "$new/build.in" --quiet --output-file "$new/lock" --universal \
    --python-version 3.11 --fork-strategy fewest --all-extras --generate-hashes --no-header \
    --no-emit-index-url "$@"
# uv names its files in the notes of who wants what: those are of no use, and of this machine
(grep '^# ' requirements.lock; sed "s|-r $new/build.in|pyproject.toml|" "$new/lock") >"$new/whole"
cp "$new/whole" requirements.lock
