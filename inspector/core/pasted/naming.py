"""Which blocks and records of a log a pasted text names by an id."""

from bisect import bisect_right
from collections.abc import Iterator

from inspector.core.index.columns import RecordMark
from inspector.core.index.session import Log, Session
from inspector.core.index.views import CALL_KINDS, BlockKind
from inspector.core.judging.check import SessionReport
from inspector.core.known_texts.provider_errors.reading import ParsedErrorText
from inspector.core.pasted.seeking import match_offsets
from inspector.core.scene import ThreadContext

# An id as long as this is no word: it is meant wherever it stands.
_NO_WORD = 7
_PART_OF_IDS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_RESULTS = (BlockKind.RESULT, BlockKind.SERVER_RESULT, BlockKind.TOLD_RESULT)
_OF_RESULTS = frozenset("R1 R2 R4 R5 R6 R7 R8 R11 R12 C2 X2".split())


def mentions_id(pasted: ParsedErrorText, call_id: str) -> bool:
    """Whether a text names this id: as an id, or as a word of its own when it is no ordinary one."""
    return any(named.matches(call_id) for named in pasted.ids) or (
        len(call_id) >= _NO_WORD and _stands_in(pasted, call_id)
    )


def _stands_in(pasted: ParsedErrorText, call_id: str) -> bool:
    """Whether an id is a word of its own in the text, or was broken in two by a line end."""
    text, at = pasted.flat_text, pasted.flat_text.find(call_id)
    if at < 0:
        return call_id in pasted.text_without_spaces
    while at >= 0:
        end = at + len(call_id)
        if not {text[at - 1 : at], text[end : end + 1]} & _PART_OF_IDS:
            return True
        at = text.find(call_id, end)
    return False


def mentioned_blocks(session: SessionReport, pasted: ParsedErrorText) -> Iterator[tuple[ThreadContext, int, int, str]]:
    """(scene, record, ordinal, id) of one block for each id that is named: the call, or the result if it is about one.

    What lies on the path of a thread comes before what lies off it.
    """
    if not session.threads:
        return
    scene = session.threads[0].context
    columns, members = scene.columns, session.session.records
    low, high = columns.first_block[members.start], columns.first_block[members.stop]
    named = {each for each in set(columns.call_ids[low:high]) if each and mentions_id(pasted, each)}
    if not named:
        return
    preferred = _RESULTS if _OF_RESULTS.intersection(pasted.rules) else CALL_KINDS
    on_path = {record for judged in session.threads for record in judged.context.thread.path}
    best: dict[str, tuple[tuple[bool, bool], int, int]] = {}
    for row in range(low, high):
        call_id = columns.call_ids[row]
        if call_id in named:
            record = columns.record_of_block(row)
            rank = (record in on_path, columns.block_kinds[row] in preferred)
            if call_id not in best or rank > best[call_id][0]:
                best[call_id] = (rank, record, row - columns.first_block[record])
    for call_id, (_, record, ordinal) in sorted(best.items(), key=lambda each: each[1][1:]):
        yield scene, record, ordinal, call_id


def mentioned_records(log: Log, session: Session, pasted: ParsedErrorText) -> list[int]:
    """The first record of a session that has an id which is no call's: a reasoning item's, or a message's."""
    needles = [
        b'"' + named.text.encode(errors="replace") + (b"" if named.is_truncated else b'"') for named in pasted.ids
    ]
    for offset in match_offsets(log.source, needles) if needles else ():
        record = bisect_right(log.columns.starts, offset) - 1
        held = record in session.records and offset < log.columns.ends[record]
        if held and not log.columns.marks[record] & RecordMark.API_ERROR:
            return [record]
    return []
