"""Files that one version of the program writes and later ones must load: a plan, a bundle, backups, settings."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import blake2b
from operator import eq
from pathlib import Path

from tests.system.record import pictures
from tests.system.record.running import Room, contents
from tests.system.record.saves import CASE, LOGS, empty

_KINDS = ("file", "folder", "database")
_LOG = "original/file/claude-code-broken.jsonl"
# Where the files lay is written in some of them, and the settings know a log by a digest of its path.
_HERE, _DIGEST = b"@HERE@", b"@LOG@"
_HIDES = "hide_content="
_UNSEEN = ("recent", "folder")  # settings that are not seen in a window with a log open
# A picture has a theme and a size of its own, and shows the repair, which an opened window does not yet.
_WAYS = (), ("--screenshot", "picture.png")


def make(folder: Path, samples: Path, room: Room) -> None:
    """Write the files into a new folder. Raises ValueError where the program fails."""
    empty(room)
    case = room.folder / CASE
    for kind in _KINDS:
        (case / kind).mkdir()
        name = LOGS[kind](samples, case / kind)
        shutil.copytree(case / kind, case / "original" / kind)
        _do(room, "repair", f"{kind}/{name}", "--in-place")
    _do(room, "repair", _LOG, "--send-back", "plan.zip")
    _do(room, "bundle", _LOG, "-o", "bundle.zip")
    came = pictures.opened(room, "--change", _LOG, inside=CASE)
    if came.code:
        raise ValueError(came.err.decode())
    shutil.move(room.folder / "home" / ".config", case / "config")
    shutil.copytree(case, folder)
    _put(folder, {str(case).encode(): _HERE, _name(case / _LOG): _DIGEST})
    empty(room)


def load(folder: Path, room: Room, settings: bool = True) -> Iterator[tuple[str, str]]:
    """Load each: what it is, and how it failed, "" where it did not. `settings` open dozens of windows."""
    empty(room)
    case = room.folder / CASE
    shutil.copytree(folder, case, dirs_exist_ok=True)
    _put(case, {_HERE: str(case).encode(), _DIGEST: _name(case / _LOG)})
    steps: dict[str, Callable[[Room], None]] = {"plan": _plan, "bundle": _bundle}
    steps |= {f"backup of a {kind}": partial(_backup, kind=kind) for kind in _KINDS}
    if settings:
        steps["settings of the window"] = _settings
    for name, step in steps.items():
        try:
            step(room)
            yield name, ""
        except (ValueError, OSError) as error:
            yield name, str(error)
    empty(room)


def _plan(room: Room) -> None:
    case = room.folder / CASE
    with zipfile.ZipFile(case / "plan.zip") as packed:
        packed.extract("plan.json", case)
    _do(room, "repair", _LOG, "--plan", "plan.json", "-o", "repaired.jsonl")
    _do(room, "check", "repaired.jsonl")


def _bundle(room: Room) -> None:
    of_log, of_bundle = (_found(room, name) for name in (_LOG, "bundle.zip"))
    if not of_log or of_log != of_bundle:
        raise ValueError(f"The log yields {of_log}, its bundle {of_bundle}.")


def _found(room: Room, log: str) -> list[str]:
    """The rules of the findings of a log."""
    report = json.loads(_do(room, "check", log, "--format", "json", expected=1))
    return [each["rule"] for session in report["sessions"] for each in session["findings"]]


def _backup(room: Room, kind: str) -> None:
    case = room.folder / CASE
    (kept,) = (case / kind).glob("*.backup")
    before = _texts(case / "original" / kind)
    if {name: text for name, text in _texts(case / kind).items() if name in before} == before:
        raise ValueError("The log is as it was before it is put back.")
    _do(room, "restore", str(kept.relative_to(case)))
    after = _texts(case / kind)
    wrong = [name for name, text in before.items() if after.get(name) != text]
    if wrong:
        raise ValueError(f"Not put back: {', '.join(wrong)}.")


def _texts(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): contents(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def _settings(room: Room) -> None:
    """The window opens with them; each that is seen changes what it shows, and the others are there after it."""
    (file,) = (room.folder / CASE / "config").rglob("*.ini")
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    hidden = [_shown(room, lines, file, way) for way in _WAYS]
    kept = (room.folder / "home" / ".config" / file.parent.name / file.name).read_text(encoding="utf-8")
    # What is hidden has other names in each window, so the pictures are compared without that.
    open_ = [line for line in lines if not line.startswith(_HIDES)]
    whole = [_shown(room, open_, file, way) for way in _WAYS]
    if any(map(eq, hidden, whole)):
        raise ValueError("Content is not hidden.")
    if whole != [_shown(room, open_, file, way) for way in _WAYS]:
        raise ValueError("Two pictures of the same window differ.")
    for number, line in enumerate(open_):
        name = line.partition("=")[0]
        without = open_[:number] + open_[number + 1 :]
        if name in _UNSEEN:
            if line not in kept:
                raise ValueError(f"The setting {name} is gone.")
        elif "=" in line and all(_shown(room, without, file, way) == whole[n] for n, way in enumerate(_WAYS)):
            raise ValueError(f"The setting {name} makes no difference.")


def _shown(room: Room, lines: list[str], file: Path, way: tuple[str, ...]) -> bytes:
    """The digest of the window with these settings."""
    place = room.folder / "home" / ".config" / file.parent.name / file.name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("".join(lines), encoding="utf-8")
    came = pictures.opened(room, *way, _LOG, inside=CASE)
    if came.code or not came.out:
        raise ValueError(f"The window did not open: {came.err.decode()}")
    return came.out


def _do(room: Room, *words: str, expected: int = 0) -> bytes:
    """What a command prints. Raises ValueError where it fails."""
    done = room.process(room.command(*words), CASE)
    if done.returncode != expected:
        raise ValueError(f"{' '.join(words)}: exit code {done.returncode}. {(done.stderr or done.stdout).decode()}")
    return done.stdout


def _put(folder: Path, words: dict[bytes, bytes]) -> None:
    """Replace words in the files of text."""
    for path in folder.rglob("*"):
        if path.suffix in (".ini", ".json"):
            data = path.read_bytes()
            for before, after in words.items():
                data = data.replace(before, after)
            path.write_bytes(data)


def _name(log: Path) -> bytes:
    """How the settings know a log."""
    return blake2b(str(log).encode(), digest_size=12).hexdigest().encode()
