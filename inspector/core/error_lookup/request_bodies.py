"""Find a request body in a pasted text, judge it as a history, and compare it with stored sessions."""

import json
import re
from collections.abc import Iterator

from msgspec import Struct

from inspector.core.check.check import Report, SessionReport, check
from inspector.core.discovery.opening import open_log
from inspector.core.error_lookup.locate import place_of_record
from inspector.core.errors import InspectorError
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.registry import safe_view
from inspector.core.model.columnar_index import Columns, Role
from inspector.core.model.views import BlockKind, RecordLocation
from inspector.core.storage.json_spans import TruncatedJson, value_end
from inspector.core.storage.source import Source

_KEY = re.compile(r'(?<!\\)(\\*+)"(?:messages|contents|input)\1"\s*:\s*\[\s*(?:\{|\])')
_BARE_ARRAY = re.compile(r'\s*\[\s*\{\s*"(?:role|parts|type)"')
_MOST_OPENINGS = 40
_SOME, _LONG_ENOUGH, _PIECE = 6, 12, 60
_INJECTED_START = "<"


class HistoryFingerprint(Struct):
    """What identifies a history: the ids of its calls and results, and the texts of the user, in order."""

    ids: list[str]
    texts: list[str]


class SessionOfRequest(Struct, frozen=True, kw_only=True):
    """A stored session that begins with a pasted request.

    `ids` of the request's `all_ids` ids and `texts` of its `all_texts` texts are in the session. `place` is the last
    record that both have, `message` its number, and `messages` the number of messages in the session.
    """

    path: str
    format: str
    session: str
    ids: int
    all_ids: int
    texts: int
    all_texts: int
    place: RecordLocation | None
    message: int
    messages: int


def check_request_in_text(text: str) -> Report | None:
    """Return the judged request in a text (bare, in a log line, in a curl call), None when there is none."""
    for candidate in _candidates(text):
        try:
            report = check(open_log(Source.of_bytes(candidate), reading=ReadOptions(deep=True)))
        except InspectorError:
            continue
        if report.format.is_provider_api and any(session.messages for session in report.sessions):
            return report
    return None


def _candidates(text: str) -> Iterator[bytes]:
    """Yield what may be a request: the whole text, or an object or array in it, whole or cut off."""
    if _BARE_ARRAY.match(text):
        yield text.encode(errors="replace")
        return
    key_match = _KEY.search(text)
    if key_match is None:
        return
    if key_match[1]:
        yield from _candidates(_unescaped(text, key_match.start(), len(key_match[1])))
        return
    # In a shell, a quote inside single quotes is written '\''.
    data = text.replace("'\\''", "'").encode(errors="replace")
    key = len(text[: key_match.start()].replace("'\\''", "'").encode(errors="replace"))
    openings = [each.start() for each in re.finditer(rb"\{", data[:key])]
    for at in openings[:_MOST_OPENINGS]:
        try:
            end = value_end(data, at)
        except TruncatedJson:
            end = len(data)
        if end > key:
            yield data[at:end]


def _unescaped(text: str, key: int, depth: int) -> str:
    """Remove one level of escaping from JSON in a JSON string, `depth` backslashes before each quote."""
    start = text.rfind('"{' if depth == 1 else '\\"{', 0, key)
    start = text.find("{", start) if start >= 0 else text.rfind("{", 0, key)
    inner = re.match(r'(?:[^"\\]|\\.)*', text[max(start, 0) :], re.DOTALL)
    piece = inner[0] if inner else ""
    try:
        return str(json.loads(f'"{piece}"', strict=False))
    except ValueError:
        return piece.replace('\\"', '"').replace("\\\\", "\\")


def fingerprint_of(report: Report) -> HistoryFingerprint:
    """Return the fingerprint of the pasted history."""
    session = max(report.sessions, key=lambda each: each.messages)
    return _print(report, session)


def _print(report: Report, session: SessionReport) -> HistoryFingerprint:
    log = report.log
    ids: dict[str, None] = {}
    texts: dict[str, None] = {}
    for judged in session.threads[:1]:
        for record in judged.context.thread.path:
            ids |= dict.fromkeys(_ids_at(log.columns, record))
            if log.columns.roles[record] == Role.USER:
                texts |= dict.fromkeys(_said(report, record))
    return HistoryFingerprint(list(ids), list(texts))


def _ids_at(columns: Columns, record: int) -> Iterator[str]:
    for row in columns.block_rows(record):
        call_id = columns.call_ids[row]
        if call_id and columns.block_kinds[row] in (BlockKind.CALL, BlockKind.RESULT):
            yield call_id


def _said(report: Report, record: int) -> Iterator[str]:
    """Yield what a record says in plain words, with single spaces.

    Text that programs add in tags is left out.
    """
    for block in safe_view(report.format, report.log.raw(record), report.log.faults).blocks:
        text = " ".join(block.text.split())
        if block.kind == BlockKind.TEXT and text and not text.startswith(_INJECTED_START):
            yield text


def distinctive_strings(known: HistoryFingerprint) -> list[str]:
    """Return a few texts that every log of the session contains letter by letter: ids, or else pieces of texts."""
    long_ids = [each for each in known.ids if len(each) >= _LONG_ENOUGH]
    if long_ids:
        return [*long_ids[: _SOME // 2], *long_ids[-_SOME // 2 :]]
    pieces = [piece for text in known.texts if len(piece := _piece(text)) >= _LONG_ENOUGH]
    chosen = [*pieces[: _SOME // 2], *pieces[-_SOME // 2 :]]
    return [*chosen, *(json.dumps(piece)[1:-1] for piece in chosen if not piece.isascii())]


def _piece(text: str) -> str:
    """Return the longest piece of a text that JSON spells unescaped."""
    return max(re.split(r'["\\/<>&\x00-\x1f]+', text), key=len)[:_PIECE].strip()


def match_session(known: HistoryFingerprint, report: Report) -> SessionOfRequest | None:
    """Return the session of this log that begins with the history, None when they have too little in common."""
    matches = [match for session in report.sessions if (match := _match(known, report, session)) is not None]
    return max(matches, key=lambda match: (match.ids, match.texts), default=None)


def _match(known: HistoryFingerprint, report: Report, session: SessionReport) -> SessionOfRequest | None:
    """Return what a session has in common with the history, None when that is too little.

    Too little is less than half of the ids, or neither a long id nor half of the texts.
    """
    ids, texts, stored = set(known.ids), set(known.texts), _print(report, session)
    shared_ids, shared_texts = ids & set(stored.ids), texts & set(stored.texts)
    enough_ids, enough_texts = 2 * len(shared_ids) >= len(ids), 2 * len(shared_texts) >= len(texts)
    is_distinct = any(len(each) >= _LONG_ENOUGH for each in shared_ids)
    if not enough_ids or not (is_distinct or (shared_texts and enough_texts)):
        return None
    place, message = _last_shared(report, session, shared_ids, shared_texts)
    return SessionOfRequest(
        path=report.log.source.path,
        format=report.format.name,
        session=session.session.id,
        ids=len(shared_ids),
        all_ids=len(ids),
        texts=len(shared_texts),
        all_texts=len(texts),
        place=place,
        message=message,
        messages=session.messages,
    )


def _last_shared(
    report: Report, session: SessionReport, ids: set[str], texts: set[str]
) -> tuple[RecordLocation | None, int]:
    """Return the last record with content of the history, and the number of messages up to that record."""
    context, log = session.threads[0].context, report.log
    for at in range(len(context.thread.path) - 1, -1, -1):
        record = context.thread.path[at]
        said = log.columns.roles[record] == Role.USER and texts.intersection(_said(report, record))
        if said or ids.intersection(_ids_at(log.columns, record)):
            numbers = {number for number in context.pairing.messages[: at + 1] if number >= 0}
            return place_of_record(report, record), len(numbers)
    return None, 0
