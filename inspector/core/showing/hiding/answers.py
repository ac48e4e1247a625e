"""What the engine answers, hidden: FIELDS is the table, a row a value, and for each of its texts what that is.

A text that no row names is taken for one of the log: a field that is new hides too much, never too little.
"""

import re
from collections.abc import Callable, Generator, Iterator
from enum import Enum
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.evidence.evidence import Evidence, OpenCallEvidence
from inspector.core.formats.bases.traces import Trace
from inspector.core.index.place import RecordLocation
from inspector.core.index.session import AgentMemory
from inspector.core.scene.finding import Finding, RefusalQuery
from inspector.core.showing import answers, between, comparison, copies, machine_answers, seeking
from inspector.core.showing.details import pieces
from inspector.core.showing.hiding.hider import ContentHider
from inspector.core.showing.hiding.records import hide_record
from inspector.core.showing.outline import NodeKind, Outline
from inspector.core.showing.outward import RenderedReport, SendBackPackage
from inspector.core.stores.log_entry import LogEntry

T = TypeVar("T")
_Fields = dict[str, Callable[[ContentHider, str], str]]

# The sections of a tree that are not named by a log.
_OWN_SECTION = re.compile(r"[A-Z][a-z]+(?: [a-z]+)? \(?\d+\)?")


def _fields(
    kept: str = "", said: str = "", named: str = "", path: str = "", gone: str = "", json: str = "", error: str = ""
) -> _Fields:
    """What each text of a value is. `kept`: words of ours, and what the window works by and never shows as it is.

    `said`: sentences of ours; `named`: ids and names; `path`: names of files; `json`: what is read as JSON; `error`:
    what a provider answered; `gone`: what is left out.
    """
    ways: tuple[tuple[str, Callable[[ContentHider, str], str]], ...] = (
        (kept, lambda _, text: text),
        (said, lambda hider, text: hider.sentence(text)),
        (named, lambda hider, text: hider.name(text) if text else ""),
        (path, lambda hider, text: hider.path(text)),
        (gone, lambda *_: ""),
        (error, lambda hider, text: hider.error(text)),
        (json, lambda hider, text: hide_record(text.encode("utf-8", "surrogatepass"), hider).decode()),
    )
    return {name: way for names, way in ways for name in names.split()}


_TEXT: Callable[[ContentHider, str], str] = ContentHider.text
HIDDEN_FIELDS: dict[type, _Fields] = {
    answers.SessionSummary: _fields(
        "format verdict profile", "sentence agent on_resume loses", gone="id", error="recorded_error"
    ),
    answers.AttachedLog: _fields("path"),
    answers.LogOverview: _fields(
        "path format format_label formats_to_choose presets save_modes bytes_at followed",
        "why_read_only checks_skipped faults",
        path="copy_name",
        gone="folder",
    ),
    answers.PreviewRow: _fields("mark finding_ids", "reason"),
    answers.RepairPreview: _fields("chosen not_run", "losses accepted on_resume reason effects caveat unmet faults"),
    answers.SaveResult: _fields("path backup quarantine verdict made", "steps warnings", gone="command"),
    answers.OfferedResult: _fields("path", "sentence", "call_id tool"),
    answers.Acceptance: _fields("rule not_run", "error message"),
    answers.RulePage: _fields("code slug text default answers repairs"),
    AgentMemory: _fields("", "notes disagreements"),
    Finding: _fields("id rule slug strategies default", "message", "call_id tool", path="log"),
    RefusalQuery: _fields("profile value", "case"),
    RecordLocation: _fields("pointer document", path="member"),
    comparison.DiffRun: _fields("kind style"),
    comparison.DiffSide: _fields("", "title", gone="picture"),
    between.LogComparison: _fields("counts", named="sessions"),
    between.ComparedLog: _fields("path format verdict"),
    between.LogDifference: _fields("kind"),
    OpenCallEvidence: _fields("changing"),
    Evidence: _fields("verdict"),
    Trace: _fields("", "sentence"),
    copies.TrimPreview: _fields("removed not_run", "consequences losses accepted", path="name"),
    copies.ConvertPreview: _fields("", "counts", path="name"),
    copies.ConvertNote: _fields("action", "what"),
    copies.RequestPreviewBlock: _fields("mark role kind", named="name"),
    copies.RequestPreview: _fields("wire outcome", "sentence"),
    RenderedReport: _fields("text replaced name"),
    SendBackPackage: _fields("page plan system name"),
    pieces.RecordDetails: _fields("time"),
    pieces.BlockDetails: _fields("pointer", named="name call_id", json="given"),
    pieces.DetailPiece: _fields("", "title"),
    seeking.FilterResult: _fields("", "fault doubt"),
    seeking.ListRow: _fields("", "what"),
    seeking.JumpTarget: _fields("", "sentence"),
    LogEntry: _fields("path format archive", "agent"),
    machine_answers.LogVerdict: _fields("verdict cause", "sentence version"),
    machine_answers.LookupPlace: _fields("path how finding", "sentence"),
    machine_answers.LookupAnswer: _fields("", "meaning named remarks searched"),
    machine_answers.Backup: _fields("path original"),
    machine_answers.CleanupResult: _fields("settings dialog unfinished in_use beside looked_in"),
    machine_answers.RestoreResult: _fields("path kept", "warnings"),
}


def hide_content(answer: T, hider: ContentHider) -> T:
    """An answer of the engine with the texts of the log in it hidden.

    A text by itself is the path of what was written, bytes are JSON, and the keys of a table are words of ours.
    """
    return answer if isinstance(answer, str) else _hidden(answer, hider, _TEXT)


def _hidden(value: Any, hider: ContentHider, way: Callable[[ContentHider, str], str]) -> Any:
    match value:
        case Enum():
            return value
        case str():
            return way(hider, value)
        case bytes():
            return hide_record(value, hider)
        case Struct():
            return _struct(value, hider)
        case list() | tuple():
            return type(value)(_hidden(each, hider, way) for each in value)
        case dict():
            return {key: _hidden(each, hider, way) for key, each in value.items()}
        case Iterator():
            return _each(value, hider)
    return value


def _struct(value: Struct, hider: ContentHider) -> Struct:
    if isinstance(value, Outline):
        return replace(value, label={node: _label(value, node, text, hider) for node, text in value.label.items()})
    if isinstance(value, seeking.Facets):
        return replace(value, tools={hider.name(tool): count for tool, count in value.tools.items()})
    if isinstance(value, comparison.DiffRun) and value.style == "heading":  # what a block is
        sides = ((name, getattr(value, name)) for name in ("before", "after"))
        return replace(
            value,
            **{name: replace(side, words=_hidden(side.words, hider, ContentHider.sentence)) for name, side in sides},
        )
    fields = HIDDEN_FIELDS.get(type(value), {})
    if isinstance(value, answers.PreviewRow) and (value.count or value.mark == "rejected"):
        fields = {**fields, "summary": ContentHider.sentence}
    texts = ((name, getattr(value, name)) for name in value.__struct_fields__)
    return replace(value, **{name: _hidden(text, hider, fields.get(name, _TEXT)) for name, text in texts})


def _label(outline: Outline, node: int, text: str, hider: ContentHider) -> str:
    """The label of a row that no record describes; that of a session is its title, that of a subagent its task."""
    kind = outline.kind[node]
    ours = kind in (NodeKind.PAGE, NodeKind.INACTIVE_BRANCH) or (
        kind == NodeKind.SECTION and _OWN_SECTION.fullmatch(text)
    )
    return hider.sentence(text) if ours else hider.text(text)


def _each(parts: Iterator[Any], hider: ContentHider) -> Generator[Any, None, None]:
    try:
        for part in parts:
            yield hide_content(part, hider)
    finally:
        if isinstance(parts, Generator):
            parts.close()
