"""ATIF, the trajectory format of Harbor: a document with the steps of an agent, or one on each line.

Facts: atif 1.8.0 (trajectory.py, step.py, observation_result.py; "ATIF-v1.0" to "ATIF-v1.8"). A step of the agent holds
its calls and, in `observation.results`, their results: `source_call_id` names a call of the step. A result without it
comes from the whole step, as the screen of a terminal in which all calls ran. `subagent_trajectories` hold the
trajectories of subagents. A step of the system can hold what the infrastructure reports.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MessageArrays, enclosing_request
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.block_schema import ALL_MEDIA_SPECS, BlockSchema, CallSpec, MediaSpec, ResultSpec
from inspector.core.providers.block_views import call_view, result_view
from inspector.core.providers.message_fields import (
    DECODE_ERRORS,
    message_text,
    result_text,
    result_text_flags,
    string_in,
)
from inspector.core.providers.message_misfits import (
    LIST,
    NUMBER,
    OBJECT,
    TEXT,
    FieldSchema,
    ObjectSchema,
    list_field,
    object_field,
    object_schema_by_type,
    parse_member_schemas,
)
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import list_at, object_at, parse_json, text_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

_ROLES = {"system": Role.SYSTEM, "user": Role.USER, "agent": Role.ASSISTANT}
_CALLS, _RESULTS = "/tool_calls", "/observation/results"
# A step with a result of all its calls, in the bits of `RecordMark.VARIANT_MASK`.
_SHARED = 1 << RecordMark.VARIANT_SHIFT
_MEDIA = FieldSchema((OBJECT,), needed=True, of=ObjectSchema(parse_member_schemas("media_type! text, path! text")))
_PART = object_schema_by_type(
    {"text": ObjectSchema(parse_member_schemas("text! text"))}
    | dict.fromkeys(("image", "audio"), ObjectSchema({"source": _MEDIA}))
)
_PART = replace(_PART, known_types=frozenset(_PART.variants))
_CALL = ObjectSchema(
    parse_member_schemas("tool_call_id! text, function_name! text", arguments=FieldSchema((OBJECT,), needed=True))
)
_RESULT = ObjectSchema({"source_call_id": FieldSchema((TEXT,)), "content": FieldSchema((TEXT, LIST), of=_PART)})
_OBSERVATION = ObjectSchema({"results": list_field(_RESULT)})
_STEP = ObjectSchema(
    {
        "step_id": FieldSchema((NUMBER,), needed=True),
        "source": FieldSchema((TEXT,), needed=True, allowed_values=frozenset(_ROLES)),
        "message": FieldSchema((TEXT, LIST), needed=True, of=_PART),
        "reasoning_content": FieldSchema((TEXT,)),
        "tool_calls": list_field(_CALL, needed=False),
        "observation": object_field(_OBSERVATION, needed=False),
    }
)


class _Agent(Struct):
    name: str = ""
    version: str = ""
    model_name: str | None = None


class _Trajectory(Struct):
    """The members that name a trajectory."""

    session_id: str | None = None
    trajectory_id: str | None = None
    agent: _Agent | None = None


_decode_trajectory = msgspec.json.Decoder(_Trajectory).decode


class Atif(MessageArrays):
    """Trajectories in ATIF."""

    name = "atif"
    label = "ATIF trajectory"
    keys = "schema_version"
    detection = tr("a schema_version that begins with ATIF-, or steps with a step_id and a source next to it")
    read = tr("the steps of the trajectory, and those of the trajectories of subagents in it")
    write_back = tr("no, because no program continues a run from a trajectory")
    resume = tr("none. The steps are checked as messages that a program would send to continue the run")
    unsupported = tr(
        "the numbers of steps, and results that do not name a call, which count as results of the calls of their step"
    )
    source = "atif 1.8.0, trajectory.py, step.py"
    read_only_reason = tr(
        "A trajectory is not repaired, because no program continues a run from it. Convert the steps to messages for "
        "OpenAI or Anthropic, or correct the program that wrote the trajectory."
    )
    profile = "openai-chat"
    block_schema = BlockSchema(
        calls=(CallSpec(id="/tool_call_id", name="/function_name", input=("/arguments",)),),
        results=(ResultSpec(id="/source_call_id"),),
        media=(
            MediaSpec(
                frozenset({"image", "audio"}), "/source/path", url=("/source/path",), media_type=("/source/media_type",)
            ),
            *ALL_MEDIA_SPECS,
        ),
    )
    message_schema = _STEP
    shapes = MessagePaths(("steps", "subagent_trajectories/steps"), message_keys=frozenset({"step_id", "source"}))
    is_provider_api = False
    inline_results = True

    def score(self, head: Head) -> float:
        context = head.context
        if str(context.get("schema_version")).startswith("ATIF-"):
            return 0.95
        steps = head.messages_in(self.shapes) if "schema_version" in context else None
        return 0.95 if steps and all("step_id" in step and step.get("source") in _ROLES for step in steps) else 0.0

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        step = object_at(parse_json(raw), "")
        calls, results = list_at(step, _CALLS), list_at(step, _RESULTS)
        role, message = _ROLES.get(text_at(step, "/source"), Role.OPAQUE), step.get("message")
        ids = _ids_of_results(calls, results)
        if role != Role.ASSISTANT and any(ids) and not message:
            role = Role.TOOL
        is_shared = any(not text_at(result, "/source_call_id") for result in results)
        columns.add_record(start, end, role, RecordMark.MAYBE_MALFORMED | (_SHARED if is_shared else 0))
        if role == Role.OPAQUE:
            return
        if step.get("reasoning_content"):
            columns.add_block(BlockKind.THINKING)
        if message:
            columns.add_block(BlockKind.TEXT)
        for call in calls:
            fields = object_at(call, "")
            flag = 0 if isinstance(fields.get("arguments"), dict) else BlockFlag.BAD_INPUT
            columns.add_block(
                BlockKind.CALL, flag, string_in(fields, "tool_call_id"), string_in(fields, "function_name")
            )
        for result, call_id in zip(results, ids, strict=True):
            if call_id is None:
                columns.add_block(BlockKind.OTHER)
            else:
                borrowed = 0 if text_at(result, "/source_call_id") else BlockFlag.BORROWED_ID
                flags = result_text_flags(result_text(object_at(result, "").get("content")))
                columns.add_block(BlockKind.RESULT, flags | borrowed, call_id)

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        first, kinds = columns.first_block[record], columns.block_kinds
        row = first + ordinal
        kind = kinds[row]
        if kind in (BlockKind.TEXT, BlockKind.THINKING):
            return "/message" if kind == BlockKind.TEXT else "/reasoning_content"
        if kind == BlockKind.CALL:
            return f"{_CALLS}/{row - kinds.find(BlockKind.CALL, first)}"
        # Results come last, and there may be ones of both kinds.
        starts = (kinds.find(each, first, row + 1) for each in (BlockKind.RESULT, BlockKind.OTHER))
        return f"{_RESULTS}/{row - min(start for start in starts if start >= 0)}"

    def view(self, raw: bytes) -> RecordView:
        step = object_at(parse_json(raw), "")
        thought, message, blocks = text_at(step, "/reasoning_content"), step.get("message"), list[BlockView]()
        if thought:
            blocks.append(BlockView(BlockKind.THINKING, thought, "/reasoning_content"))
        if message:
            blocks.append(BlockView(BlockKind.TEXT, message_text(message), "/message"))
        calls = list_at(step, _CALLS)
        blocks += (call_view(call, self.block_schema, f"{_CALLS}/{n}") for n, call in enumerate(calls))
        results = list_at(step, _RESULTS)
        for number, (result, call_id) in enumerate(zip(results, _ids_of_results(calls, results), strict=True)):
            kind = BlockKind.OTHER if call_id is None else BlockKind.RESULT
            view = result_view(result, self.block_schema, f"{_RESULTS}/{number}", kind)
            blocks.append(replace(view, call_id=call_id or ""))
        source = text_at(step, "/source")
        role = _ROLES[source].name.lower() if source in _ROLES else source
        return RecordView(role, "", tuple(blocks), text_at(step, "/timestamp"))

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        """Name the session, and leave the calls alone that share a result with others of their step."""
        session.provider_assumed = True
        with suppress(*DECODE_ERRORS):
            trajectory = _decode_trajectory(enclosing_request(log, sequence, sequence.enclosing_object) or b"{}")
            session.id = trajectory.trajectory_id or trajectory.session_id or session.id
            if trajectory.agent is not None:
                session.agent, session.version = trajectory.agent.name, trajectory.agent.version
        thread = session.main_thread
        shared = (record for record in thread.path if columns.marks[record] & _SHARED)
        thread.agent_handled_rows = frozenset(row for record in shared for row in _rows_without_result(columns, record))

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the calls of the last step, whose answer was not sent."""
        last = path[-1:] if path and columns.roles[path[-1]] == Role.ASSISTANT else ()
        rows = (row for record in last for row in columns.block_rows(record))
        return {columns.call_ids[row] or "" for row in rows if columns.block_kinds[row] == BlockKind.CALL}


def _ids_of_results(calls: list[Any], results: list[Any]) -> list[str | None]:
    """Return the id of the call of each result. One that names none is taken for the result of the next call."""
    named = {text_at(result, "/source_call_id") for result in results}
    unnamed = (text_at(call, "/tool_call_id") for call in calls)
    others = (call_id for call_id in unnamed if call_id not in named)
    return [text_at(result, "/source_call_id") or next(others, None) for result in results]


def _rows_without_result(columns: Columns, record: int) -> Iterator[int]:
    rows = columns.block_rows(record)
    answered = {columns.call_ids[row] for row in rows if columns.block_kinds[row] == BlockKind.RESULT}
    return (row for row in rows if columns.block_kinds[row] == BlockKind.CALL and columns.call_ids[row] not in answered)
