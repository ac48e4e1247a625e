"""Hide the content of a log in what the engine returns: texts become their size, names and ids become pseudonyms.

HIDDEN_FIELDS lists, for each type of value, how each of its text fields is treated. A field that is not listed is
treated as text of a log, so a new field hides too much rather than too little.

Words of formats, known tools, versions, models and times stay, and so do the fixed words of texts that programs write.
What may stay is listed; everything else is hidden.
"""

import re
from collections.abc import Callable, Generator, Iterator
from enum import Enum
from hashlib import blake2b
from pathlib import PurePath
from typing import Any, TypeVar

import orjson
from msgspec import Struct
from msgspec.structs import replace

from inspector.core.analysis.evidence_search import Evidence, EvidenceOfOpenCalls
from inspector.core.analysis.finding import Finding, RefusalTextValues
from inspector.core.discovery.log_entry import LogEntry, UnreadFile
from inspector.core.formats.base.call_evidence import EvidenceItem
from inspector.core.model.session import HistoryInMemory
from inspector.core.model.views import RecordLocation
from inspector.core.presentation import detail_pieces, diff, engine_results
from inspector.core.presentation.engine_results import RenderedShareableReport, RepairInstructionsPackage
from inspector.core.presentation.outline import NodeKind, Outline
from inspector.core.redaction.anonymizer import (
    JSON_STRING_PATTERN,
    id_prefix,
    is_harmless,
    is_time,
    program_written_prefix_length,
    telltale_error_words,
)
from inspector.core.redaction.non_identifying_words import (
    is_non_identifying_word,
    own_sentence_words,
    provider_text_words,
)
from inspector.core.text import format_bytes

_ID = re.compile(r"[\w.:|+=-]{1,512}", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_LONG_ID = 16  # characters from which on a text with a digit and without blanks is taken as an id
_PATH = re.compile(r"(?:file://|~|\.{1,2}|[A-Za-z]:)?(?:[/\\][^/\\\n]+)+[/\\]?")
_LONGEST_PATH, _LONGEST_KNOWN = 400, 3000
_HIDDEN = re.compile("‹[^‹›]*›")
# Common file name suffixes; any other suffix may be a part of the name.
_ENDINGS = frozenset(
    """
    .json .jsonl .ndjson .zip .tar .gz .tgz .zst .tzst .db .sqlite .backup .py .ipynb .js .jsx .ts .tsx .html .css .vue
    .md .txt .rst .rs .go .java .kt .c .h .cc .cpp .cs .rb .php .swift .sh .ps1 .sql .csv .toml .yaml .yml .xml .ini
    .cfg .lock .log .png .jpg .svg .pdf .docx .xlsx
    """.split()
)

# Quoted parts of the program's sentences, then single words; punctuation at the end is not part of a word.
_QUOTED_OR_WORD = re.compile(
    r"(?P<quoted>“.*”|\"[^\"]*\"|`[^`]*`|(?<!\w)'[^']*'(?!\w))|[^\s()\[\]{},;“”\"`<>|=]+", re.DOTALL
)
_END = re.compile(r"[.:!?…'’]+$")
_SHOWN_NUMBER = re.compile(r"[#+−-]?(?:\d{1,7}|\d{1,3}(?:,\d{3})+)(?:\.\d{1,3}|–[\d,]{1,9})?%?")
_PARTS = re.compile(r"[-.–]")
_NO_LETTER = re.compile(r"[!-/:-@\[-`{-~–—−…→←·≥≤×]+")


class ContentHider:
    """Hides the texts of logs.

    Pseudonyms depend on the `salt` alone, which reveals nothing of a log.
    """

    def __init__(self, salt: str) -> None:
        self._key = salt.encode()[:64]
        self._names: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Hide a text of a log."""
        if is_harmless(text) or is_time(text):
            return text
        if _is_id(text):
            return self.name(text)
        if len(text) <= _LONGEST_PATH and _PATH.fullmatch(text):
            return self.path(text)
        own = program_written_prefix_length(text) if len(text) < _LONGEST_KNOWN else 0
        return self._words(text[:own], provider_text_words().__contains__) + hidden_size(text[own:])

    def error(self, text: str) -> str:
        """Hide an error recorded in a log, except the words that name its subject; its size follows them."""
        known_words = telltale_error_words(text) if len(text) < _LONGEST_KNOWN else set()
        words = dict.fromkeys(
            word for word in re.findall(r"\w+", text) if known_words.issuperset(word.lower().split("_"))
        )
        return " ".join([*words, hidden_size(text)])

    def name(self, text: str) -> str:
        """Hide an id or the name of a tool; known names stay."""
        if is_harmless(text):
            return text
        name = f"‹{id_prefix(text)}{self._digest(text)}›"
        self._names[name] = text
        return name

    def reveal_names(self, line: str) -> str:
        """Return a line that a person typed, with the pseudonyms that they were shown replaced by the names."""
        return _HIDDEN.sub(lambda match: self._names.get(match[0], match[0]), line)

    def path(self, path: str) -> str:
        """Hide a path or file name by a pseudonym of its last part; a common suffix stays."""
        name = re.split(r"[/\\]", path.rstrip("/\\"))[-1]
        if not name:
            return path and "‹/›"
        suffix = PurePath(name).suffix.lower()
        return f"‹{self._digest(name)}{suffix if suffix in _ENDINGS else ''}›"

    def sentence(self, sentence: str) -> str:
        """Hide the ids, names and texts of a log in a sentence of the program; only its own words stay."""
        return self._words(sentence, own_sentence_words().__contains__)

    def _words(self, text: str, is_ours: Callable[[str], bool]) -> str:
        def shown(match: re.Match[str]) -> str:
            if not match["quoted"]:
                return self._word(match[0], is_ours)
            inner = match[0][1:-1]
            return match[0] if is_ours(inner) else f"{match[0][0]}{self.text(inner)}{match[0][-1]}"

        return _QUOTED_OR_WORD.sub(shown, text)

    def _word(self, word: str, is_ours: Callable[[str], bool]) -> str:
        end = _END.search(word)
        core = word[: end.start()] if end else word
        first = len(core) - len(core.lstrip("'‘-–#$"))
        bare = core[first:]
        if "‹" in core or not bare or _NO_LETTER.fullmatch(bare) or is_harmless(bare) or _SHOWN_NUMBER.fullmatch(core):
            return word
        if _is_spelled_by_us(bare, is_ours):
            return word
        hidden = self.path(bare) if "/" in bare or "\\" in bare else self.name(bare)
        return f"{core[:first]}{hidden}{word[len(core) :]}"

    def _digest(self, text: str) -> str:
        return blake2b(text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=3).hexdigest()


def hidden_size(text: str) -> str:
    """Return the size of a text as a placeholder; "" for an empty text."""
    return f"‹{format_bytes(len(text.encode('utf-8', 'surrogatepass')))}›" if text else ""


def _is_spelled_by_us(word: str, is_ours: Callable[[str], bool]) -> bool:
    """Return whether a word consists of known words, joined by hyphens or, next to numbers, by points."""
    parts = [part.removesuffix("'s").removesuffix("’s") for part in _PARTS.split(word)]
    if "." in word and not any(map(str.isdecimal, parts)):
        return False
    return all(is_ours(part) or is_non_identifying_word(part) or (part.isdecimal() and len(part) < 6) for part in parts)


def _is_id(text: str) -> bool:
    if not _ID.fullmatch(text):
        return False
    return bool(id_prefix(text) or _UUID.fullmatch(text)) or (len(text) >= _LONG_ID and any(map(str.isdigit, text)))


T = TypeVar("T")
_Fields = dict[str, Callable[[ContentHider, str], str]]

# Section labels that the program made up, which contain nothing of the log.
_OWN_SECTION = re.compile(r"[A-Z][a-z]+(?: [a-z]+)? \(?\d+\)?")


def _fields(
    kept: str = "", said: str = "", named: str = "", path: str = "", gone: str = "", json: str = "", error: str = ""
) -> _Fields:
    """Return how each named field is treated.

    * `kept`: words of the program, and values that the window works with and never shows.
    * `said`: sentences of the program.
    * `named`: ids and names.
    * `path`: file names.
    * `json`: text that is parsed as JSON.
    * `error`: the answer of a provider.
    * `gone`: left out.
    """
    ways: tuple[tuple[str, Callable[[ContentHider, str], str]], ...] = (
        (kept, lambda _, text: text),
        (said, lambda hider, text: hider.sentence(text)),
        (named, lambda hider, text: hider.name(text) if text else ""),
        (path, lambda hider, text: hider.path(text)),
        (gone, lambda *_: ""),
        (error, lambda hider, text: hider.error(text)),
        (json, lambda hider, text: hide_record_content(text.encode("utf-8", "surrogatepass"), hider).decode()),
    )
    return {name: way for names, way in ways for name in names.split()}


_TEXT: Callable[[ContentHider, str], str] = ContentHider.text
HIDDEN_FIELDS: dict[type, _Fields] = {
    engine_results.SessionSummary: _fields(
        "format verdict profile cause_url",
        "sentence headline remarks problems cause advice agent on_resume loses context",
        gone="id command",
        error="recorded_error",
    ),
    engine_results.AttachedLog: _fields("path bytes_path"),
    engine_results.OpenedLogFacts: _fields(
        "path format format_label formats_to_choose presets save_modes bytes_at followed read_from",
        "why_read_only checks_skipped faults",
        path="copy_name",
        gone="folder",
    ),
    engine_results.PreviewRow: _fields("mark finding_ids", "reason"),
    engine_results.RepairPreview: _fields(
        "chosen not_run", "losses accepted on_resume reason effects caveat unmet faults recovered unused_results button"
    ),
    engine_results.SaveResult: _fields(
        "path backup quarantine verdict made", "steps beside undo warnings", gone="session_id folder command"
    ),
    engine_results.ResultInOtherLog: _fields("path", "sentence", "call_id tool"),
    engine_results.Acceptance: _fields("rule not_run", "error message"),
    engine_results.RulePage: _fields("code slug text default answers repairs"),
    HistoryInMemory: _fields("", "notes disagreements"),
    Finding: _fields("id rule slug strategies default", "message recovers", "call_id tool", path="log"),
    RefusalTextValues: _fields("profile value", "case"),
    RecordLocation: _fields("pointer document", path="member"),
    diff.DiffRun: _fields("kind style"),
    diff.DiffSide: _fields("", "title", gone="picture"),
    engine_results.LogComparison: _fields("counts"),
    engine_results.SharedIds: _fields("", named="sessions"),
    engine_results.ComparedLog: _fields("path format verdict"),
    engine_results.LogDifference: _fields("kind"),
    EvidenceOfOpenCalls: _fields("changing"),
    Evidence: _fields("verdict"),
    EvidenceItem: _fields("", "sentence"),
    engine_results.TrimPreview: _fields("removed not_run", "consequences losses accepted fit", path="name"),
    engine_results.ConversionSummary: _fields("", "counts", path="name"),
    engine_results.ConvertNote: _fields("action", "what why"),
    engine_results.RequestPreviewBlock: _fields("mark role kind", named="name"),
    engine_results.RequestPreview: _fields("wire outcome", "sentence"),
    RenderedShareableReport: _fields("text replaced name"),
    RepairInstructionsPackage: _fields("page plan system name"),
    detail_pieces.RecordDetails: _fields("time"),
    detail_pieces.BlockDetails: _fields("pointer", named="name call_id", json="given"),
    detail_pieces.DetailPiece: _fields("", "title"),
    engine_results.FoundLogs: _fields(""),
    UnreadFile: _fields("path kind detail"),
    engine_results.FilterResult: _fields("", "fault doubt"),
    engine_results.PredefinedListRow: _fields("", "what"),
    engine_results.ContextSeries: _fields("model source", "summary"),
    engine_results.JumpTarget: _fields("", "sentence"),
    LogEntry: _fields("path format archive", "agent"),
    engine_results.LogVerdict: _fields("verdict cause", "sentence version drops"),
    engine_results.LogWriteOutcome: _fields("path outcome target", "reason"),
    engine_results.LookupPlace: _fields("path how finding", "sentence"),
    engine_results.LookupAnswer: _fields("", "meaning named remarks searched"),
    engine_results.Backup: _fields("path original"),
    engine_results.StoredDataRemoval: _fields("settings cache dialog unfinished in_use beside looked_in"),
    engine_results.RestoreResult: _fields("path kept", "warnings"),
}


def hide_engine_result_content(answer: T, hider: ContentHider) -> T:
    """Return a result of the engine with the texts of the log in it hidden.

    Bytes are JSON, and the keys of a dict are words of the program.
    """
    hidden: T = _hidden(answer, hider, _TEXT)
    return hidden


def _hidden(value: Any, hider: ContentHider, way: Callable[[ContentHider, str], str]) -> Any:
    match value:
        case Enum():
            return value
        case str():
            return way(hider, value)
        case bytes():
            return hide_record_content(value, hider)
        case Struct():
            return _struct(value, hider)
        case list() | tuple() | set():
            return type(value)(_hidden(item, hider, way) for item in value)
        case dict():
            return {key: _hidden(item, hider, way) for key, item in value.items()}
        case Iterator():
            return _each(value, hider)
    return value


def _struct(value: Struct, hider: ContentHider) -> Struct:
    if isinstance(value, Outline):
        return replace(value, label={node: _label(value, node, text, hider) for node, text in value.label.items()})
    if isinstance(value, engine_results.Facets):
        return replace(value, tools={hider.name(tool): count for tool, count in value.tools.items()})
    if isinstance(value, diff.DiffRun) and value.style == "heading":  # the title of a block
        sides = ((name, getattr(value, name)) for name in ("before", "after"))
        return replace(
            value,
            **{name: replace(side, words=_hidden(side.words, hider, ContentHider.sentence)) for name, side in sides},
        )
    fields = HIDDEN_FIELDS.get(type(value), {})
    if isinstance(value, engine_results.PreviewRow) and (value.count or value.mark == "rejected"):
        fields = {**fields, "summary": ContentHider.sentence}
    texts = ((name, getattr(value, name)) for name in value.__struct_fields__)
    return replace(value, **{name: _hidden(text, hider, fields.get(name, _TEXT)) for name, text in texts})


def _label(outline: Outline, node: int, text: str, hider: ContentHider) -> str:
    """Hide the label of a row that no record describes; for a session its title, for a subagent its task."""
    kind = outline.kind[node]
    ours = kind in (NodeKind.PAGE, NodeKind.INACTIVE_BRANCH) or (
        kind == NodeKind.SECTION and _OWN_SECTION.fullmatch(text)
    )
    return hider.sentence(text) if ours else hider.text(text)


def _each(parts: Iterator[Any], hider: ContentHider) -> Generator[Any, None, None]:
    try:
        for part in parts:
            yield hide_engine_result_content(part, hider)
    finally:
        if isinstance(parts, Generator):
            parts.close()


_KEY = re.compile(rb"\s*:")
# Between strings: a value or, in a line that is not JSON, any other text.
_VALUE = re.compile(rb"[^\s\[\]{}:,](?:[^\[\]{}:,]*[^\s\[\]{}:,])?")
_WORDS = frozenset({b"true", b"false", b"null"})
_JSON_NUMBER = re.compile(rb"-?\d{1,19}(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
# Keys whose numbers are shown: counts, times, and how a call ended.
_COUNTED = re.compile(
    r"(?i)token|time|duration|created|updated|count|total|exit|index|seq|version|_ms$|^(?:ts|n|input|output|cached|thoughts)$"
)
# Keys that hold what people and programs write; under other keys a word of a format is only that.
_PROSE_KEYS = frozenset("text content thinking output title prompt command query description message".split())
# Keys whose values stay distinguishable: equal values have equal pseudonyms.
_NAMES = re.compile(r"(?i)(?:id|name|key|slug)$")
_KEY_OF_OURS = re.compile(r"[A-Za-z0-9_$.-]*")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_NESTED = re.compile(r"\s*[\[{]")


def hide_record_content(raw: bytes, hider: ContentHider) -> bytes:
    """Return a record, or a part of one, with its texts hidden.

    Keys, brackets, the order, and bytes that are not JSON stay in place, so that a format still parses the record.
    """
    parts, at, key = [], 0, ""
    for match in JSON_STRING_PATTERN.finditer(raw):
        parts.append(_between(raw[at : match.start()], key))
        text = _unescaped(match[1])
        at = match.end()
        if _KEY.match(raw, at):
            key = text
            shown = text if _is_ours(text) else hider.name(text)
        else:
            shown = _value(text, key, hider)
        parts.append(orjson.dumps(shown)[: None if match[2] else -1])
    return b"".join([*parts, _between(raw[at:], key)])


def _value(text: str, key: str, hider: ContentHider) -> str:
    if _NESTED.match(text):
        return hide_record_content(text.encode("utf-8", "surrogatepass"), hider).decode()
    hidden = hider.name(text) if _NAMES.search(key) else hider.text(text)
    if key == "type" and hidden != text and (prefix := id_prefix(text)):
        return prefix + hider.name(text[len(prefix) :])  # a format reads the type of a part that names a tool
    return hidden_size(text) if hidden == text and key in _PROSE_KEYS and " " not in text else hidden


def _is_ours(key: str) -> bool:
    """Return whether a key is a word of a format, or consists of words that the program uses."""
    if is_non_identifying_word(key):
        return True
    return bool(_KEY_OF_OURS.fullmatch(key)) and all(
        part.lower() in own_sentence_words() for part in _PART.findall(key)
    )


def _between(raw: bytes, key: str) -> bytes:
    def hidden(match: re.Match[bytes]) -> bytes:
        value = match[0]
        if value in _WORDS:
            return value
        if _JSON_NUMBER.fullmatch(value):
            return value if _COUNTED.search(key) else b"0"
        return hidden_size(value.decode("utf-8", "replace")).encode()

    return _VALUE.sub(hidden, raw)


def _unescaped(raw: bytes) -> str:
    try:
        text: str = orjson.loads(b'"' + raw + b'"')
    except orjson.JSONDecodeError:
        return raw.decode("utf-8", "replace")
    return text
