"""Transcript Inspector: a linter with autofix for the logs of LLM agents.

    import inspector

    with inspector.open("session.jsonl") as log:
        report = log.check()
        plan = log.plan(inspector.Choices())
        written = log.save(plan, "repaired.jsonl")

    result = inspector.judge("session.jsonl")
    sent = inspector.repair_messages(messages, profile="anthropic")

Everything is imported when it is first used. See `resources/docs/python.md`.
"""

from __future__ import annotations

from importlib import import_module

from inspector.version import __version__

# Type checkers treat this as typing.TYPE_CHECKING; it saves the import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Generator, Iterable, Sequence
    from concurrent.futures import Executor
    from typing import Any, BinaryIO

    from inspector.core.analysis.finding import Finding, Severity
    from inspector.core.batch.judging import JudgingOptions
    from inspector.core.check.check import Report, SessionReport, Verdict
    from inspector.core.convert.convert import Conversion
    from inspector.core.engine.log import OpenLog
    from inspector.core.engine.repaired_messages import MessageEdit, RepairedMessages
    from inspector.core.errors import (
        CannotWrite,
        ChangedMeanwhile,
        FleetError,
        InspectorError,
        NotJudged,
        NotVerified,
        ProgramFault,
        ReadOnlyFormat,
        UnknownName,
        UnreadableLog,
    )
    from inspector.core.repair.choices import Choices, SessionChoice
    from inspector.core.repair.edits import Edit, Loss
    from inspector.core.repair.plan import Plan
    from inspector.core.report.tables import FileRow, FindingRow, LogResult, SessionRow
    from inspector.core.save.save import Converted, Written
    from inspector.core.trim.options import Fit, Shrinking, Trimming, Wish, parse_fit
    from inspector.core.trim.trim import Trimmed

__all__ = [
    "CannotWrite", "ChangedMeanwhile", "Choices", "Conversion", "Converted", "Edit", "FileRow", "Finding",
    "FindingRow", "Fit", "FleetError", "InspectorError", "JudgingOptions", "LogResult", "Loss", "MessageEdit",
    "NotJudged", "NotVerified", "OpenLog", "Plan", "ProgramFault", "ReadOnlyFormat", "RepairedMessages", "Report",
    "SessionChoice", "SessionReport", "SessionRow", "Severity", "Shrinking", "Trimmed", "Trimming", "UnknownName",
    "UnreadableLog", "Verdict", "Wish", "Written", "__version__", "judge", "judge_many", "open", "parse_fit",
    "repair_messages",
]  # fmt: skip

_NAMES = {
    "analysis.finding": "Finding Severity",
    "batch.judging": "JudgingOptions",
    "check.check": "Report SessionReport Verdict",
    "convert.convert": "Conversion",
    "engine.log": "OpenLog",
    "engine.repaired_messages": "MessageEdit RepairedMessages",
    "errors": "CannotWrite ChangedMeanwhile FleetError InspectorError NotJudged NotVerified ProgramFault "
    "ReadOnlyFormat UnknownName UnreadableLog",
    "repair.choices": "Choices SessionChoice",
    "repair.edits": "Edit Loss",
    "repair.plan": "Plan",
    "report.tables": "FileRow FindingRow LogResult SessionRow",
    "save.save": "Converted Written",
    "trim.options": "Fit Shrinking Trimming Wish parse_fit",
    "trim.trim": "Trimmed",
}
_HOMES = {name: f"inspector.core.{module}" for module, names in _NAMES.items() for name in names.split()}


def open(log: str | os.PathLike[str] | bytes, format: str = "", deep: bool = False) -> OpenLog:
    """Open a log: the path of a file, a folder or a database, or the bytes themselves.

    `format` reads it as that format instead of detecting it; `deep` checks every byte of large logs, too. Nothing is
    written until a save is called. Raises UnreadableLog.
    """
    open_log = import_module("inspector.core.engine.log").OpenLog
    opened: OpenLog = open_log.of_bytes(log, format, deep) if isinstance(log, bytes) else open_log.at(log, format, deep)
    return opened


def judge(
    source: str | os.PathLike[str] | bytes | BinaryIO, profile: str = "", format: str = "", live: bool = False
) -> LogResult:
    """Check a log, or all logs of an archive, a database or a folder, and return rows without log content.

    `source` is a path, a URL of fsspec such as s3://bucket/prefix, the bytes of a log or a binary file object.
    `profile`, `format` and `live` are as in `OpenLog.check` and `open`. Never raises for a bad log: its row has a
    status and a reason. Raises FleetError if the storage of a URL cannot be used.
    """
    judging = import_module("inspector.core.batch.judging")
    judge_source = judging.judge
    if isinstance(source, str) and "://" in source:
        sources = import_module("inspector.core.fleet.sources")
        if sources.is_url(source):
            judge_source = sources.judge_url
    result: LogResult = judge_source(source, judging.JudgingOptions(profile, format, live=live))
    return result


def judge_many(
    sources: Iterable[str | os.PathLike[str]],
    executor: Executor | None = None,
    options: JudgingOptions | None = None,
    jobs: int = 0,
) -> Generator[LogResult, None, None]:
    """Yield the result of `judge` for each log, in the order of `sources`. A folder is replaced by its files.

    Any `concurrent.futures.Executor` can do the work. Without one, `jobs` processes of this machine do it, by default
    one for each core. Close the generator or exhaust it.
    """
    results: Generator[LogResult, None, None] = import_module("inspector.core.batch.many").judge_many(
        sources, executor, options, jobs
    )
    return results


def repair_messages(
    messages: Sequence[Any], profile: str = "anthropic", preset: str = "canonical", format: str = ""
) -> RepairedMessages:
    """Repair the messages of a request so that its provider accepts them; the disk is not touched.

    `messages` are JSON values as the provider's API spells them, or objects of its SDK, also inside of dicts: whatever
    has `model_dump`. `profile` is anthropic, openai-chat, openai-responses (the items of `input`), gemini (the
    `contents`), bedrock-converse or mistral. `format` is for messages that a framework will convert for the provider,
    such as langchain. The result holds a new list and reports what was changed and lost. Messages that were not changed
    are the same objects as in the input, changed ones are dicts. The input is never changed.

    Raises UnknownName, UnreadableLog for values that are not JSON, NotVerified where no repair was found that is
    accepted.
    """
    repair = import_module("inspector.core.engine.request_repair").repair_messages
    repaired: RepairedMessages = repair(messages, profile, preset, format)
    return repaired


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
