"""Files of records: JSON lines, appended atomically, read with mercy for a torn end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from kibitz.games.base import KibitzError
from kibitz.table.record import Record, SeatRecord, parse_record

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows: appends are not interleaved by us alone
    fcntl = None  # type: ignore[assignment]


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def append_record(path: str | Path, record: Record | SeatRecord) -> None:
    """Add one line to a file. Either the whole line gets there or, if the machine dies, a torn end
    that readers skip and the next append leaves behind on a line of its own."""
    if not isinstance(record, Record | SeatRecord):
        raise KibitzError(f"a record is written, such as table.record(), not {record!r}")
    append_text(path, record.to_json() + "\n", sync=True)


def append_text(path: str | Path, text: str, *, sync: bool) -> None:
    """Add lines to a file; `sync`: wait until they are on the disk. After a torn end they begin a
    line of their own."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            _append(handle, text.encode())
            if sync:
                os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise KibitzError(f"cannot write {path}: {_reason(error)}") from None
    except ValueError as error:  # a name that no file can have
        raise KibitzError(f"cannot write {str(path)!r}: {error}") from None


def _append(handle: int, data: bytes) -> None:
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX)
    size = os.fstat(handle).st_size
    if size and os.pread(handle, 1, size - 1) != b"\n":
        data = b"\n" + data
    while data:
        data = data[os.write(handle, data) :]


def read_records(
    path: str | Path, warn: Callable[[str], None] | None = None
) -> list[Record | SeatRecord]:
    """All readable records of a file. Lines that cannot be read are told to `warn` and skipped; a
    file without one readable record is an error."""
    return list(iter_records(path, warn))


def iter_records(
    path: str | Path, warn: Callable[[str], None] | None = None
) -> Iterator[Record | SeatRecord]:
    """The same, one after another: no more of the file is read than is asked for."""
    found = False
    problems: list[str] = []
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            record = parse_record(line)
        except KibitzError as error:
            torn = "" if line.endswith("\n") else " (torn last line)"
            problems.append(f"{path}, line {number}: {error}{torn}")
            continue  # told with the next record: if there is none, the first of them is the error
        found = True
        _tell(problems, warn)
        yield record
    if not found:
        reason = problems[0] if problems else f"{path}: it is empty"
        raise KibitzError(
            f"no game record in {reason}; a record is one line of JSON as written by "
            "`kibitz simulate --save`"
        )
    _tell(problems, warn)


def _lines(path: str | Path) -> Iterator[str]:
    try:
        with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
            yield from file
    except OSError as error:
        raise KibitzError(f"cannot read {path}: {_reason(error)}") from None


def _tell(problems: list[str], warn: Callable[[str], None] | None) -> None:
    for problem in problems:
        if warn is not None:
            warn(f"{problem}; skipped")
    problems.clear()
