"""SWE-agent: a trajectory, `INSTANCE.traj`.

Facts: SWE-agent/SWE-agent @3ea751c, sweagent/types.py and sweagent/agent/models.py (`_history_to_messages`). `history`
holds the chat messages of all requests and the newest answer. A message of the tool names its call in `tool_call_ids`,
of which the first is sent. Each step in `trajectory` repeats its request in `query` (`messages` in some releases). A
run of several attempts keeps each in `attempts`, and the best one at the top as well. A demonstration may be `history`
alone. History processors can leave out parts of older messages before these are sent.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import StructMessages, role_of_message
from inspector.core.formats.base.openai_messages import ChatMessageReader
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark
from inspector.core.model.session import Log, Session
from inspector.core.providers.block_schema import ResultSpec
from inspector.core.providers.message_fields import EMPTY_RAW, LenientDecoder
from inspector.core.providers.openai_chat import schema
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import list_at, object_at, parse_json, text_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

_STEP_KEYS = {"action", "observation"}
_MESSAGE_KEYS = {"agent", "message_type"}
_LABEL = "SWE-agent"
_SUFFIX = ".traj"


class _Message(schema.ChatMessage, gc=False):
    """A chat message, with the calls that it answers."""

    tool_call_ids: Raw = EMPTY_RAW


class SweAgent(StructMessages, ChatMessageReader):
    """Trajectories of SWE-agent."""

    name = "swe-agent"
    label = "SWE-agent trajectory"
    keys = "trajectory history attempts"
    container = tr("JSON document")
    detection = tr("an object with a history, and with a trajectory of steps or messages that name their agent")
    read = tr("the messages in `history`, for a run of several attempts those of each attempt")
    write_back = tr("no, because SWE-agent does not load a trajectory to continue the run")
    resume = tr("none. `sweagent run-replay` runs the actions again, and does not send the history")
    unsupported = tr(
        "parts of older messages that a history processor leaves out, histories of several agents, and demonstrations "
        "in YAML"
    )
    source = "SWE-agent/SWE-agent @3ea751c, sweagent/types.py, sweagent/agent/models.py"
    read_only_reason = tr(
        "A trajectory is not repaired, because SWE-agent does not load it to continue the run. Convert the history to "
        "messages for OpenAI or Anthropic, or start the run again."
    )
    profile = "openai-chat"
    block_schema = replace(schema.BLOCK_SCHEMA, results=(ResultSpec(id="/tool_call_ids/0", wants_name=False),))
    message_schema = schema.REQUEST_SCHEMA
    shapes = MessagePaths(("history", "attempts/history"))
    is_provider_api = False
    decode = LenientDecoder(_Message)

    def score(self, head: Head) -> float:
        if head.is_lines and len(head.lines) > 1:
            return 0.0
        context, messages = head.context, head.messages_in(self.shapes) or []
        if not all(role_of_message(message) in schema.ROLE_BY_NAME for message in messages):
            return 0.0
        if context.keys().isdisjoint(self.keys.split()):
            return 0.0
        runs = context.get("attempts") if "info" in context else None
        run = runs[0] if isinstance(runs, list) and runs else context
        steps = list_at(run, "/trajectory")
        is_run = bool(steps) and object_at(steps[0], "").keys() >= _STEP_KEYS
        is_named = any(message.keys() & _MESSAGE_KEYS for message in messages)
        return 0.95 if is_named or (is_run and (messages or not head.is_complete)) else 0.0

    def add_decoded(self, columns: Columns, start: int, end: int, message: Any, odd: bool, /) -> None:
        if message.role == "tool":
            message.tool_call_id = text_at(parse_json(bytes(message.tool_call_ids) or b"[]"), "/0") or None
        mark = RecordMark.MAYBE_MALFORMED if odd or schema.may_be_malformed(message) else 0
        schema.add_message(columns, start, end, message, mark)

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        name = Path(log.source.path).name.partition(_SUFFIX)[0]
        session.id = f"{name}/{session.number}" if len(log.sequences) > 1 else name
        session.agent = _LABEL
        session.provider_assumed = True
