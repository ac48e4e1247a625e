"""The request of Claude Code on resume, block by block.

Facts: cli.js 2.1.112 (`K77` loads, `oF8` drops open calls, `qK8` and `e48` drop fragments that say nothing, `K0` joins,
`YbK` pairs) and the bundle of 2.1.330, which also regroups a message that is split (`yXt`) and answers what is open at
the end (`QUe`). Both were run on some two hundred broken sessions. Versions between them are taken for the older one.
"""

from collections.abc import Iterable
from itertools import accumulate, groupby

from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.claude_code.reader import is_newer_generation
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.storage.json_text import list_at, parse_json, text_at, value_at
from inspector.core.text import version_numbers
from inspector.core.translation import tr

_PAIRS_SINCE = (2, 1, 20)  # before, what is unmatched went out as it was
_DROPS_SERVER_CALLS_SINCE = (2, 1, 80)
_NO_LIST_STOPS = tr("the agent cannot load an assistant message if its content is not a list of blocks")
_NO_CONTENT_STOPS = tr("the agent stops at a user message without content")
_EMPTY_MESSAGE_ERROR = "messages: all messages must have non-empty content"
# The texts that replace a message of which nothing is left.
_ORPHANED_RESULT, _INTERRUPTED_CALL = (
    "[Orphaned tool result removed due to conversation resume]",
    "[Tool use interrupted]",
)
_NO_CONTENT_TEXT = "(no content)"
_APPENDED_RESULTS = tr("adds its own results for the last calls at the end of the file")
_INTERRUPTED, _MISSING = PLACEHOLDER_WORDINGS["claude-code-resume"].text, PLACEHOLDER_WORDINGS["claude-code"].text
# Enums are looked up slowly, and blocks are many.
_CALL, _RESULT, _TEXT, _THINKING = map(int, (BlockKind.CALL, BlockKind.RESULT, BlockKind.TEXT, BlockKind.THINKING))
_USER, _ASSISTANT = int(Role.USER), int(Role.ASSISTANT)


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages that a resume of the session's main thread sends."""
    version = version_numbers(session.version)
    newer = is_newer_generation(session.version)
    history = _MemoryHistory(columns, session.main_thread.path)
    if not newer and (obstacle := history.obstacle(raw)):
        return ResumeRequest("anthropic", [], stop_reason=obstacle)
    answered = history.open_at_the_end() if newer else set()
    history.drop_open(answered)
    history.drop_fragments_that_say_nothing()
    if newer:
        history.regroup()
    messages = history.joined(raw, newer)
    own = [RequestBlock(row, _INTERRUPTED) for row in sorted(answered)]
    if own and _add_user_blocks(messages, own):
        _put_results_first(columns, messages[-1])
    if version >= _DROPS_SERVER_CALLS_SINCE and BlockKind.SERVER_CALL in columns.block_kinds:
        for message in messages:
            message.blocks = _without_open_server_calls(columns, message.blocks)
    sent = _pair_results(columns, messages) if version >= _PAIRS_SINCE else messages
    return ResumeRequest(
        "anthropic",
        sent,
        file_changes=_APPENDED_RESULTS if own else "",
        begins_with_user=not newer,
        replaces_surrogates=newer,
    )


class _MemoryHistory:
    """The records that the program has in memory, in order, while it removes more and more of them."""

    def __init__(self, columns: Columns, path: Iterable[int]) -> None:
        self.columns = columns
        self.records = [record for record in path if columns.roles[record] in (_USER, _ASSISTANT)]
        kinds, first, ids = columns.block_kinds, columns.first_block, columns.call_ids
        # The blocks of the records that have some.
        self.calls: dict[int, list[int]] = {}
        self.results: dict[int, list[int]] = {}
        answered: set[str | None] = set()
        for record in self.records:
            for row in range(first[record], first[record + 1]):
                kind = kinds[row]
                if kind == _CALL:
                    self.calls.setdefault(record, []).append(row)
                elif kind == _RESULT:
                    self.results.setdefault(record, []).append(row)
                    answered.add(ids[row])
        self.open = {row for rows in self.calls.values() for row in rows if ids[row] not in answered}

    def is_prompt(self, record: int) -> bool:
        return self.columns.roles[record] == _USER and record not in self.results

    def open_at_the_end(self) -> set[int]:
        """Return the open calls of the newest message, after the last prompt (`Pzt`, `XUe`)."""
        columns = self.columns
        responses = [record for record in self.records if columns.roles[record] == _ASSISTANT] if self.open else ()
        if not responses:
            return set()
        newest, open_rows = columns.groups[responses[-1]], set[int]()
        for record in reversed(self.records):
            if self.is_prompt(record):
                break
            if record == responses[-1] or (newest is not None and columns.groups[record] == newest):
                open_rows.update(self.open.intersection(self.calls.get(record, ())))
        return open_rows

    def obstacle(self, raw: ReadRecord) -> str:
        """Return why older programs fail, "" when they do not: content of another kind than they accept."""
        first, roles, flags = self.columns.first_block, self.columns.roles, self.columns.block_flags
        for position, record in enumerate(self.records):
            row, answers = first[record], roles[record] == _ASSISTANT
            if row < first[record + 1]:
                if answers and flags[row] & BlockFlag.PLAIN_STRING:
                    return _NO_LIST_STOPS
                continue
            content = value_at(parse_json(raw(record)), "/message/content")
            if not isinstance(content, list):
                return _NO_LIST_STOPS if answers else _NO_CONTENT_STOPS
            beside = {
                roles[neighbour]
                for neighbour in self.records[max(position - 1, 0) : position + 2]
                if neighbour != record
            }
            if not answers and _USER not in beside:
                return _EMPTY_MESSAGE_ERROR
        return ""

    def drop_open(self, answered: set[int]) -> None:
        """Drop records whose calls are all open, even if they hold other blocks (`oF8`)."""
        unresolved = self.open - answered
        owners = {self.columns.record_of_block(row) for row in unresolved}
        self._drop({record for record in owners if unresolved.issuperset(self.calls[record])})

    def _drop(self, records: set[int]) -> None:
        if records:
            self.records = [record for record in self.records if record not in records]

    def drop_fragments_that_say_nothing(self) -> None:
        """Drop records of only reasoning or blank texts, where no other fragment of their message says more."""
        columns = self.columns
        kinds, first, groups, roles = columns.block_kinds, columns.first_block, columns.groups, columns.roles
        beside_reasoning: set[str | None] = set()
        beside_blanks: set[str | None] = set()
        reasoning, blank = [], []
        for record in self.records:
            low, high = first[record], first[record + 1]
            if roles[record] != _ASSISTANT or low == high:
                continue
            if kinds[low] == _THINKING and kinds.count(_THINKING, low, high) == high - low:
                reasoning.append(record)
                continue
            group = groups[record]
            beside_reasoning.add(group)
            if record in self.calls or any(
                kinds[row] != _THINKING and not self._is_blank(row) for row in range(low, high)
            ):
                beside_blanks.add(group)
            elif _THINKING not in kinds[low:high]:
                blank.append(record)
        for groups_that_speak in (beside_reasoning, beside_blanks):
            groups_that_speak.discard(None)  # a record without an id is a message of its own
        silent = {each for each in reasoning if groups[each] not in beside_reasoning}
        self._drop(silent | {each for each in blank if groups[each] not in beside_blanks})

    def _is_blank(self, row: int) -> bool:
        return self.columns.block_kinds[row] == _TEXT and bool(self.columns.block_flags[row] & BlockFlag.BLANK)

    def regroup(self) -> None:
        """Move results that precede their message, with no prompt between, directly after it (`yXt`).

        Their owner must be certain: an id that two messages have in common belongs to none.
        """
        roles, groups, ids = self.columns.roles, self.columns.groups, self.columns.call_ids
        first: dict[str | None, int] = {}
        last: dict[str | None, int] = {}
        owner: dict[str | None, str | None] = {}
        for at, record in enumerate(self.records):
            group = groups[record]
            if roles[record] == _ASSISTANT and group is not None:
                first.setdefault(group, at)
                last[group] = at
                for row in self.calls.get(record, ()):
                    owner[ids[row]] = group if owner.get(ids[row], group) == group else None
        behind: dict[int, list[int]] = {}
        moved: set[int] = set()
        prompts_before = [*accumulate(map(self.is_prompt, self.records), initial=0)] if owner else []
        fenced: dict[str, bool] = {}
        for at, record in enumerate(self.records):
            if record not in self.results:
                continue
            named = {owner.get(ids[row]) for row in self.results[record]}
            group = next(iter(named))
            if len(named) != 1 or group is None or at >= first[group]:
                continue
            if group not in fenced:
                fenced[group] = self._is_fenced(group, first, last)
            if not fenced[group] and prompts_before[at + 1] == prompts_before[last[group]]:
                behind.setdefault(self.records[last[group]], []).append(record)
                moved.add(record)
        if moved:
            kept = [record for record in self.records if record not in moved]
            self.records = [each for record in kept for each in (record, *behind.get(record, ()))]

    def _is_fenced(self, group: str, first: dict[str | None, int], last: dict[str | None, int]) -> bool:
        """Return whether something that is no result is among the fragments of a message."""
        roles, groups = self.columns.roles, self.columns.groups
        among = self.records[first[group] : last[group]]
        return any(groups[each] != group if roles[each] == _ASSISTANT else self.is_prompt(each) for each in among)

    def joined(self, raw: ReadRecord, newer: bool) -> list[RequestMessage]:
        """Join what the user says in a row, and all fragments of an id up to the next prompt (`K0`), into messages.

        A `newer` program drops all texts of no length.
        """
        columns, results = self.columns, self.results
        roles, first, groups = columns.roles, columns.first_block, columns.groups
        made = list(map(RequestBlock, range(len(columns.block_kinds))))  # to cut them out of one list is quick
        messages: list[RequestMessage] = []
        open_messages: dict[str | None, RequestMessage] = {}
        grown: dict[int, RequestMessage] = {}  # each is put in order once, when all that joins it is there
        for record in self.records:
            blocks = made[first[record] : first[record + 1]]
            if roles[record] == _USER:
                if record not in results:
                    open_messages = {}
                if _add_user_blocks(messages, blocks):
                    grown[id(messages[-1])] = messages[-1]
                continue
            known = open_messages.get(groups[record])
            if known is not None:
                known.blocks += blocks
                grown[id(known)] = known
            else:
                open_messages[groups[record]] = message = RequestMessage(_ASSISTANT, blocks)
                messages.append(message)
        for message in grown.values():
            if message.role == _USER:
                _put_results_first(columns, message)
        if columns.has_flag(BlockFlag.BLANK):
            for message in messages:
                if message.role == _ASSISTANT:
                    message.blocks = _without_blanks(columns, raw, message.blocks, id(message) in grown, newer)
        return messages


def _without_blanks(
    columns: Columns, raw: ReadRecord, blocks: list[RequestBlock], joined: bool, newer: bool
) -> list[RequestBlock]:
    """Return a message without its blank texts, unless nothing but reasoning would be left.

    White space is dropped where fragments are joined (`HNY`). Older versions send a text of no length, which is
    refused.
    """
    kinds, flags = columns.block_kinds, columns.block_flags
    blank = [each.row for each in blocks if kinds[each.row] == _TEXT and flags[each.row] & BlockFlag.BLANK]
    empty = _empty_texts(columns, raw, blank)
    gone = {row for row in blank if (newer if row in empty else joined)}
    if not gone:
        return blocks
    kept = [each for each in blocks if each.row not in gone]
    return kept if any(kinds[each.row] != _THINKING for each in kept) else blocks


def _empty_texts(columns: Columns, raw: ReadRecord, rows: list[int]) -> set[int]:
    """Return the blank texts (block rows) that have no length."""
    empty = set[int]()
    for record, rows_of_record in groupby(rows, columns.record_of_block):
        first, blocks = columns.first_block[record], list_at(parse_json(raw(record)), "/message/content")
        empty |= {row for row in rows_of_record if blocks and not text_at(blocks[row - first], "/text")}
    return empty


def _add_user_blocks(messages: list[RequestMessage], blocks: list[RequestBlock]) -> bool:
    """Add what the user says. Return whether it joins the message before, so that results must go first."""
    if messages and messages[-1].role == _USER:
        messages[-1].blocks += blocks
        return True
    messages.append(RequestMessage(_USER, blocks))
    return False


def _put_results_first(columns: Columns, message: RequestMessage) -> None:
    kinds = columns.block_kinds
    results = [block for block in message.blocks if block.answer or kinds[block.row] == _RESULT]
    if len(results) < len(message.blocks):
        rest = [block for block in message.blocks if not block.answer and kinds[block.row] != _RESULT]
        message.blocks = [*results, *rest]


def _pair_results(columns: Columns, messages: list[RequestMessage]) -> list[RequestMessage]:
    """Pair calls with the results of the next message: missing results are added, others are dropped (`YbK`)."""
    kinds, ids = columns.block_kinds, columns.call_ids
    sent: list[RequestMessage] = []
    known: set[str | None] = set()
    waiting: dict[str | None, int] = {}
    for message in messages:
        blocks = []
        if message.role == _ASSISTANT:
            _answer(sent, waiting)
            for block in message.blocks:
                if kinds[block.row] == _CALL:
                    call_id = ids[block.row]
                    if call_id in known:
                        continue
                    known.add(call_id)
                    waiting[call_id] = block.row
                blocks.append(block)
            sent.append(RequestMessage(_ASSISTANT, blocks, "" if blocks else _INTERRUPTED_CALL))
            continue
        taken: set[str | None] = set()
        for block in message.blocks:
            is_result = block.answer or kinds[block.row] == _RESULT
            call_id = ids[block.row] if is_result else None
            if is_result and (call_id not in waiting or call_id in taken):
                continue
            blocks.append(block)
            taken.add(call_id)
        missing = [row for call_id, row in waiting.items() if call_id not in taken]
        if blocks or missing or not sent or sent[-1].role == _ASSISTANT:
            words = "" if blocks or missing else _NO_CONTENT_TEXT if sent else _ORPHANED_RESULT
            sent.append(RequestMessage(_USER, [*(RequestBlock(row, _MISSING) for row in missing), *blocks], words))
        waiting = {}
    _answer(sent, waiting)
    return sent


def _without_open_server_calls(columns: Columns, blocks: list[RequestBlock]) -> list[RequestBlock]:
    """Drop calls of the provider's own tools without a result in the same message."""
    kinds, ids = columns.block_kinds, columns.call_ids
    results = {ids[block.row] for block in blocks if kinds[block.row] == BlockKind.SERVER_RESULT}
    return [each for each in blocks if kinds[each.row] != BlockKind.SERVER_CALL or ids[each.row] in results]


def _answer(sent: list[RequestMessage], waiting: dict[str | None, int]) -> None:
    """Add placeholder results after a message of calls that no message of the user follows."""
    if waiting:
        sent.append(RequestMessage(Role.USER, [RequestBlock(row, _MISSING) for row in waiting.values()]))
        waiting.clear()
