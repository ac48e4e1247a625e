"""Which blocks and records of a log a pasted text names by an id."""

from bisect import bisect_right
from collections.abc import Iterator

from inspector.core.index.columns import Mark
from inspector.core.index.session import Log, Session
from inspector.core.index.views import CALLS, BlockKind
from inspector.core.judging.check import SessionReport
from inspector.core.known_texts.provider_errors.reading import Pasted
from inspector.core.pasted.seeking import offsets
from inspector.core.scene import Scene

# An id as long as this is no word: it is meant wherever it stands.
_NO_WORD = 7
_PART_OF_IDS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_RESULTS = (BlockKind.RESULT, BlockKind.SERVER_RESULT, BlockKind.TOLD_RESULT)
_OF_RESULTS = frozenset("R1 R2 R4 R5 R6 R7 R8 R11 R12 C2 X2".split())


def is_named(pasted: Pasted, call_id: str) -> bool:
    """Whether a text names this id: as an id, or as a word of its own when it is no ordinary one."""
    return any(named.is_of(call_id) for named in pasted.ids) or (
        len(call_id) >= _NO_WORD and _stands_in(pasted, call_id)
    )


def _stands_in(pasted: Pasted, call_id: str) -> bool:
    """Whether an id is a word of its own in the text, or was broken in two by a line end."""
    text, at = pasted.plain, pasted.plain.find(call_id)
    if at < 0:
        return call_id in pasted.narrow
    while at >= 0:
        end = at + len(call_id)
        if not {text[at - 1 : at], text[end : end + 1]} & _PART_OF_IDS:
            return True
        at = text.find(call_id, end)
    return False


def blocks_named(session: SessionReport, pasted: Pasted) -> Iterator[tuple[Scene, int, int, str]]:
    """(scene, record, ordinal, id) of one block for each id that is named: the call, or the result if it is about one.

    What lies on the path of a thread comes before what lies off it.
    """
    if not session.threads:
        return
    scene = session.threads[0].scene
    columns, members = scene.columns, session.session.members
    low, high = columns.first[members.start], columns.first[members.stop]
    named = {each for each in set(columns.call_ids[low:high]) if each and is_named(pasted, each)}
    if not named:
        return
    preferred = _RESULTS if _OF_RESULTS.intersection(pasted.rules) else CALLS
    on_path = {record for judged in session.threads for record in judged.scene.thread.path}
    best: dict[str, tuple[tuple[bool, bool], int, int]] = {}
    for row in range(low, high):
        call_id = columns.call_ids[row]
        if call_id in named:
            record = columns.record_of(row)
            rank = (record in on_path, columns.block_kinds[row] in preferred)
            if call_id not in best or rank > best[call_id][0]:
                best[call_id] = (rank, record, row - columns.first[record])
    for call_id, (_, record, ordinal) in sorted(best.items(), key=lambda each: each[1][1:]):
        yield scene, record, ordinal, call_id


def records_naming(log: Log, session: Session, pasted: Pasted) -> list[int]:
    """The first record of a session that has an id which is no call's: a reasoning item's, or a message's."""
    needles = [b'"' + named.text.encode(errors="replace") + (b"" if named.cut else b'"') for named in pasted.ids]
    for offset in offsets(log.source, needles) if needles else ():
        record = bisect_right(log.columns.starts, offset) - 1
        held = record in session.members and offset < log.columns.ends[record]
        if held and not log.columns.marks[record] & Mark.API_ERROR:
            return [record]
    return []
