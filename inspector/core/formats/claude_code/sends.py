"""What Claude Code sends on resume, block by block.

Facts: cli.js 2.1.112 (`K77` loads, `oF8` drops open calls, `qK8` and `e48` drop fragments that say nothing, `K0` joins,
`YbK` pairs) and the bundle of 2.1.330, which also regroups a message that is split (`yXt`) and answers what is open at
the end (`QUe`). Both were run on some eighty broken sessions. Versions between the two are taken for the older one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from inspector.core.columns import Columns, Flag, Role
from inspector.core.formats.bases.request import Message, Request, Sent
from inspector.core.placeholders import WORDINGS
from inspector.core.session import Session
from inspector.core.views import BlockKind

_PAIRS_SINCE = (2, 1, 20)  # before, what is unmatched went out as it was
_DROPS_SERVER_CALLS_SINCE = (2, 1, 80)
_ANSWERS_SINCE = (2, 1, 330)
_WRITES = "appends its own results of the calls at the end to the file"
_INTERRUPTED, _MISSING = WORDINGS["claude-code-resume"].text, WORDINGS["claude-code"].text
_CALL, _RESULT, _TEXT, _THINKING = BlockKind.CALL, BlockKind.RESULT, BlockKind.TEXT, BlockKind.THINKING


def request_of(session: Session, columns: Columns) -> Request:
    """The messages that a resume of the session's main thread sends."""
    version = numbers_of(session.version)
    newer = version >= _ANSWERS_SINCE
    history = _History(columns, session.main.path)
    answered = history.open_at_the_end() if newer else set()
    history.drop_open(answered)
    history.drop_fragments_that_say_nothing()
    if newer:
        history.regroup()
    messages = _joined(columns, history.records)
    own = [Sent(row, _INTERRUPTED) for row in sorted(answered)]
    if own:
        _say(columns, messages, own)
    if version >= _DROPS_SERVER_CALLS_SINCE:
        for message in messages:
            message.blocks = _without_open_server_calls(columns, message.blocks)
    sent = _paired(columns, messages) if version >= _PAIRS_SINCE else messages
    return Request("anthropic", sent, writes=_WRITES if own else "", opens=not newer)


def numbers_of(version: str) -> tuple[int, ...]:
    """A version as numbers that can be compared, () for one that is not known."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


class _History:
    """The records that the program has in memory, in order, as it takes more and more of them out."""

    def __init__(self, columns: Columns, path: Iterable[int]) -> None:
        self.columns = columns
        self.records = [record for record in path if columns.roles[record] in (Role.USER, Role.ASSISTANT)]
        answered = {columns.call_ids[row] for row in self._rows(_RESULT)}
        self.open = {row for row in self._rows(_CALL) if columns.call_ids[row] not in answered}

    def _rows(self, kind: BlockKind) -> list[int]:
        kinds = self.columns.block_kinds
        return [row for record in self.records for row in self.columns.rows(record) if kinds[row] == kind]

    def of(self, record: int, kind: BlockKind) -> list[int]:
        return [row for row in self.columns.rows(record) if self.columns.block_kinds[row] == kind]

    def is_prompt(self, record: int) -> bool:
        return self.columns.roles[record] == Role.USER and not self.of(record, _RESULT)

    def open_at_the_end(self) -> set[int]:
        """The open calls of the newest message, behind the last prompt (`Pzt`, `XUe`)."""
        columns = self.columns
        spoken = [record for record in self.records if columns.roles[record] == Role.ASSISTANT]
        if not self.open or not spoken:
            return set()
        newest, found = columns.groups[spoken[-1]], set[int]()
        for record in reversed(self.records):
            if self.is_prompt(record):
                break
            if record == spoken[-1] or (newest is not None and columns.groups[record] == newest):
                found.update(self.open.intersection(columns.rows(record)))
        return found

    def drop_open(self, answered: set[int]) -> None:
        """Records all of whose calls are open go, whatever else they say (`oF8`)."""
        unresolved = self.open - answered
        if unresolved:
            calls = {record: self.of(record, _CALL) for record in self.records}
            self.records = [each for each in self.records if not calls[each] or not unresolved.issuperset(calls[each])]

    def drop_fragments_that_say_nothing(self) -> None:
        """Records of reasoning or of blank texts alone go, where no other fragment of their message says more."""
        self._drop_alone(lambda row: self.columns.block_kinds[row] == _THINKING)
        self._drop_alone(self._is_blank, beside=_THINKING)

    def _is_blank(self, row: int) -> bool:
        blank = bool(self.columns.block_flags[row] & Flag.BLANK)
        return blank and self.columns.block_kinds[row] == _TEXT

    def _drop_alone(self, says_nothing: Callable[[int], bool], beside: BlockKind | None = None) -> None:
        columns = self.columns
        kinds, saying = columns.block_kinds, set[str | None]()
        for record in self.records:
            if any(not says_nothing(row) and kinds[row] != beside for row in columns.rows(record)):
                saying.add(columns.groups[record])
        self.records = [
            record
            for record in self.records
            if columns.roles[record] != Role.ASSISTANT
            or (columns.groups[record] in saying and columns.groups[record] is not None)
            or not columns.blocks[record]
            or not all(map(says_nothing, columns.rows(record)))
        ]

    def regroup(self) -> None:
        """Results before their message, with no prompt between, are put right behind it (`yXt`)."""
        columns = self.columns
        first: dict[str | None, int] = {}
        last: dict[str | None, int] = {}
        owner: dict[str | None, str | None] = {}
        for at, record in enumerate(self.records):
            group = columns.groups[record]
            if columns.roles[record] == Role.ASSISTANT and group is not None:
                first.setdefault(group, at)
                last[group] = at
                owner |= {columns.call_ids[row]: group for row in self.of(record, _CALL)}
        behind: dict[int, list[int]] = {}
        moved: set[int] = set()
        for at, record in enumerate(self.records):
            named = {owner.get(columns.call_ids[row]) for row in self.of(record, _RESULT)}
            group = next(iter(named), None)
            if len(named) != 1 or group is None or at >= first[group]:
                continue
            if not any(map(self.is_prompt, self.records[at + 1 : last[group]])):
                behind.setdefault(self.records[last[group]], []).append(record)
                moved.add(record)
        if moved:
            kept = [record for record in self.records if record not in moved]
            self.records = [each for record in kept for each in (record, *behind.get(record, ()))]


def _joined(columns: Columns, records: list[int]) -> list[Message]:
    """One message of all that the user says in a row; one of all fragments of an id, up to the next prompt (`K0`)."""
    messages: list[Message] = []
    open_messages: dict[str | None, Message] = {}
    for record in records:
        blocks = [Sent(row) for row in columns.rows(record)]
        group = columns.groups[record]
        if columns.roles[record] == Role.USER:
            if not any(_is_result(columns, block) for block in blocks):
                open_messages = {}
            _say(columns, messages, blocks)
        elif group in open_messages:
            _join(columns, open_messages[group], blocks)
        else:
            messages.append(Message(Role.ASSISTANT, blocks))
            open_messages[group] = messages[-1]
    return messages


def _join(columns: Columns, message: Message, blocks: list[Sent]) -> None:
    """Add a fragment; blank texts go, unless nothing but reasoning would be left (`HNY`)."""
    kinds, flags = columns.block_kinds, columns.block_flags
    joined = [*message.blocks, *blocks]
    kept = [each for each in joined if not (kinds[each.row] == _TEXT and flags[each.row] & Flag.BLANK)]
    message.blocks = kept if any(kinds[each.row] != _THINKING for each in kept) else joined


def _say(columns: Columns, messages: list[Message], blocks: list[Sent]) -> None:
    """Add what the user says; with what was said right before it is one message, results in front."""
    if messages and messages[-1].role == Role.USER:
        said = [*messages[-1].blocks, *blocks]
        messages[-1].blocks = sorted(said, key=lambda block: not _is_result(columns, block))
    else:
        messages.append(Message(Role.USER, blocks))


def _is_result(columns: Columns, block: Sent) -> bool:
    return bool(block.answer) or columns.block_kinds[block.row] == _RESULT


def _paired(columns: Columns, messages: list[Message]) -> list[Message]:
    """Each message of calls with the results of the next one: what is missing is put in, the rest goes (`YbK`)."""
    sent: list[Message] = []
    known: set[str | None] = set()
    waiting: dict[str | None, int] = {}
    for message in messages:
        if message.role == Role.ASSISTANT:
            _answer(sent, waiting)
            blocks = [block for block in message.blocks if not _is_repeated(columns, block, known)]
            waiting = {columns.call_ids[block.row]: block.row for block in blocks if _is_call(columns, block)}
            sent.append(Message(Role.ASSISTANT, blocks))
            continue
        taken: set[str | None] = set()
        blocks = []
        for block in message.blocks:
            call_id = columns.call_ids[block.row]
            if not _is_result(columns, block) or (call_id in waiting and call_id not in taken):
                blocks.append(block)
                taken.add(call_id if _is_result(columns, block) else None)
        missing = [row for call_id, row in waiting.items() if call_id not in taken]
        if blocks or missing or (sent and sent[-1].role == Role.ASSISTANT):
            sent.append(Message(Role.USER, [*(Sent(row, _MISSING) for row in missing), *blocks]))
        waiting = {}
    _answer(sent, waiting)
    return sent


def _without_open_server_calls(columns: Columns, blocks: list[Sent]) -> list[Sent]:
    """Calls of the provider's own tools stay only where their result is in the same message."""
    kinds, ids = columns.block_kinds, columns.call_ids
    results = {ids[block.row] for block in blocks if kinds[block.row] == BlockKind.SERVER_RESULT}
    return [each for each in blocks if kinds[each.row] != BlockKind.SERVER_CALL or ids[each.row] in results]


def _answer(sent: list[Message], waiting: dict[str | None, int]) -> None:
    """Close a message of calls that no message of the user follows."""
    if waiting:
        sent.append(Message(Role.USER, [Sent(row, _MISSING) for row in waiting.values()]))
        waiting.clear()


def _is_call(columns: Columns, block: Sent) -> bool:
    return columns.block_kinds[block.row] == _CALL


def _is_repeated(columns: Columns, block: Sent, known: set[str | None]) -> bool:
    """Whether the block is a call whose id was there before; the id is added to `known`."""
    if not _is_call(columns, block):
        return False
    call_id = columns.call_ids[block.row]
    repeated = call_id in known
    known.add(call_id)
    return repeated
