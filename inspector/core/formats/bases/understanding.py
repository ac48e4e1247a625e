"""Whether the messages that a format claimed have the shape that it reads.

Programs borrow one another's envelopes: Qwen Code's lines are Claude Code's, with Gemini's parts in them. Told by its
envelope, such a log is full of messages that seem to say nothing, or healthy for want of calls. A format that does not
understand what it claimed gives the log up.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import compress
from operator import and_, not_

from inspector.core.bytes.json_text import is_valid_json, parse_json, unescape_keys
from inspector.core.index.columns import Columns, RecordMark, Role
from inspector.core.index.session import Log
from inspector.core.index.views import CALL_KINDS, BlockKind
from inspector.core.wire.fields import texts_in_record

_SPEAKS = bytes(role in (Role.USER, Role.ASSISTANT, Role.TOOL) for role in range(256))
_RESULTS = frozenset({BlockKind.RESULT, BlockKind.TOLD_RESULT, BlockKind.SERVER_RESULT})
# How the wires spell calls and results, by a member or by a type, and who speaks; in a text the quotes are escaped.
_CALL = rb'"(?:tool_calls|toolCalls|tool_uses)"\s*:\s*\[\s*\{|"(?:functionCall|toolUse)"\s*:\s*\{'
_OF_TYPE = rb'"type"\s*:\s*"(?:tool[_-](?:use|call)|toolCall|(?:custom_tool|function)_call)"'
_RESULT = rb'"(?:functionResponse|function_response|toolResult)"\s*:\s*\{'
_RESULT += rb'|"type"\s*:\s*"(?:tool[_-]result|toolResult|(?:custom_tool|function)_call_output)"'
_ROLE = rb'"role"\s*:\s*"(?:user|assistant|model|tool)"|"type"\s*:\s*"(?:human|ai)"'
_ANY = b"|".join((_CALL, _OF_TYPE, _RESULT))
_STRETCH = 256 * 1024


def understood(log: Log) -> bool:
    """Whether what was read of the messages can be what they say.

    Not when half of them or more say something and hold nothing that the format knows; nor when no message was found,
    no call or no result, and there is what another wire takes for one.
    """
    columns, kinds = log.columns, log.columns.block_kinds
    spoken = bytes(columns.roles.translate(_SPEAKS))
    mute = _without_known_blocks(columns, spoken)
    if mute and 2 * sum(_says_something(log.raw(record)) for record in mute) >= spoken.count(1):
        return False
    if not spoken.count(1):
        return not _is_in(log, _sound(columns), _ROLE)
    lacks_calls, lacks_results = CALL_KINDS.isdisjoint(kinds), _RESULTS.isdisjoint(kinds)
    if not (lacks_calls or lacks_results) or not _is_in(log, _sound(columns), _ANY):
        return True  # So it is with most: what the signs are of needs no look.
    if lacks_calls and (_is_in(log, _sound(columns, spoken), _OF_TYPE) or _is_in(log, _sound(columns), _CALL)):
        return False
    return not lacks_results or not _is_in(log, _sound(columns, spoken), _RESULT)


def _without_known_blocks(columns: Columns, spoken: bytes) -> list[int]:
    """The messages without a block, and those of which no block is of a known kind."""
    empty = compress(range(len(columns)), map(and_, spoken, map(not_, columns.blocks)))
    odd = {columns.record_of_block(row) for row in columns.block_rows_of_kind(BlockKind.OTHER)}
    return [
        *empty,
        *(r for r in odd if spoken[r] and not any(columns.block_kinds[row] for row in columns.block_rows(r))),
    ]


def _sound(columns: Columns, only: bytes | None = None) -> Iterator[int]:
    """The records that can be read, all or `only` some: what a damaged one spells, no format has overlooked."""
    marks = enumerate(columns.marks)
    return (record for record, mark in marks if not mark & RecordMark.UNREADABLE and (only is None or only[record]))


def _is_in(log: Log, records: Iterable[int], signs: bytes) -> bool:
    search = re.compile(signs).search
    # Most logs hold none: so much is told by many records at once, with what lies between them.
    for low, high, several in _stretches(log.columns, records):
        if search(unescape_keys(log.source.read(low, high))) is not None and any(
            search(unescape_keys(log.raw(record))) for record in several
        ):
            return True
    return False


def _stretches(columns: Columns, records: Iterable[int]) -> Iterator[tuple[int, int, list[int]]]:
    """The records in groups that lie near one another, each with the bytes from the first to the last."""
    starts, ends = columns.starts, columns.ends
    low = high = 0
    group: list[int] = []
    for record in records:
        start, end = starts[record], ends[record]
        if group and not (high <= start and end - low <= _STRETCH):
            yield low, high, group
            group = []
        low, high = (low, end) if group else (start, end)
        group.append(record)
    if group:
        yield low, high, group


def _says_something(raw: bytes) -> bool:
    return re.search(_ANY, unescape_keys(raw)) is not None or (
        is_valid_json(raw) and any(texts_in_record(parse_json(raw)))
    )
