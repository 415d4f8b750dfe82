"""What SQLite does to its files, in order: a layer between SQLite and the operating system that writes everything down.

SQLite reaches files through a table of functions (a "VFS"). A copy of that table, with a few functions of ours, is made the
default for a while. Connections that are opened inside must be closed inside.
"""

import ctypes
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, Structure, addressof, c_char_p, c_int, c_int64, c_void_p, cast, pointer, string_at
from dataclasses import dataclass
from pathlib import Path

OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))     # SQLite keeps the pointer of the name
DELETE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int)
WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
TRUNCATE = CFUNCTYPE(c_int, c_void_p, c_int64)
SYNC = CFUNCTYPE(c_int, c_void_p, c_int)


class Vfs(Structure):
    _fields_ = [
        ("version", c_int), ("size_of_file", c_int), ("longest_path", c_int), ("next", c_void_p), ("name", c_char_p),
        ("data", c_void_p), ("open", OPEN), ("delete", DELETE), ("rest", c_void_p * 13),
    ]  # fmt: skip


class Methods(Structure):
    _fields_ = [
        ("version", c_int), ("close", c_void_p), ("read", c_void_p), ("write", WRITE), ("truncate", TRUNCATE), ("sync", SYNC),
        ("rest", c_void_p * 13),
    ]  # fmt: skip


class File(Structure):
    _fields_ = [("methods", POINTER(Methods))]


@dataclass(frozen=True)
class Did:
    """One thing that was done to a file."""

    what: str                                        # write, truncate, sync or delete
    name: str
    at: int = 0                                      # where it was written, or the new length
    content: bytes = b""


@contextmanager
def recording(told: Callable[[Did], None]) -> Iterator[None]:
    """Inside, ``told`` hears of everything just before it is done."""
    library = ctypes.CDLL(_library())
    library.sqlite3_vfs_find.restype = POINTER(Vfs)
    found = library.sqlite3_vfs_find(None)
    own, keep, names = Vfs.from_buffer_copy(found.contents), [], {}

    def methods(file, name):
        theirs = cast(file, POINTER(File)).contents
        if not theirs.methods:
            return
        was, mine = theirs.methods.contents, Methods.from_buffer_copy(theirs.methods.contents)
        names[file] = name

        def write(file, content, length, at):
            told(Did("write", names[file], at, string_at(content, length)))
            return was.write(file, content, length, at)

        def truncate(file, length):
            told(Did("truncate", names[file], length))
            return was.truncate(file, length)

        def sync(file, flags):
            code = was.sync(file, flags)
            told(Did("sync", names[file]))                              # only now does it hold
            return code

        mine.write, mine.truncate, mine.sync = WRITE(write), TRUNCATE(truncate), SYNC(sync)
        keep.append(mine)
        theirs.methods = pointer(mine)

    def open_(_, name, file, flags, out):
        code = found.contents.open(addressof(found.contents), name, file, flags, out)
        if code == 0 and name:
            methods(file, Path(string_at(name).decode()).name)
        return code

    def delete(_, name, sync):
        told(Did("delete", Path(string_at(name).decode()).name))
        return found.contents.delete(addressof(found.contents), name, sync)

    own.open, own.delete, own.name = OPEN(open_), DELETE(delete), b"recording"
    library.sqlite3_vfs_register(pointer(own), 1)
    try:
        yield
    finally:
        library.sqlite3_vfs_unregister(pointer(own))
        library.sqlite3_vfs_register(found, 1)


def _library() -> str:
    """The SQLite that Python uses."""
    sqlite3.connect(":memory:").close()
    for line in Path("/proc/self/maps").read_text().splitlines():
        if "libsqlite3" in line:
            return line.split()[-1]
    import _sqlite3

    return _sqlite3.__file__                         # it is inside
