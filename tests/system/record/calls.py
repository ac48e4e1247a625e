"""What strace saw a program do to files, as lines that are the same in each run."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from posixpath import basename, join, normpath

_BY_HANDLE = frozenset("write pwrite64 fsync fdatasync ftruncate fchmod fchown fsetxattr".split())
_BY_NAME = frozenset(
    "openat open creat rename renameat renameat2 link linkat unlink unlinkat chmod chown utimensat mkdir rmdir symlink "
    "symlinkat setxattr copy_file_range sendfile".split()
)
# What makes no difference to a flush that another thread is at.
_BESIDE_A_FLUSH = frozenset("chmod fchmod chown fchown utimensat setxattr fsetxattr fsync fdatasync".split())
_LINE = re.compile(r"(\d+) +(?:(\w+)\((.*)|<\.\.\. \w+ resumed>(.*))")
_UNFINISHED = " <unfinished ...>"
_END = re.compile(r"(.*)\) += (-?\d+|\?)(?:<.*>)?(?: (E\w+))?.*")
_PLACE = re.compile(r'(?:AT_FDCWD|\b\d+)<([^>]*)>|"((?:[^"\\]|\\.)*)"')
_WRITES = re.compile("(write|pwrite64) ")
_MODE = re.compile(r"\b0\d{3,4}\b")
_RANDOM = re.compile(r"[0-9a-f]{12,}|^[a-z0-9_]{8}$")  # the second is how Python's tempfile names what it tries


def why_not() -> str:
    """Why no calls can be seen on this machine, as a sentence; "" where they can."""
    if shutil.which("strace") is None:
        return "strace is not installed, so the file system calls of saves are left out."
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False)
    return f"strace does not work here, so saves are left out: {tried.stderr.strip()}" if tried.returncode else ""


def watching(trace: Path) -> tuple[str, ...]:
    """What to put before a command, so that its calls come into a file."""
    names = ",".join(sorted(f"?{name}" for name in _BY_HANDLE | _BY_NAME))
    return ("strace", "--seccomp-bpf", "-f", "-y", "-s", "0", "-o", str(trace), "-e", f"trace={names}")


@dataclass
class _Call:
    is_first_thread: bool
    name: str
    arguments: str
    folder: str  # that the program runs in
    error: str = ""

    def places(self) -> list[str]:
        """The paths that it is about, absolute."""
        found, base = list[str](), ""
        for handle, text in _PLACE.findall(self.arguments):
            if handle:
                found, base = [*found, *([base] if base else [])], handle.removesuffix(" (deleted)")
                if self.name in _BY_HANDLE:
                    break
            else:
                found, base = [*found, normpath(join(base or self.folder, text))], ""
                if self.name == "setxattr":
                    break
        return [*found, base] if base else found

    def changes(self) -> bool:
        """Whether it is more than a file that is opened to be read."""
        return not self.name.startswith("open") or any(each in self.arguments for each in ("O_WR", "O_RDWR", "O_CREAT"))

    def told(self) -> str:
        """What is said of it beside its name and its paths."""
        flags = re.findall(r"O_(?!CLOEXEC|NOFOLLOW)[A-Z]+", self.arguments) if self.name.startswith("open") else []
        mode = _MODE.findall(_PLACE.sub("", self.arguments))
        return " ".join(["", *flags, *mode, *([self.error] if self.error else [])])


def lines(trace: Path, folder: Path, roots: dict[str, str], known: set[str]) -> list[str]:
    """The calls of a program that ran in `folder`, on paths in the `roots`, each of which is written as its name.

    A name of a file that is none of the `known` ones is temporary, and its random digits are numbered. Pieces that are
    written one after the other are one. A flush that another thread does is written as late as it may be, before the
    next call that needs it.
    """
    process, seen = _read(trace, str(folder))
    calls = [
        call for call in seen if call.changes() and any(_inside(each, root) for each in call.places() for root in roots)
    ]
    _put_flushes(calls)
    numbers: dict[str, str] = {}

    def named(place: str) -> str:
        for root, short in roots.items():
            if _inside(place, root):
                pieces = place[len(root) :].split("/")
                return short + "/".join(each if each in known else _settled(each, process, numbers) for each in pieces)
        return place

    made = [" ".join([call.name, *map(named, call.places())]) + call.told() for call in calls]
    return [each for before, each in zip(["", *made], made, strict=False) if each != before or not _WRITES.match(each)]


def _read(trace: Path, folder: str) -> tuple[str, list[_Call]]:
    """The number of the first thread, whose calls come where they begin, and all calls; others come where they end."""
    first, calls, open_ = "", list[_Call](), dict[str, _Call]()
    for line in trace.read_text(encoding="utf-8", errors="replace").splitlines():
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        thread, name, rest, resumed = found.groups()
        first = first or thread
        if name is None:
            call = open_.pop(thread)
            call.arguments += resumed
        else:
            call = _Call(thread == first, name, rest.removesuffix(_UNFINISHED), folder)
            if rest.endswith(_UNFINISHED):
                open_[thread] = call
        begins, ends = name is not None, thread not in open_
        if begins if call.is_first_thread else ends:
            calls.append(call)
    for call in calls:
        end = _END.fullmatch(call.arguments)
        if end is not None:
            call.arguments, call.error = end[1], end[3] or ""
    return first, calls


def _put_flushes(calls: list[_Call]) -> None:
    for start in reversed(range(len(calls))):
        call, at = calls[start], start
        if call.is_first_thread or call.name not in ("fsync", "fdatasync"):
            continue
        (place,) = call.places()
        while at + 1 < len(calls) and not _needs(calls[at + 1], place):
            calls[at], at = calls[at + 1], at + 1
        calls[at] = call


def _needs(call: _Call, place: str) -> bool:
    return call.name not in _BESIDE_A_FLUSH and any(_inside(place, each) for each in call.places())


def _inside(place: str, folder: str) -> bool:
    return place == folder or place.startswith(f"{folder}/")


def _settled(name: str, process: str, numbers: dict[str, str]) -> str:
    name = re.sub(rf"\b{process}\b", "PID", name)
    return _RANDOM.sub(lambda found: numbers.setdefault(found[0], f"#{len(numbers) + 1}"), name)


def names_in(*folders: Path) -> set[str]:
    """Every name in some folders."""
    return {basename(each) for folder in folders for each in folder.rglob("*")}
