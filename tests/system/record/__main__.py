"""`python -m tests.system.record`: record what the program does, or compare two records.

The exit code of a comparison is 1 when anything differs.
"""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from importlib import import_module
from itertools import chain, repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import click

from tests.support.paths import ROOT, SAMPLES
from tests.system.record import asking, calls, files, pictures, saves
from tests.system.record.logs import LIST, Subject, copied, subjects
from tests.system.record.running import Came, Room
from tests.system.record.stored import COMMANDS, KINDS, PICTURES, SAVES, Record, differences, line


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--compare", is_flag=True, help="Compare two records instead.")
@click.option("--files", "writes", is_flag=True, help="Write files into a folder instead, for later versions to load.")
@click.option("--load", "loads", is_flag=True, help="Load the files of such a folder instead.")
@click.option("--commands/--no-commands", default=True, help="Put the logs to the commands.")
@click.option("--saves", "sees_saves", is_flag=True, help="Record the file system calls of every kind of save as well.")
@click.option("--pictures", "draws", is_flag=True, help="Record what the window shows of the samples as well.")
@click.option("--logs", multiple=True, type=click.Path(exists=True, file_okay=False, path_type=Path), help="More logs.")
@click.option("--broken", default=0, help="How many logs of the fuzzer to record as well.")
@click.option("--into", type=click.Path(path_type=Path), help="Keep those of the fuzzer there, or take what is there.")
@click.option("--jobs", default=2, help="How many processes.")
@click.option("--quick", is_flag=True, help="The samples, and every tenth of the other logs.")
@click.option("--code", default=ROOT, type=click.Path(exists=True, path_type=Path), help="The checkout to record.")
def main(
    paths: tuple[Path, ...], compare: bool, writes: bool, loads: bool, commands: bool, sees_saves: bool, draws: bool,
    logs: tuple[Path, ...], broken: int, into: Path | None, jobs: int, quick: bool, code: Path,
) -> None:  # fmt: skip
    """Record what the program does, or compare two records."""
    if len(paths) != 1 + compare:
        raise click.UsageError("--compare takes two records; else one path is given.")
    if compare:
        sys.exit(_compared(*map(Record, paths)))
    out, began = paths[0].resolve(), time.monotonic()
    if writes or loads:
        _use(code.resolve())
        sys.exit(_loaded(out) if loads else _written(out))
    if sees_saves and (why := calls.why_not()):
        click.echo(why, err=True)
        sees_saves = False
    kinds = [kind for kind, on in zip(KINDS, (commands, sees_saves, draws), strict=True) if on]
    with TemporaryDirectory(prefix="record-") as name:
        scratch = Path(name).resolve()
        folders = [*logs]
        if broken:
            folders.append(_broken(into or scratch / "broken", broken))
        copied(folders, scratch / "logs")
        _use(code.resolve())
        found = [*_subjects(scratch / "logs", quick, kinds)]
        lines = sorted(_recorded(found, scratch, jobs))
    head = json.dumps({"record": 1, "quick": quick, "kinds": kinds})
    out.write_text("\n".join([head, *lines, ""]), encoding="utf-8")
    click.echo(f"{len(found):,} subjects in {time.monotonic() - began:.0f} s: {out}")


def _subjects(root: Path, is_quick: bool, kinds: list[str]) -> Iterator[Subject]:
    samples = sorted((root / SAMPLES.name).iterdir())
    if COMMANDS in kinds:
        yield from subjects(root, is_quick)
    if SAVES in kinds:
        yield from (Subject(SAVES, name) for name in saves.LOGS)
        yield from (Subject(SAVES, path.name) for path in samples if "-broken." in path.name)
    if PICTURES in kinds:
        yield from (Subject(PICTURES, path.name) for path in samples)


def _written(folder: Path) -> int:
    with TemporaryDirectory(prefix="record-") as name:
        files.make(folder, SAMPLES, Room.here(Path(name)))
    return 0


def _loaded(folder: Path) -> int:
    """Load files, and tell of each; the exit code."""
    failed = False
    with TemporaryDirectory(prefix="record-") as name:
        for each, failure in files.load(folder, Room.here(Path(name))):
            failed |= bool(failure)
            click.echo(f"{each}: {failure or 'loaded'}")
    return int(failed)


def _compared(one: Record, other: Record) -> int:
    found = False
    for each in differences(one, other):
        found = True
        click.echo(each)
    if not found:
        click.echo(f"{len(one.commands.keys() & other.commands.keys()):,} commands: the same.")
    return found


def _broken(folder: Path, count: int) -> Path:
    """A folder with so many logs of the fuzzer. It is written in a process of its own, which imports the program."""
    if not (folder / LIST).exists():
        words = [sys.executable, "-m", "tests.robustness.fuzz.logs", str(folder.resolve()), str(count)]
        subprocess.run(words, cwd=ROOT, check=True)
    return folder


def _use(code: Path) -> None:
    """Take the program from a checkout, in this process and those that it starts."""
    sys.path.insert(0, str(code))
    os.environ["PYTHONPATH"] = str(code)
    taken = Path(str(import_module("inspector").__file__))
    if code not in taken.parents:
        raise click.ClickException(f"The program was taken from {taken.parent}, not from {code}.")


def _recorded(found: list[Subject], scratch: Path, jobs: int) -> Iterator[str]:
    """Lines of a record, as they come. Each subject has a process of its own, so that no other one changes it."""
    rooms = [Room.here(scratch / f"room-{number:02}") for number in range(jobs + 1)]
    _warm(rooms.pop(), scratch)
    free, running = [*rooms], dict[int, tuple[Subject, Room]]()
    for subject in chain(found, repeat(None)):
        while running and (subject is None or not free):
            process, status = os.wait()
            done, room = running.pop(process)
            answer = room.folder / "answer"
            if status or not answer.exists():
                raise click.ClickException(f"{done.name}: its process ended with {status}.")
            yield answer.read_text(encoding="utf-8")
            answer.unlink()
            free.append(room)
        if subject is None:
            return
        room = free.pop()
        process = os.fork()
        if not process:
            _work(subject, room)
        running[process] = subject, room


def _warm(room: Room, scratch: Path) -> None:
    """Have the program imported and its tables built before the processes are forked."""
    room.enter()
    for path in sorted((scratch / "logs" / SAMPLES.name).glob("*-broken.*")):
        for _ in asking.of_log(f"../logs/{SAMPLES.name}/{path.name}", room.run):
            pass
    gc.collect()
    gc.freeze()


def _work(subject: Subject, room: Room) -> NoReturn:
    """Ask about one subject, and end this process."""
    try:
        room.enter()
        # The program starts no processes of its own in somebody else's worker.
        multiprocessing.current_process().daemon = True
        came = dict(_asked(subject, room))
        text = line(subject.name, came)
        (room.folder / "answer").write_text(text, encoding="utf-8")
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _asked(subject: Subject, room: Room) -> Iterator[tuple[str, Came]]:
    place = f"../logs/{subject.path}"
    match subject.kind:
        case "log":
            yield from asking.of_log(place, room.run)
        case "folder":
            yield from asking.of_folder(place, room.run)
        case "pair":
            yield from asking.of_pair(place, f"../logs/{subject.other}", room.run)
        case "home":
            shutil.copytree(place, "someone", symlinks=True)
            yield from asking.of_home("someone", room.run)
            shutil.rmtree("someone")
        case "started":
            yield from asking.of_log(place, room.start)
        case "saves":
            yield from saves.of(subject.path, room.folder.parent / "logs" / SAMPLES.name, room)
        case "pictures":
            yield pictures.of(f"../logs/{SAMPLES.name}/{subject.path}", room)
        case _:
            yield from asking.of_none(room.run)


if __name__ == "__main__":
    main()
