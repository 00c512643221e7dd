"""Machine code on disk: a file for each kernel and types of arguments, in place of numba's cache.

May import numba and the standard library. Differs from numba's own cache in four things:

* **Damage heals.** A file begins with a digest of its name and content. What does not agree, or
  cannot be loaded, is thrown away and compiled anew, and one line says so: numba's would raise an
  error at every start, and hand a bit that fell over to the processor.
* **No index.** numba numbers its files in one, so two processes that write at once may be given
  each other's code. Here a name is made of what the file is for, and the file says it again.
* **Games of others.** Code that was compiled for a game of another package is named by a hash of
  that package's sources, too.
* **One place.** Files lie in the folder that `_jit` gives and nowhere else. numba falls back to a
  folder beside the source, where code may be stale. What cannot be written is not kept, and said.
"""

import atexit
import hashlib
import os
import pickle
import shutil
import stat
import sys
import tempfile
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path

import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

OWN = __name__.partition(".")[0]
DIGEST = 16
"""Bytes at the beginning of a file."""
MADE_BY = (sys.version_info[:3], sys.abiflags, numba.__version__, np.__version__)
"""Machine code holds addresses and layouts of these."""

_told: set[str] = set()


def tell_once(kind, text):
    """One line of each kind, however many files there are: with one damaged come others."""
    if kind not in _told:
        _told.add(kind)
        print(f"kibitz: {text}", file=sys.stderr, flush=True)


class KernelCache(FunctionCache):
    """The files of one kernel, as numba's dispatcher wants them."""

    def __init__(self, function, folder):
        self._py_func = function  # of it numba makes the key
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._folder = folder
        self.enable()

    @property
    def cache_path(self):
        return str(self._folder)

    def flush(self):
        for path in self._folder.glob(f"{self._name}-*"):
            path.unlink(missing_ok=True)

    def load_overload(self, sig, target_context):
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        path = self._path(key)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            tell_once("read", f"machine code in {path} cannot be read: {error.strerror}")
            return None
        try:
            return _loaded(path.name, content, key, target_context)
        except Exception:  # numba and pickle raise whatever they like
            with suppress(OSError):
                path.unlink()
            tell_once("bad", f"{path} holds no machine code of ours: thrown away, compiled anew")
            return None

    def save_overload(self, sig, data):
        if data.library.has_dynamic_globals:
            warnings.warn(f"{self._name} holds an address, and cannot be kept", stacklevel=2)
            return
        key = self._key(sig, data.codegen)
        path = self._path(key)
        code = dumps((key, data._reduce()))
        try:
            _write(path, _digest(path.name, code) + code)
        except OSError as error:
            tell_once("write", f"machine code in {path.parent} cannot be kept: {error.strerror}")

    def _key(self, sig, codegen):
        # `_jit` names the folder by the sources of this package
        others = {self._py_func.__module__, *_modules(sig)}
        sources = [_sources(top) for top in sorted({m.partition(".")[0] for m in others} - {OWN})]
        line = self._py_func.__code__.co_firstlineno
        return MADE_BY, line, *self._index_key(sig, codegen), *sources

    def _path(self, key):
        # kinds of arguments that are written alike share a name; the key in the file tells
        name = hashlib.blake2b(repr(key).encode(), digest_size=12).hexdigest()
        return self._folder / f"{self._name}-{name}"


def _modules(kind):
    """Where the named tuples among the types of arguments come from: parameters of a game."""
    if (made := getattr(kind, "instance_class", None)) is not None:
        yield made.__module__
    for inner in kind if isinstance(kind, tuple) else getattr(kind, "types", ()):
        yield from _modules(inner)


@cache
def _sources(top):
    """A hash of all sources of a package, or of a module alone."""
    module = sys.modules[top]
    folders = getattr(module, "__path__", None)
    paths = [module.__file__] if folders is None else [p for f in folders for p in _python(f)]
    return hashlib.blake2b(b"\0".join(Path(p).read_bytes() for p in paths)).hexdigest()


def _python(folder):
    return sorted(Path(folder).rglob("*.py"))


def _digest(name, code):
    return hashlib.blake2b(name.encode() + b"\0" + code, digest_size=DIGEST).digest()


def _loaded(name, content, key, target_context):
    code = content[DIGEST:]
    if content[:DIGEST] != _digest(name, code):
        raise ValueError("damaged")
    found, reduced = pickle.loads(code)
    return CompileResult._rebuild(target_context, *reduced) if found == key else None


def _write(path, content):
    """Whole or not at all: others may be reading, or tidying the folder away."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix="new-")
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


# --- the folder ----------------------------------------------------------------------------------


def usable(folder):
    """Make it if need be, and try to write there. What is wrong, or None."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return error.strerror or str(error)


def private_folder():
    """A temporary folder that is ours alone: nobody else may put code there for us to run. It
    keeps its name, so that the next start finds what this one compiled."""
    try:
        folder = Path(tempfile.gettempdir(), f"kibitz-{os.getuid()}")
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
        alone = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077
        if alone and found.st_uid == os.getuid() and usable(folder) is None:
            return folder
        folder = Path(tempfile.mkdtemp(prefix="kibitz-"))
    except OSError:
        return None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
