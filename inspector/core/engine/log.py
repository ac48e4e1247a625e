"""The only interface to a log, one method per operation; commands, the window and other programs use it.

Only the methods whose names begin with `save` write anything. All methods raise InspectorError with a sentence for a
person.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.core.check.check import Report
from inspector.core.check.execution_evidence import evidence_by_finding
from inspector.core.discovery.opening import (
    FormatProbe,
    open_if_log,
    open_log,
    open_log_in_parts,
    open_source,
    source_of_bytes,
)
from inspector.core.engine.activity import check_log_as_live_if_written
from inspector.core.engine.parallel_reader import ParallelReader
from inspector.core.errors import NotJudged, NotVerified, UnknownName
from inspector.core.formats.base.agent_behavior import save_modes_of
from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.format import IsCancelled, Progress, ReadOptions
from inspector.core.formats.base.writer import SAVE_MODES, Writer
from inspector.core.lazy import LazyModule
from inspector.core.model.locations import record_at
from inspector.core.repair.choices import Choices, ResultOffers
from inspector.core.storage.source import Source
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core import compare
    from inspector.core.analysis.evidence_search import Evidence
    from inspector.core.check.check import SessionReport
    from inspector.core.convert import convert as converting
    from inspector.core.convert.convert import Conversion
    from inspector.core.engine import saving
    from inspector.core.error_lookup import lookup
    from inspector.core.error_lookup.lookup import ErrorLookup
    from inspector.core.model.session import Log
    from inspector.core.presentation import opened_log_facts, plan_preview
    from inspector.core.presentation.engine_results import Acceptance, LogComparison, SaveResult
    from inspector.core.repair import plan as planning
    from inspector.core.repair import portable_plan, result_offer_loader
    from inspector.core.repair.plan import Plan
    from inspector.core.repair.portable_plan import PortablePlan
    from inspector.core.resume_request import request as sending
    from inspector.core.resume_request.request import EncodedRequest
    from inspector.core.save import save as saves
    from inspector.core.trim import trim as trimming
    from inspector.core.trim.options import Trimming as Trimming
    from inspector.core.trim.trim import Trimmed as Trimmed
else:
    converting = LazyModule("inspector.core.convert.convert")
    saving = LazyModule("inspector.core.engine.saving")
    saves = LazyModule("inspector.core.save.save")
    lookup = LazyModule("inspector.core.error_lookup.lookup")
    result_offer_loader = LazyModule("inspector.core.repair.result_offer_loader")
    planning = LazyModule("inspector.core.repair.plan")
    portable_plan = LazyModule("inspector.core.repair.portable_plan")
    compare = LazyModule("inspector.core.compare")
    sending = LazyModule("inspector.core.resume_request.request")
    opened_log_facts = LazyModule("inspector.core.presentation.opened_log_facts")
    plan_preview = LazyModule("inspector.core.presentation.plan_preview")
    trimming = LazyModule("inspector.core.trim.trim")


class OpenLog:
    """An open log, which is read on first use.

    The last plan is kept for the save, and so is the plan before it, since a person goes back to earlier choices and
    compares. Close the log, or use it in a `with`: on Windows an open file cannot be replaced.
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
        """Take a source; `jobs` processes read a large one."""
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
        """Open the log at `path`: a file, or a store of many files or rows.

        `progress(done, total)` is called with bytes. `jobs` processes read a large log. Raises UnreadableLog,
        Cancelled.
        """
        return cls(open_source(os.fspath(path), cancelled), format, deep, progress, cancelled, jobs=jobs)

    @classmethod
    def in_folder(cls, path: str, format: str = "", deep: bool = False, jobs: int = 1) -> OpenLog | None:
        """Open a file of a folder as a log; None where no format claims it. Raises UnreadableLog."""
        found = open_if_log(path)
        return None if found is None else cls(found[0], format, deep, look=found[1], jobs=jobs)

    @classmethod
    def of_bytes(cls, data: bytes, format: str = "", deep: bool = False) -> OpenLog:
        """Open a log that is in memory. Raises UnreadableLog."""
        return cls(source_of_bytes(data), format, deep)

    def close(self) -> None:
        """Close the log."""
        self.source.close()

    def __enter__(self) -> OpenLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # what is wrong with it

    def parts(self) -> Iterator[OpenLog]:
        """Yield the log; a large one of very many conversations in parts, which are for a check alone.

        A part is no longer needed once the next one is asked for. Raises UnreadableLog, UnknownName, Cancelled;
        NotDivisible, also after some parts, where the log has to be checked as a whole.
        """
        self._look = self._look or FormatProbe(self.source)
        is_divided = False
        for log in open_log_in_parts(self.source, self._format, self._reading, self._look):
            part, is_divided = OpenLog(self.source, self._format), True
            part._log = log
            yield part
        if not is_divided:
            yield self

    def check(self, profile: str = "", live: bool = False, release: bool = False) -> Report:
        """Check the log, for a provider (by default the one that the log names).

        With `release`, what is kept of sessions without findings is small, for a caller that only reports findings.

        `live`: its agent is known to run, so that an unanswered call at the end is pending. The call is also pending
        where another program has the log open for writing. All other methods use the newest report. Raises
        UnreadableLog, UnknownName, Cancelled.
        """
        self._report = check_log_as_live_if_written(self.log, profile, live, release=release)
        self._forget()
        return self._report

    @property
    def log(self) -> Log:
        """The log as it is read, checked or not. Raises UnreadableLog, UnknownName, Cancelled."""
        if self._log is None:
            self._log = open_log(self.source, self._format, self._reading, self._look)
            self._look = None
        return self._log

    @property
    def report(self) -> Report:
        """The newest report. A log that was not checked is checked for its own provider."""
        return self._report or self.check()

    @property
    def faults(self) -> list[str]:
        """The faults so far in formats that detected, checked or showed the log, as sentences."""
        return [] if self._log is None else self._log.all_faults

    def require_judged(self) -> None:
        """Raise NotJudged where the meaning of the records is not known, so that nothing can be made of them."""
        if not self.report.is_judged:
            raise NotJudged(tr("Not checked: the format is uncertain, so nothing was written."))

    def accepted(self, profiles: Sequence[str]) -> list[dict[str, Acceptance]]:
        """Return what each of these providers would answer to each session, as it is stored."""
        return plan_preview.acceptance_by_profile(self.report, profiles) if profiles else []

    def evidence(self) -> dict[str, Evidence]:
        """Return what the log shows about its unanswered calls, by finding; the time grows with their number."""
        return evidence_by_finding(self.report)

    def explain(self, text: str) -> ErrorLookup:
        """Look up a pasted error or request in the log."""
        return lookup.look_up_in_log(text, self.report)

    def between(self, other: OpenLog, most: int | None = None) -> LogComparison:
        """Compare this log with another one of the same conversation.

        At most `most` differences are returned, all where it is None. The other log must stay open meanwhile.
        """
        return compare.compare_logs(self.report, other.report, most)

    # what can be made of it

    def offers(self, paths: Iterable[str]) -> ResultOffers:
        """Return the results that other logs hold for the open calls of this log.

        They are read once, so that what was previewed is what is saved.
        """
        paths = tuple(paths)
        if self._offers[0] != paths:
            self._offers = (paths, result_offer_loader.load_result_offers(self.report, list(paths)))
        return self._offers[1]

    def plan(self, choices: Choices | None = None) -> Plan:
        """Plan the repair that `choices` describe (by default that of the preset `canonical`).

        Raises UnknownName, ReadOnlyFormat, NotVerified.
        """
        choices = Choices() if choices is None else choices
        report = self.report
        planned = next((plan for made_for, plan in self._plans if made_for == choices), None)
        # Three plans of a large log need too much memory: the older one is dropped before the next is made.
        self._plans = [entry for entry in self._plans if entry[1] is not planned][-1:]
        planned = planned or planning.plan_repair(report, choices, offers=self.offers(choices.results_from))
        self._plans.append((choices, planned))
        return planned

    def to_repair_as_new_session(self, choices: Choices) -> OpenLog:
        """Return the log of which the repair that `choices` describe is to be saved as a new session.

        It is this log, unless that continues other logs and only a change of these helps, or brings back more results.
        Then it is a log in memory that holds what this one continues. Raises UnknownName, ReadOnlyFormat, NotVerified.
        """
        format = self.report.format
        if not self.source.attached or not isinstance(format, Writer):
            return self
        source = saving.standalone_source(self.log, format)
        if source is None:
            return self
        standalone = OpenLog(source, self._format or format.name)
        standalone.check(choices.profile)
        try:
            planned = self.plan(choices)
            if planned.verified and planned.results_kept >= standalone.plan(choices).results_kept:
                return self
        except NotVerified:
            return standalone
        return standalone if standalone.plan(choices).verified else self

    def make_portable_plan(self, choices: Choices | None = None) -> PortablePlan:
        """Return the same plan without content of the log, to be applied where the log is (`.encode()` is the file).

        Raises as `plan` does; also ReadOnlyFormat where the repair cannot be described without content.
        """
        choices = Choices() if choices is None else choices
        return portable_plan.make_portable_plan(self.plan(choices), choices)

    def apply_portable_plan(self, file: PortablePlan) -> Plan:
        """Plan here what was planned for this log elsewhere; the log may have grown since.

        Raises as `plan` does; also NotVerified where a record that the plan names has changed.
        """
        here = portable_plan.PortablePlanApplier(file, self.log)
        planned = self.plan(here.choices)
        here.require_same_outcome(planned)
        return planned

    def record_at(self, number: int) -> int:
        """Return the record that reports show at this line, or with this message number. Raises UnknownName."""
        record = record_at(self.report.log, number)
        if record is None:
            raise UnknownName(tr("The log has no message at position {number}.", number=number))
        return record

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

    def sent(self, repairs: Choices | None = None, session: str = "", version: str = "") -> EncodedRequest:
        """Return what the agent sends when it resumes a session.

        `version` is that of the resuming agent, if it is not the one that wrote the log. Raises NotJudged,
        NotVerified, UnknownName.
        """
        planned = None if repairs is None else self.plan(repairs)
        number = sending.resolve_session_number(self.report, session)
        return sending.encode_resume_request(self.report, number, planned, version)

    # writing

    @property
    def save_modes(self) -> tuple[str, ...]:
        """The ways in which the log can be saved, of copy, in-place and new-session."""
        return save_modes_of(self.report.format, self.log)

    def save(
        self,
        planned: Plan,
        to: str | os.PathLike[str] = "",
        mode: str = "copy",
        progress: Progress | None = None,
    ) -> SaveResult:
        """Write a planned repair, and read it again before it takes its name.

        `mode` is copy (to the file `to`, by default one with a free name in the current folder), in-place (after a
        backup) or new-session (to the folder `to`, by default where the agent looks for it). `progress(done, total)` is
        called with bytes. Raises NotVerified, ReadOnlyFormat, CannotWrite, ChangedMeanwhile.
        """
        if mode not in SAVE_MODES:
            raise UnknownName(
                tr(
                    "There is no save mode named {mode}. The save modes are {save_modes}.",
                    mode=mode,
                    save_modes=", ".join(SAVE_MODES),
                )
            )
        target, source = os.fspath(to), planned.draft.log.source
        folder = opened_log_facts.working_folder(
            planned.draft.log
        )  # read before the save: a replaced log cannot be read any more
        if mode == "in-place":
            written = saves.save_in_place(planned, progress)
        elif mode == "new-session":
            written = saves.save_new_session(planned, target, progress)
        else:
            target = target or saving.default_copy_path(source, source.copy_name)
            written = saves.save_copy(planned, target, named=bool(to), progress=progress)
        return saves.with_next_steps(replace(written, folder=folder), self.report)

    def save_partial_copy(self, planned: Plan, to: str, progress: Progress | None = None) -> SaveResult:
        """Write a copy with what the plan repairs, although more is wrong. The result lists what remains.

        `progress(done, total)` is called with bytes. Raises ReadOnlyFormat, CannotWrite.
        """
        written = saves.save_copy(planned, to, partial=True, progress=progress)
        with OpenLog.at(to, self.report.log.format) as saved:
            return saving.partial_repair_result(written, saved.check(), planned.reason)

    def save_trimmed(
        self,
        trimmed: Trimmed,
        to: str | os.PathLike[str] = "",
        mode: str = "copy",
        progress: Progress | None = None,
    ) -> SaveResult:
        """Write a trimmed log as a copy, or with `mode` new-session where the agent looks for it.

        `to` is the file of a copy, or the folder of a new session. `progress(done, total)` is called with bytes. Raises
        as `save` does.
        """
        log = trimmed.plan.draft.log
        folder = opened_log_facts.working_folder(log)
        if mode == "new-session":
            written = saves.save_new_session(trimmed.plan, os.fspath(to), progress)
        else:
            target = os.fspath(to) or saving.default_copy_path(log.source, trimmed.name)
            written = saves.save_copy(trimmed.plan, target, named=bool(to), progress=progress)
        return saves.with_next_steps(replace(written, folder=folder, made="trimmed"), self.report)

    def save_converted(self, converted: Conversion, to: str | os.PathLike[str] = "") -> SaveResult:
        """Write a converted history. Raises CannotWrite, NotVerified."""
        target = os.fspath(to) or saving.default_copy_path(self.source, converted.target.output_name(self.source))
        return saves.save_conversion(converted, target, self.source)

    def text_of(self, planned: Plan) -> bytes:
        """Return the whole repaired or trimmed log, checked as on disk. Raises NotVerified, ReadOnlyFormat."""
        return saves.output_bytes(planned)

    def output_for_printing(self, planned: Plan) -> tuple[bytes, SaveResult]:
        """Return the same bytes to print, with what to report about them. Raises NotVerified, ReadOnlyFormat."""
        return saving.repaired_log_for_printing(planned)

    def conversion_for_printing(self, converted: Conversion) -> tuple[bytes, SaveResult]:
        """Return the whole converted history to print, with what to report about it. Raises NotVerified."""
        return saving.conversion_for_printing(converted)

    def rehearse(self, planned: Plan) -> None:
        """Raise what a save of this plan would raise, and write nothing: NotVerified, ReadOnlyFormat."""
        saving.rehearse_save(planned)

    def resume_command(self, session: SessionReport) -> str:
        """Return the command that resumes a session of the log as it lies, "" where there is none."""
        folder = opened_log_facts.working_folder(self.log, session.session.number)
        return saves.resume_command(self.report, session.session, folder)

    def repair_and_resume_command(self, session: SessionReport) -> str:
        """Return the command that repairs the log in place, after a backup, and resumes a session; "" for none.

        It is for an agent that reads no copy of its log.
        """
        resume = self.resume_command(session) if "in-place" in self.save_modes else ""
        repair = shell_command("transcript-inspector", "repair", "--in-place", os.path.abspath(self.source.path))
        return f"{repair} && {resume}" if repair and resume else ""
