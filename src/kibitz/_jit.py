"""The `kernel` decorator: the only place that decides how numba compiles and caches.

May import numba, the standard library and `_cache`. Importing this module costs the
import of numba (about a second), so everything that must start at once imports it late.

Two decisions live here:

* **Cache.** numba's cache looks only at the file of the function itself, so editing a callee (or a
  constant in another file) leaves stale machine code behind. Ours (`_cache`) lies in a folder named
  by a hash of all kernel sources: change any of them and the folder changes.
* **Plain Python.** With ``NUMBA_DISABLE_JIT=1`` the same source runs as plain Python with the same
  results: the oracle in tests, the debugger, and the coverage run. numpy then warns about the
  wrap-around of unsigned arithmetic that the kernels rely on; we silence exactly that.
"""

import hashlib
import multiprocessing
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path

import numba
import numpy as np
from numba.core import event as numba_event

from kibitz._cache import KernelCache, private_folder, tell_once, usable

PURE = bool(numba.config.DISABLE_JIT)
"""True when kernels run as plain Python."""

if PURE:
    np.seterr(over="ignore")

PACKAGE = Path(__file__).parent
KEEP_CACHES = 3


def kernel_sources():
    """Every file whose text can end up in machine code: those that import this module at their
    top, and `layout.py` and `learnt.py` of each game, whose constants and record layouts the
    kernels take in; and the two that write it. A test checks that they import no other file."""
    found = []
    for folder, folders, names in os.walk(PACKAGE):
        folders[:] = [name for name in folders if name != "__pycache__"]  # others may be tidying it
        for name in names:
            path = Path(folder, name)
            if name in ("_cache.py", "_jit.py", "layout.py", "learnt.py") or (
                name.endswith(".py") and b"\nfrom kibitz._jit import" in path.read_bytes()
            ):
                found.append(path)
    return sorted(found)


def source_hash():
    digest = hashlib.blake2b(digest_size=8)
    for path in kernel_sources():
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _cache_roots():
    """Where the machine code of all sources may lie: where the user says; else in the package's
    own cache folder, or the user's."""
    chosen = os.environ.get("KIBITZ_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return [Path(chosen)]
    found = [PACKAGE / "__pycache__"]
    with suppress(RuntimeError):  # a user without a home
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        found.append(Path(base) / "kibitz")
    return found


def _cache_dir():
    """Folder for the machine code of these sources, or None if nothing can be written anywhere;
    the oldest of earlier sources are removed."""
    name = f"kernels-{source_hash()}"
    roots = _cache_roots()
    for root in roots:
        wrong = usable(root / name)
        if wrong is None:
            break
    else:
        root = private_folder()
        if multiprocessing.parent_process() is None:  # else the one who started us has said it
            instead = "it is kept nowhere" if root is None else f"it goes to {root}"
            tell_once("write", f"machine code cannot be kept in {roots[-1]} ({wrong}): {instead}")
        if root is None or usable(root / name) is not None:
            return None
    folder = root / name
    with suppress(OSError):  # others may be tidying it
        os.utime(folder)
        others = sorted(root.glob("kernels-*"), key=lambda p: p.stat().st_mtime, reverse=True)
        for old in others[KEEP_CACHES:]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


CACHE_DIR = _cache_dir() if not PURE else None


def _compile(function, **options):
    if PURE:
        return function
    compiled = numba.njit(nogil=True, error_model="numpy", **options)(function)
    if CACHE_DIR is not None:
        compiled._cache = KernelCache(function, CACHE_DIR)
    return compiled


INLINE = {"forceinline": True, "_nrt": False}


def kernel(function):
    """Compile `function` to machine code, cached on disk, running without the GIL."""
    return _compile(function)


def inline_kernel(function):
    """A kernel that is always copied into its callers, and that makes and returns no array.

    For what runs at every ply: LLVM leaves a function alone that holds a rare but large branch (the
    next deal, a reshuffle), and the calls then cost as much as the game. numba would also count
    references to the arrays passed in, which took a third of a Blob rollout; without its runtime
    (`_nrt`) it does not, and a kernel that makes an array fails to compile."""
    return _compile(function, **INLINE)


class _Listener(numba_event.Listener):
    def __init__(self, tell):
        self.tell = tell

    def on_start(self, event):
        self.tell(event.data["dispatcher"].py_func)

    def on_end(self, event):
        pass


@contextmanager
def watch_compilation(tell):
    """Call `tell(function)` whenever a kernel is compiled: nothing was found in the cache."""
    listener = _Listener(tell)
    numba_event.register("numba:compile", listener)
    try:
        yield
    finally:
        numba_event.unregister("numba:compile", listener)
