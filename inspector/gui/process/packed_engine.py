"""The engine as a child has it: what is big it answers as the window holds it."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, TypeAlias

from inspector.core.errors import Cancelled
from inspector.core.repair.choices import Choices
from inspector.core.showing.machine_answers import LogVerdict
from inspector.core.showing.outline import ByteColumn, Numbers
from inspector.core.showing.seeking import TextMatches
from inspector.core.stores.log_entry import LogEntry
from inspector.gui.answers.evidence_book import EvidenceBook, evidence_book
from inspector.gui.answers.opened_log import OpenedLog, opened_log, worst_first
from inspector.gui.answers.planned_repair import PlannedRepair, planned_repair
from inspector.gui.answers.sent_book import SentBook, sent_book
from inspector.gui.process.colours import ColouredText, coloured

if TYPE_CHECKING:
    from inspector.core.engine.engine import Engine
    from inspector.gui.process.hiding_engine import HidingEngine

    Progress: TypeAlias = Callable[[int, int], None]
    IsCancelled: TypeAlias = Callable[[], bool]

# The first rows come at once and a few at a time, since what is seen must be painted; the others many at a time.
_FIRST_BATCHES, _BATCH = (10, 10, 20), 400
_NICE_WHILE_JUDGING = 15
_PAUSE = 0.04


class PackedEngine:
    """`log` is the path of the log that is open, or was to be. What is not among its methods the engine answers."""

    def __init__(self, engine: Engine | HidingEngine) -> None:
        self._engine = engine
        self._ids: list[str] = []
        self.log = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def open(
        self, path: str, format_name: str, deep: bool, followed: bool, progress: Progress, cancelled: IsCancelled
    ) -> OpenedLog:
        self.log = path
        opened = self._engine.open(path, format_name, progress, cancelled, deep, followed)
        order = worst_first(opened.findings)
        self._ids = [opened.findings[number].id for number in order]
        return opened_log(opened, order)

    def preview(self, choices: Choices) -> PlannedRepair:
        return planned_repair(self._engine.preview(choices), self._ids)

    def open_calls(self) -> EvidenceBook:
        return evidence_book(self._engine.open_calls(), self._ids)

    def sent(self, repairs: Choices | None, session: str) -> SentBook:
        return sent_book(self._engine.sent(repairs, session))

    def sent_as_json(self, repairs: Choices | None, session: str) -> ByteColumn:
        return ByteColumn(self._engine.sent_as_json(repairs, session))

    def colours(self, serial: int, texts: list[ColouredText]) -> tuple[int, list[Numbers]]:
        """The colours of code that is shown; the number says what it is the answer to."""
        return serial, [coloured(text) for text in texts]

    def find(self, text: str, match_case: bool, cancelled: IsCancelled) -> Iterator[TextMatches]:
        """What is found in handfuls, none sooner than a person can see."""
        part, sent = TextMatches(), 0.0
        for each in self._engine.find(text, match_case, cancelled):
            part.records.extend(each.records)
            part.done, part.total, part.outside_matches = each.done, each.total, each.outside_matches
            if part.records and time.monotonic() - sent >= _PAUSE:
                yield part
                part, sent = TextMatches(), time.monotonic()
        yield part

    def logs(self, paths: tuple[str, ...], cancelled: IsCancelled) -> Iterator[tuple[list[LogEntry], list[str]]]:
        """The logs in handfuls, and with each the paths of what was met beside them and is no log."""
        batch: list[LogEntry] = []
        others: list[str] = []
        sizes = chain(_FIRST_BATCHES, repeat(_BATCH))
        most = next(sizes)
        for entry in self._engine.logs(paths, others):
            if cancelled():
                raise Cancelled
            batch.append(entry)
            if len(batch) >= most:
                yield batch, others[:]
                batch, most = [], next(sizes)
                others.clear()
        yield batch, others

    def same(self, files: list[str]) -> set[str]:
        """Those that hold the same bytes as one before. Only what is of one size is read."""
        sizes = {file: _size_of(file) for file in files}
        counts = Counter(sizes.values())
        alike = [file for file, size in sizes.items() if size and counts[size] > 1]
        first: dict[str, str] = {}
        digests = zip(alike, self._engine.digests(alike), strict=True)
        return {file for file, digest in digests if digest and first.setdefault(digest, file) != file}

    def judge(self, logs: list[tuple[str, str]], cancelled: IsCancelled) -> Iterator[tuple[int, LogVerdict]]:
        """What many logs, each a path and the name of its format, come to; with the lowest priority from now on."""
        if hasattr(os, "nice"):
            os.nice(max(_NICE_WHILE_JUDGING - os.nice(0), 0))
        with closing(self._engine.judge(logs, cancelled)) as verdicts:
            yield from enumerate(verdicts)


def _size_of(file: str) -> int:
    """In bytes; 0 for what is no file, or none any more."""
    try:
        return os.path.getsize(file) if os.path.isfile(file) else 0
    except OSError:
        return 0
