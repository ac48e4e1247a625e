"""What fills the context window of a session, and the command that shortens it: as lines and as JSON.

It is reported for a session whose log ends with the error that it is too long. To measure it, the whole log is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from inspector.core.analysis.context_usage import ContextUsage, measure_context
from inspector.core.formats.base.copyable_commands import is_plain_word, shell_command
from inspector.core.formats.base.writer import Writer
from inspector.core.providers.token_estimates import find_model
from inspector.core.report.sentences import ended_with_too_long_error, one_line
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core.check.check import Report, SessionReport

_MOST = 10  # tools and files in JSON
_FEW = 3  # of each that a line names
_PATH = 60
_SMALLEST_SHARE = 0.01
_KIND_NAMES = {
    "results": tr("tool results"),
    "calls": tr("tool calls"),
    "prompts": tr("prompts"),
    "answers": tr("answers"),
    "thinking": tr("thinking"),
    "images": tr("images"),
    "system": tr("system prompt"),
    "unrecorded": tr("system prompt and tools (not in the log)"),
}


class ContextUsageEntry(Struct):
    """What fills the context window, in tokens.

    `basis` says what `tokens` rests on: what the provider measured, or an estimate. `window` is that of the model, null
    where it is not known. `tools` and `files` are the largest ones.
    """

    basis: Literal["measured", "estimated"]
    tokens: int
    model: str | None
    window: int | None
    kinds: dict[str, int]
    tools: dict[str, int]
    files: dict[str, int]


def context_usage(report: Report, session: SessionReport) -> ContextUsage:
    """Return what fills the context window of a session. Reads its whole path."""
    prompt = report.format.system_prompt(report.log, session.session)
    return measure_context(session.threads[0].context, prompt)


def context_entry(report: Report, session: SessionReport) -> ContextUsageEntry:
    """Return what fills the context window of a session, for JSON."""
    usage = context_usage(report, session)
    model = find_model(usage.model)
    return ContextUsageEntry(
        "estimated" if usage.measured is None else "measured",
        usage.total,
        usage.model or None,
        None if model is None else model.window,
        usage.by_kind(),
        dict([*usage.by_tool().items()][:_MOST]),
        dict([*usage.by_file().items()][:_MOST]),
    )


def context_sentences(usage: ContextUsage) -> Iterator[str]:
    """Yield what fills the context window of a session, as sentences."""
    total = max(usage.total, 1)
    shares = ((kind, tokens / total) for kind, tokens in usage.by_kind().items())
    kinds = (f"{tr(_KIND_NAMES[kind])} {share:.0%}" for kind, share in shares if share >= _SMALLEST_SHARE)
    template = (
        tr("The history has about {tokens:,} tokens (estimated): {kinds}.")
        if usage.measured is None
        else tr("The history has {tokens:,} tokens (measured by the provider): {kinds}.")
    )
    yield tr(template, tokens=usage.total, kinds=", ".join(kinds))
    model = find_model(usage.model)
    if model is not None:
        yield tr(
            "{model} has a context window of {window:,} tokens ({source}).",
            model=one_line(usage.model),
            window=model.window,
            source=model.source,
        )
    tools = [f"{one_line(tool)} {tokens:,}" for tool, tokens in [*usage.by_tool().items()][:_FEW]]
    files = [f"{one_line(file, _PATH)} {tokens:,}" for file, tokens in [*usage.by_file().items()][:_FEW]]
    if tools or files:
        yield tr("Most tokens: {places}.", places=", ".join([*tools, *files]))


def fit_command(path: str, model: str) -> str:
    """Return the command that shortens a log for a model. A model whose window is not known is left to the person."""
    known = find_model(model) is not None and is_plain_word(model)
    return shell_command("transcript-inspector", "trim", path, "--fit", model if known else "MODEL")


def too_long_context_lines(report: Report, session: SessionReport) -> Iterator[str]:
    """Yield what fills the context window of a session that is too long, and the command that shortens it."""
    if not ended_with_too_long_error(session):
        return
    usage = context_usage(report, session)
    for number, sentence in enumerate(context_sentences(usage)):
        yield f"          {sentence}" if number else tr("  Context {sentence}", sentence=sentence)
    if isinstance(report.format, Writer) and (command := fit_command(report.log.source.path, usage.model)):
        yield tr("  Fit     {command}", command=command)


def shortening_advice(report: Report) -> Iterator[str]:
    """Yield what fills the context window of the largest session of a log, and the command that shortens the log."""
    sessions = [session for session in report.sessions if session.threads]
    if not report.is_judged or not sessions:
        return
    usage = max((context_usage(report, session) for session in sessions), key=lambda usage: usage.total)
    yield from context_sentences(usage)
    if isinstance(report.format, Writer) and (command := fit_command(report.log.source.path, usage.model)):
        yield tr("To shorten the history, run: {command}", command=command)


def too_long_context_entry(report: Report, session: SessionReport) -> ContextUsageEntry | None:
    """Return what fills the context window of a session that is too long, None for any other session."""
    return context_entry(report, session) if ended_with_too_long_error(session) else None
