"""The library that makes file operations fail: built by the C compiler of this machine, loaded before the C library.

What is patched in Python alone would leave out SQLite, which writes by itself.
"""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

# The order of both enums of shim.c.
OPERATIONS = (
    "open", "write", "fsync", "rename", "link", "unlink", "chmod", "chown", "setxattr", "mkdir", "truncate", "copy",
)  # fmt: skip
FAULTS = {
    "fails once": "an error of the device, once",
    "full": "no space left, from then on",
    "cut short": "half of it is written, then no space is left",
    "killed before": "the process ends before it",
    "killed after": "the process ends behind it",
    "denied": "not permitted, once",
    "read-only": "the file system takes no change any more",
}
KILLED = ("killed before", "killed after")
_WRITES = ("write", "copy")
_NEVER_DENIED = (*_WRITES, "fsync", "truncate")
SOURCE = Path(__file__).with_name("shim.c")


def why_not() -> str:
    """Why no operation can be made to fail here; "" where it can."""
    if not sys.platform.startswith("linux"):
        return "file operations are made to fail by a library for Linux"
    if shutil.which("cc") is None:
        return "there is no C compiler (cc) to build the library that makes file operations fail"
    return ""


def built(folder: Path) -> Path:
    """The library, in `folder`."""
    library = folder / "faults.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"], check=True)
    return library


def applies(fault: str, operation: str) -> bool:
    """Whether a fault can befall an operation."""
    if fault == "cut short":
        return operation in _WRITES
    return fault != "denied" or operation not in _NEVER_DENIED


class Shim:
    """The library that this process was started with (LD_PRELOAD)."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        self._library.faults_arm.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_long, ctypes.c_int]
        self._library.faults_count.restype = ctypes.c_long

    def arm(self, folder: Path, operation: str = "open", number: int = 0, fault: str = "fails once") -> None:
        """Count the operations below `folder`, and let the numbered one of its kind fail; none for number 0."""
        kind = list(FAULTS).index(fault)
        self._library.faults_arm(os.fsencode(folder), OPERATIONS.index(operation), number, kind)

    def disarm(self) -> None:
        self._library.faults_disarm()

    @property
    def counts(self) -> dict[str, int]:
        """How many operations there were of each kind."""
        return {name: self._library.faults_count(number) for number, name in enumerate(OPERATIONS)}

    @property
    def tripped(self) -> bool:
        return bool(self._library.faults_tripped())
