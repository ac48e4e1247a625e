"""What must hold after every trial, whatever failed."""

from collections.abc import Iterator

from tests.robustness.faults.scenarios import OLD, PRECIOUS, REPORT, SCENARIOS
from tests.robustness.faults.shim import KILLED
from tests.robustness.faults.trial import Files, Outcome, Point

# What a save says when the log is as it was.
_NOTHING_DONE = ("untouched", "othing was written", "othing was changed", "as it was")


def broken_rules(before: Files, whole: Outcome, now: Outcome, point: Point) -> list[str]:
    """What went wrong, by the files before, after the same command with no fault, and after this one."""
    whole = _expected(whole, now, point)
    return [
        *_lost(before, now.files),
        *_torn(before, whole.files, now),
        *_said(before, whole, now, point),
        *(_stray(before, whole, now, point) if point.fault != "read-only" else ()),
    ]


def _expected(whole: Outcome, now: Outcome, point: Point) -> Outcome:
    """What is to come of it: a report of a log that could not be read says so, and is a whole report."""
    report = now.files.get(REPORT, b"")
    says_so = b"  UNREADABLE  " in report or b'"verdict":"unreadable"' in report
    if not (says_so and now.code == 2 and SCENARIOS[point.scenario].command.startswith("check")):
        return whole
    if not report.endswith((b"\n", b"}")):
        return whole
    return Outcome(code=2, said=whole.said, files=whole.files | {REPORT: report})


def _changed(before: Files, now: Files) -> list[str]:
    return [name for name, content in before.items() if now.get(name) != content]


def _lost(before: Files, now: Files) -> Iterator[str]:
    """Of what was there, all is there still, if under another name; but for a copy that was to be replaced."""
    held = list(now.values())
    for name in _changed(before, now):
        if before[name] not in held and before[name] != OLD:
            yield f"original lost: {name}"
        if before[name] == PRECIOUS:
            yield f"not of this log, and changed: {name}"


def _torn(before: Files, whole: Files, now: Outcome) -> Iterator[str]:
    """Every file is as it was or as it is to be; but for a database that SQLite itself left without its WAL.

    Then the save must have said which backup holds it; the other rules ask whether it does, and `restore` is tried.
    """
    for name, content in now.files.items():
        is_told = name.endswith(".db") and f"{name}.backup was kept" in now.said
        if content not in (before.get(name), whole.get(name)) and not is_told:
            yield f"neither old nor new: {name}"


def _said(before: Files, whole: Outcome, now: Outcome, point: Point) -> Iterator[str]:
    """The exit code and the words fit what was done."""
    if now.crash:
        yield f"traceback: {now.crash.strip().splitlines()[-1]}"
    if "an internal error" in now.said:
        yield "no sentence of its own"
    if now.code is None:
        if point.fault not in KILLED:
            yield "died"
        return
    changed = _changed(before, now.files)
    if now.code == whole.code:
        undone = [name for name, content in whole.files.items() if now.files.get(name) != content]
        named = _named(now.said)
        yield from (
            f"said to be done, and is not: {name}" for name in undone if name.removesuffix(".backup") not in named
        )
        return
    if now.code != 2:
        yield f"exit code {now.code}"
    if not now.said.strip():
        yield "not a word"
    if changed and "restore " not in now.said:
        yield f"refused, and changed: {changed}"
    if changed and any(words in now.said for words in _NOTHING_DONE):
        yield "says that nothing was done"


def _named(said: str) -> str:
    """The lines that warn of what could not be done."""
    return "\n".join(line for line in said.splitlines() if "Note:" in line or "could not" in line)


def _stray(before: Files, whole: Outcome, now: Outcome, point: Point) -> Iterator[str]:
    """Nothing is left of temporary files, and nothing new of a save that did not happen."""
    yield from (f"left over: {name.split('/')[0]}" for name in now.left)
    if now.code not in (None, whole.code) and "restore " not in now.said:
        yield from (f"stray: {name}" for name in now.files if name not in before)
