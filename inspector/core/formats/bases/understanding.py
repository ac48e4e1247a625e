"""Whether the messages that a format claimed have the shape that it reads.

Programs borrow one another's envelopes: Qwen Code's lines are Claude Code's, with Gemini's parts in them. Told by its
envelope, such a log is full of messages that seem to say nothing, or healthy for want of calls. A format that does not
understand what it claimed gives the log up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from inspector.core.columns import Columns, Mark, Role
from inspector.core.json_text import is_sound, value_of
from inspector.core.session import Log
from inspector.core.views import BlockKind
from inspector.core.wire.fields import words_in

_SPEAKS = bytes(role in (Role.USER, Role.ASSISTANT, Role.TOOL) for role in range(256))
_CALLS = frozenset({BlockKind.CALL, BlockKind.SERVER_CALL})
_RESULTS = frozenset({BlockKind.RESULT, BlockKind.TOLD_RESULT, BlockKind.SERVER_RESULT})
# How the wires spell calls and results, by a member or by a type, and who speaks; in a text the quotes are escaped.
_CALL = rb'"(?:tool_calls|toolCalls|tool_uses)"\s*:\s*\[\s*\{|"(?:functionCall|toolUse)"\s*:\s*\{'
_OF_TYPE = rb'"type"\s*:\s*"(?:tool[_-](?:use|call)|toolCall|(?:custom_tool|function)_call)"'
_RESULT = rb'"(?:functionResponse|function_response|toolResult)"\s*:\s*\{'
_RESULT += rb'|"type"\s*:\s*"(?:tool[_-]result|toolResult|(?:custom_tool|function)_call_output)"'
_ROLE = rb'"role"\s*:\s*"(?:user|assistant|model|tool)"|"type"\s*:\s*"(?:human|ai)"'
_ANY = re.compile(b"|".join((_CALL, _OF_TYPE, _RESULT)))


def understood(log: Log) -> bool:
    """Whether what was read of the messages can be what they say.

    Not when half of them or more say something and hold nothing that the format knows; nor when no message was found,
    no call or no result, and there is what another wire takes for one.
    """
    columns = log.columns
    spoken = columns.roles.translate(_SPEAKS)
    mute = [record for record in _without_known_blocks(columns) if spoken[record]]
    if mute and 2 * sum(_says_something(log.raw(record)) for record in mute) >= spoken.count(1):
        return False
    everywhere = [record for record, mark in enumerate(columns.marks) if not mark & Mark.BAD]
    if not any(spoken):
        return not _is_in(log, everywhere, _ROLE)
    said = [record for record in everywhere if spoken[record]]
    if _CALLS.isdisjoint(columns.block_kinds) and (_is_in(log, said, _OF_TYPE) or _is_in(log, everywhere, _CALL)):
        return False
    return not _RESULTS.isdisjoint(columns.block_kinds) or not _is_in(log, said, _RESULT)


def _is_in(log: Log, records: Iterable[int], signs: bytes) -> bool:
    search = re.compile(signs).search
    return any(search(log.raw(record)) for record in records)


def _without_known_blocks(columns: Columns) -> Iterator[int]:
    """The records without a block, and those of which no block is of a known kind."""
    yield from (record for record, count in enumerate(columns.blocks) if not count)
    for record in sorted({columns.record_of(row) for row in columns.rows_of(BlockKind.OTHER)}):
        if not any(columns.block_kinds[row] for row in columns.rows(record)):
            yield record


def _says_something(raw: bytes) -> bool:
    return _ANY.search(raw) is not None or (is_sound(raw) and any(words_in(value_of(raw))))
