"""What Qwen Code sends on resume, block by block.

Facts: @qwen-code/qwen-code 0.24.4, `repairOrphanedToolUseTurns` (before every request: what a call lacks in the run of
the user's messages behind its own is put before their words, a result that stands later in that run is taken to its
call, the first of several is kept) and `cleanOrphanedToolCalls` of the converter for OpenAI (what answers no call goes;
of calls with one id the first stays). It was run on thirteen broken chats and on their repairs.
"""

from collections.abc import Iterable

from inspector.core.formats.bases.request import Message, Request, Sent
from inspector.core.index.columns import Columns, ReadRecord, Role
from inspector.core.index.session import Session
from inspector.core.index.views import BlockKind
from inspector.core.known_texts.placeholders import PLACEHOLDER_WORDINGS

_MISSING = PLACEHOLDER_WORDINGS["qwen-code"].text
_CALL, _RESULT = BlockKind.CALL, BlockKind.RESULT
_SPEAKERS = (Role.USER, Role.ASSISTANT, Role.TOOL)


def request_of(session: Session, columns: Columns, raw: ReadRecord) -> Request:
    """The messages that a resume of the session sends."""
    sent: list[Message] = []
    known: set[str | None] = {None, ""}
    for said, behind in _exchanges(columns, session.main_thread.path):
        kinds, ids = columns.block_kinds, columns.call_ids
        calls = {ids[row]: row for row in reversed(said) if kinds[row] == _CALL and ids[row] not in known}
        own = [row for row in said if kinds[row] != _CALL or calls.get(ids[row]) == row]
        known.update(calls)
        results: dict[str | None, int] = {}
        for row in behind:
            if kinds[row] == _RESULT and ids[row] in calls:
                results.setdefault(ids[row], row)
        answers = [Sent(row) for row in results.values()]
        answers += [Sent(row, _MISSING) for call_id, row in reversed(calls.items()) if call_id not in results]
        words = [Sent(row) for row in behind if kinds[row] != _RESULT]
        _add(sent, Role.ASSISTANT, [Sent(row) for row in own])
        _add(sent, Role.TOOL, answers)
        _add(sent, Role.USER, words)
    return Request("openai-chat", sent)


def _add(sent: list[Message], role: Role, blocks: list[Sent]) -> None:
    if blocks:
        sent.append(Message(role, blocks))


def _exchanges(columns: Columns, path: Iterable[int]) -> list[tuple[list[int], list[int]]]:
    """The blocks of each message of the model, and those of the user's messages up to the next one."""
    found: list[tuple[list[int], list[int]]] = [([], [])]
    group: str | None = None
    for record in path:
        if columns.roles[record] not in _SPEAKERS:
            continue
        rows = columns.block_rows(record)
        if columns.roles[record] != Role.ASSISTANT:
            found[-1][1].extend(rows)
        elif columns.groups[record] is not None and columns.groups[record] == group:
            found[-1][0].extend(rows)
        else:
            group = columns.groups[record]
            found.append((list(rows), []))
    return found
