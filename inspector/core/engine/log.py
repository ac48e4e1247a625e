"""The one door to a log: what there is to ask of it, a method a question. Commands, window and programs go through it.

Nothing is written but by the methods that say `save`. All of them raise InspectorError, with a sentence for a person.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from inspector.core.check.check import Report
from inspector.core.check.did_it_run import evidence_of
from inspector.core.discovery.opening import FormatProbe, open_if_log, open_log, open_source
from inspector.core.engine.activity import judge_log
from inspector.core.engine.parallel_index import ParallelReader
from inspector.core.errors import NotJudged
from inspector.core.formats.base.format import IsCancelled, Progress, ReadOptions
from inspector.core.lazy import LazyModule
from inspector.core.storage.source import Source

if TYPE_CHECKING:
    from inspector.core import compare as comparing_logs
    from inspector.core.analysis.evidence import Evidence
    from inspector.core.convert import convert as converting
    from inspector.core.convert.convert import Conversion
    from inspector.core.engine import saving
    from inspector.core.error_lookup import lookup as answering
    from inspector.core.error_lookup.lookup import ErrorLookup
    from inspector.core.model.columns import Columns
    from inspector.core.model.session import Log
    from inspector.core.presentation import preview as acceptance
    from inspector.core.presentation.results import Acceptance, LogComparison
    from inspector.core.repair import choices as choosing
    from inspector.core.repair import other_logs
    from inspector.core.repair import plan as planning
    from inspector.core.repair import portable_plan as applying
    from inspector.core.repair import portable_plan as making
    from inspector.core.repair.choices import Choices, ResultOffers
    from inspector.core.repair.plan import Plan
    from inspector.core.repair.portable_plan import PlanFile
    from inspector.core.resume_request import request as sending
    from inspector.core.resume_request.request import EncodedRequest
    from inspector.core.save.save import Converted, Written
    from inspector.core.trim import trim as trimming
    from inspector.core.trim.options import Trimming
    from inspector.core.trim.trim import Trimmed
else:
    converting = LazyModule("inspector.core.convert.convert")
    saving = LazyModule("inspector.core.engine.saving")
    answering = LazyModule("inspector.core.error_lookup.lookup")
    choosing = LazyModule("inspector.core.repair.choices")
    other_logs = LazyModule("inspector.core.repair.other_logs")
    planning = LazyModule("inspector.core.repair.plan")
    applying = LazyModule("inspector.core.repair.portable_plan")
    making = LazyModule("inspector.core.repair.portable_plan")
    comparing_logs = LazyModule("inspector.core.compare")
    sending = LazyModule("inspector.core.resume_request.request")
    acceptance = LazyModule("inspector.core.presentation.preview")
    trimming = LazyModule("inspector.core.trim.trim")


class OpenLog:
    """An open log. It is read when something is first asked of it; what was planned last is kept for the save.

    The plan before that is kept, too: a person takes choices back, and compares.

    Close it, or use it in a `with`: on Windows an open file cannot be replaced.
    """

    def __init__(
        self,
        source: Source,
        format: str = "",
        deep: bool = False,
        progress: Progress | None = None,
        cancelled: IsCancelled | None = None,
        look: FormatProbe | None = None,
        jobs: int = 1,
    ) -> None:
        """`jobs` processes read a large one."""
        self.source = source
        self._format = format
        self._look = look
        self._reading = ReadOptions(deep=deep, progress=progress, cancelled=cancelled, in_parts=ParallelReader(jobs))
        self._log: Log | None = None
        self._report: Report | None = None
        self._forget()

    def _forget(self) -> None:
        self._plans: list[tuple[Choices, Plan]] = []
        self._trimmed: tuple[Trimming, Trimmed] | None = None
        self._offers: tuple[tuple[str, ...], ResultOffers] = ((), {})

    @classmethod
    def at(
        cls,
        path: str | os.PathLike[str],
        format: str = "",
        deep: bool = False,
        progress: Progress | None = None,
        cancelled: IsCancelled | None = None,
        jobs: int = 1,
    ) -> OpenLog:
        """The log at `path`: a file, or a store of many files or rows. `progress(done, total)` is told bytes.

        `jobs` processes read a large one. Raises UnreadableLog, Cancelled.
        """
        return cls(open_source(os.fspath(path), cancelled), format, deep, progress, cancelled, jobs=jobs)

    @classmethod
    def in_folder(cls, path: str, format: str = "", deep: bool = False, jobs: int = 1) -> OpenLog | None:
        """The log that a file of a folder is, None where no format claims it. Raises UnreadableLog."""
        found = open_if_log(path)
        return None if found is None else cls(found[0], format, deep, look=found[1], jobs=jobs)

    @classmethod
    def of_bytes(cls, data: bytes, format: str = "", deep: bool = False) -> OpenLog:
        """A log that is in memory."""
        return cls(Source.of_bytes(data), format, deep)

    def close(self) -> None:
        """Let go of the log."""
        self.source.close()

    def __enter__(self) -> OpenLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # what is wrong with it

    def check(self, profile: str = "", live: bool = False) -> Report:
        """Judge the log, for a provider (by default the one that the log names).

        `live`: its agent is known to run, so that an unanswered call at the end is pending; as is one where a program
        has the log open to write to it. What else is asked goes by the newest judgement.
        Raises UnreadableLog, UnknownName, Cancelled.
        """
        self._report = judge_log(self.log, profile, live)
        self._forget()
        return self._report

    @property
    def log(self) -> Log:
        """The log as it is read, judged or not. Raises UnreadableLog, UnknownName, Cancelled."""
        if self._log is None:
            self._log = open_log(self.source, self._format, self._reading, self._look)
            self._look = None
        return self._log

    @property
    def report(self) -> Report:
        """The newest judgement; the log's own, when none was asked for."""
        return self._report or self.check()

    @property
    def faults(self) -> list[str]:
        """What went wrong in formats that looked at the log, judged or showed it, so far: a sentence each."""
        return [] if self._log is None else self._log.all_faults

    def require_judged(self) -> None:
        """Raises NotJudged where it is not known what the records mean: nothing can be made of them."""
        if not self.report.is_judged:
            raise NotJudged("Not judged: what the records mean is not certain, so nothing was written.")

    def accepted(self, profiles: Sequence[str]) -> list[dict[str, Acceptance]]:
        """What each of these providers would answer to each session, as it is stored."""
        return acceptance.accepted_by(self.report, profiles) if profiles else []

    def evidence(self) -> dict[str, Evidence]:
        """What the log shows of its unanswered calls, by finding; the time it takes grows with their number."""
        return evidence_of(self.report)

    def explain(self, text: str) -> ErrorLookup:
        """What a pasted error or request has to do with the log."""
        return answering.look_up_in_log(text, self.report)

    def between(self, other: OpenLog, most: int | None = None) -> LogComparison:
        """What this log and another one of its conversation have in common, and what each has that the other lacks.

        `most` differences are given of all; the other log must stay open meanwhile.
        """
        return comparing_logs.compare_logs(self.report, other.report, most)

    # what can be made of it

    def offers(self, paths: Iterable[str]) -> ResultOffers:
        """The results that other logs hold for its open calls, read once: what was previewed is what is saved."""
        paths = tuple(paths)
        if self._offers[0] != paths:
            self._offers = (paths, other_logs.load_offers(self.report, list(paths)))
        return self._offers[1]

    def plan(self, choices: Choices | None = None) -> Plan:
        """Plan the repair that `choices` ask for (by default that of the preset `canonical`).

        Raises UnknownName, ReadOnlyFormat, NotVerified.
        """
        choices = choosing.Choices() if choices is None else choices
        report = self.report
        planned = next((plan for asked, plan in self._plans if asked == choices), None)
        # Of three plans at once a large log would feel the memory: the older one goes before the next is made.
        self._plans = [each for each in self._plans if each[1] is not planned][-1:]
        planned = planned or planning.plan_repair(report, choices, offers=self.offers(choices.results_from))
        self._plans.append((choices, planned))
        return planned

    def make_portable_plan(self, choices: Choices | None = None) -> PlanFile:
        """The same plan without a word of the log, to be applied where the log lies (`.encoded()` is the file).

        Raises as `plan` does; ReadOnlyFormat, too, where the repair cannot be told without content.
        """
        choices = choosing.Choices() if choices is None else choices
        return making.make_portable_plan(self.plan(choices), choices)

    def apply_portable_plan(self, file: PlanFile) -> Plan:
        """Plan here what was planned of this log elsewhere; the log may have grown since.

        Raises as `plan` does; NotVerified, too, where a record that the plan names has changed.
        """
        here = applying.PortablePlanApplier(file, self.log)
        planned = self.plan(here.choices)
        here.require_same_outcome(planned)
        return planned

    def trim(self, wanted: Trimming) -> Trimmed:
        """Plan a trimming. Raises UnknownName, ReadOnlyFormat, NotVerified."""
        if self._trimmed is None or self._trimmed[0] != wanted:
            offers = self.offers(wanted.repairs.results_from if wanted.repairs else ())
            self._trimmed = (wanted, trimming.plan_trim(self.report, wanted, offers))
        return self._trimmed[1]

    def convert(self, to: str, session: str = "", repairs: Choices | None = None) -> Conversion:
        """Convert a session (its id or number), as the log holds it or, with `repairs`, as it would be repaired.

        Raises UnknownName, NotJudged, NotVerified.
        """
        planned = None if repairs is None else self.plan(repairs)
        return converting.prepare_conversion(self.report, to, session, planned)

    def sent(
        self, repairs: Choices | None = None, session: str = "", version: str = ""
    ) -> tuple[EncodedRequest, Columns]:
        """What the agent sends when it resumes a session, and the columns that tell of its blocks.

        `version` is that of the agent that resumes it, where it is not the one that wrote it. Raises NotJudged,
        NotVerified, UnknownName.
        """
        planned = None if repairs is None else self.plan(repairs)
        report = self.report
        found = sending.encode_resume_request(report, sending.session_number(report, session), planned, version)
        return found, report.log.columns if planned is None else planned.draft.columns

    # writing

    def save(self, planned: Plan, to: str | os.PathLike[str] = "", mode: str = "copy") -> Written:
        """Write a planned repair, and read it again before it takes its name.

        `mode` is copy (to the file `to`, by default one with a free name in the current folder), in-place (after a
        backup) or new-session (to the folder `to`, by default where the agent looks for it). Raises NotVerified,
        ReadOnlyFormat, CannotWrite, ChangedMeanwhile.
        """
        return saving.save(planned, os.fspath(to), mode)

    def save_trimmed(self, trimmed: Trimmed, to: str | os.PathLike[str] = "") -> Written:
        """Write a trimmed copy. Raises as `save` does."""
        return saving.save_trimmed(trimmed, os.fspath(to))

    def save_converted(self, converted: Conversion, to: str | os.PathLike[str] = "") -> Converted:
        """Write a converted history. Raises CannotWrite, NotVerified."""
        return saving.save_converted(converted, os.fspath(to), self.source)

    def text_of(self, planned: Plan) -> bytes:
        """The repaired or trimmed log whole, judged as it would be on disk. Raises NotVerified, ReadOnlyFormat."""
        return saving.output_bytes(planned)

    def output_for_printing(self, planned: Plan) -> tuple[bytes, Written]:
        """The same bytes to be printed, and what there is to report of them. Raises NotVerified, ReadOnlyFormat."""
        return saving.output_for_printing(planned)

    def conversion_for_printing(self, converted: Conversion) -> tuple[bytes, Converted]:
        """A converted history whole, to be printed, and what there is to report of it. Raises NotVerified."""
        return saving.conversion_for_printing(converted)

    def rehearse(self, planned: Plan) -> None:
        """Raise what a save of this plan would raise, and write nothing: NotVerified, ReadOnlyFormat."""
        saving.rehearse(planned)

    def next_steps(self, written: Written, made: str = "repaired") -> tuple[tuple[str, ...], str]:
        """What the person does after a save, and the command to copy ("" when there is none)."""
        return saving.next_steps(self.report, written, made)
