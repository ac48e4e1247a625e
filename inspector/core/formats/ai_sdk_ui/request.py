"""The messages that `convertToModelMessages` makes of UI messages, without options and with no tools.

Facts: `ai` 5.0.277, 6.0.326 and 7.0.173 (`convertToModelMessages`), and 4.3.19 (`convertToCoreMessages`), run on broken
messages. A message is split where a step starts. A call whose input was still being streamed is left out, and version 7
leaves out calls that wait for an approval if the user went on. A denied call gets a result that says so: in state
`output-denied`, and in version 7 also in state `approval-responded`. Version 4 stops at a call without a result.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from inspector.core.formats.ai_sdk_ui.reader import (
    ANSWERED_STATES,
    INVOCATIONS,
    PARTS,
    V4_LIST,
    denial,
)
from inspector.core.formats.base import ai_sdk
from inspector.core.formats.base.ai_sdk import APPROVED_TEXT, FIRST_WITH_CHECK, NEWEST_VERSION
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.storage.json_text import dump_json, list_at, object_at, parse_json, text_at, value_at

_CALLS = (BlockKind.CALL, BlockKind.SERVER_CALL)
_RESULTS = (BlockKind.RESULT, BlockKind.SERVER_RESULT)


class _PartRows(Struct):
    """A part, the row of its block, and the row of its result (-1 if it has none)."""

    value: dict[str, Any]
    row: int
    result: int = -1


class _StopsError(Exception):
    """The SDK stops with these words."""


class Converter(Struct):
    """The conversion of the messages of a session. `only_at_end` collects the calls that an approval runs first."""

    session: Session
    columns: Columns
    raw: ReadRecord
    only_at_end: set[int] = set()

    def request(self) -> ResumeRequest:
        wire = ai_sdk.wire_of(self.session)
        if reason := ai_sdk.reason_not_to_send(self.session, self.columns, self.raw):
            return ResumeRequest(wire, [], stop_reason=reason)
        try:
            return ai_sdk.request_of(self.session, self.columns, list(self._messages()), self.only_at_end)
        except _StopsError as error:
            return ResumeRequest(wire, [], stop_reason=str(error))

    def _messages(self) -> Iterator[RequestMessage]:
        columns, path = self.columns, list(self.session.main_thread.path)
        users = [place for place, record in enumerate(path) if columns.roles[record] == Role.USER]
        last_user = users[-1] if users else 0
        for place, record in enumerate(path):
            if columns.roles[record] in (Role.USER, Role.SYSTEM):
                blocks = [row for row in columns.block_rows(record) if columns.block_kinds[row] != BlockKind.OTHER]
                yield RequestMessage(columns.roles[record], [*map(RequestBlock, blocks)], separator="")
            elif columns.roles[record] == Role.ASSISTANT:
                message = parse_json(self.raw(record))
                if columns.marks[record] & RecordMark.VARIANT_MASK:
                    yield from self._of_version_4(record, message, place + 1 == len(path))
                else:
                    yield from self._steps(self._parts(record, list_at(message, PARTS)), place < last_user)

    def _parts(self, record: int, values: list[Any]) -> list[_PartRows]:
        parts: list[_PartRows] = []
        for row in self.columns.block_rows(record):
            if self.columns.block_kinds[row] in _RESULTS:
                parts[-1].result = row
            else:
                parts.append(_PartRows(object_at(values[len(parts)], ""), row))
        return parts

    def _steps(self, parts: Iterable[_PartRows], user_went_on: bool) -> Iterator[RequestMessage]:
        said, results = list[RequestBlock](), list[RequestBlock]()
        for part in (*parts, _PartRows({"type": "step-start"}, -1)):
            kind = part.value.get("type")
            if kind in ("step-start", "steering-message"):
                yield from _filled(said, results)
                said, results = [], []
                if kind == "steering-message":
                    yield RequestMessage(Role.USER, [RequestBlock(part.row)])
            elif self.columns.block_kinds[part.row] in _CALLS:
                self._add_call(part, said, results, user_went_on)
            elif self._is_sent(part):
                said.append(RequestBlock(part.row))

    def _is_sent(self, part: _PartRows) -> bool:
        kind = self.columns.block_kinds[part.row]
        if kind == BlockKind.THINKING:
            return ai_sdk.wire_of(self.session) == "anthropic" and ai_sdk.is_signed(part.value)
        return kind in (BlockKind.TEXT, BlockKind.MEDIA)

    def _add_call(
        self, part: _PartRows, said: list[RequestBlock], results: list[RequestBlock], user_went_on: bool
    ) -> None:
        state, version = text_at(part.value, "/state"), ai_sdk.major_version(self.session)
        is_left_out = state == "approval-requested" and user_went_on and version >= NEWEST_VERSION
        if state == "input-streaming" or is_left_out:
            return
        said.append(RequestBlock(part.row))
        if self.columns.block_kinds[part.row] == BlockKind.SERVER_CALL:
            said += [RequestBlock(part.result)] if part.result >= 0 else []
        elif part.result >= 0 and state in ANSWERED_STATES:
            results.append(RequestBlock(part.result))
        elif state == "approval-responded" and version >= FIRST_WITH_CHECK:
            is_denied = value_at(part.value, "/approval/approved") is False
            results.append(RequestBlock(part.row, denial(part.value) if is_denied else APPROVED_TEXT))
            if not is_denied or version < NEWEST_VERSION:
                self.only_at_end.add(part.row)

    def _of_version_4(self, record: int, message: dict[str, Any], is_last: bool) -> Iterator[RequestMessage]:
        if self.columns.marks[record] & RecordMark.VARIANT_MASK == V4_LIST:
            yield from self._of_list(record, message, is_last)
            return
        said, results, step = list[RequestBlock](), list[RequestBlock](), 0
        for part in self._parts(record, list_at(message, PARTS)):
            kind, invocation = part.value.get("type"), part.value.get("toolInvocation")
            starts_step = invocation is not None and (invocation.get("step") or 0) != step
            if (kind == "text" and results) or starts_step:
                yield from _filled(said, results)
                said, results, step = [], [], step + 1
            if invocation is not None:
                said.append(RequestBlock(part.row))
                results.append(self._result_of_version_4(part, invocation))
            elif self._is_sent(part):
                said.append(RequestBlock(part.row))
        yield from _filled(said, results)

    def _of_list(self, record: int, message: dict[str, Any], is_last: bool) -> Iterator[RequestMessage]:
        """Yield the messages for a message without parts. Its content is sent last, or first in the newest message."""
        content, *_ = self.columns.block_rows(record)
        parts = self._parts(record, [{}, *list_at(message, INVOCATIONS)])[1:]
        text = [RequestBlock(content)] if message.get("content") or not parts else []
        steps = sorted({part.value.get("step") or 0 for part in parts})
        for step in steps:
            calls = [part for part in parts if (part.value.get("step") or 0) == step]
            said = [*(text if is_last and step == 0 else ()), *(RequestBlock(part.row) for part in calls)]
            yield from _filled(said, [self._result_of_version_4(part, part.value) for part in calls])
        if text and not (is_last and parts):
            yield RequestMessage(Role.ASSISTANT, text)

    @staticmethod
    def _result_of_version_4(part: _PartRows, invocation: dict[str, Any]) -> RequestBlock:
        if part.result < 0:
            raise _StopsError(
                f"AI_MessageConversionError: ToolInvocation must have a result: {dump_json(invocation).decode()}"
            )
        return RequestBlock(part.result)


def _filled(said: list[RequestBlock], results: list[RequestBlock]) -> Iterator[RequestMessage]:
    """Yield the messages of a step that have blocks."""
    if said:
        yield RequestMessage(Role.ASSISTANT, said, separator="")
    if results:
        yield RequestMessage(Role.TOOL, results)
