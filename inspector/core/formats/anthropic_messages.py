"""Anthropic Messages JSON: a bare list, `{"messages": …}`, or a whole request body.

Facts: the `anthropic` SDK's types and the public error reports named in `providers/anthropic/profiles.py`.
"""

from inspector.core.formats.base.block_list_formats import BlockListFormat
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import (
    MESSAGE_CONTAINER_KEYS,
    BatchIndexedMessages,
    is_empty_message,
    requested_model,
    role_of_message,
)
from inspector.core.model.columnar_index import Columns, ReadRecord
from inspector.core.model.session import Log, Session
from inspector.core.providers.anthropic import schema
from inspector.core.storage.json_document import DEFAULT_MESSAGE_PATHS, MessagePaths
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

_DISTINCTIVE_BLOCKS = schema.BLOCK_SCHEMA.kinds.keys() - {"text", "image", "document"}


class AnthropicMessages(BlockListFormat, BatchIndexedMessages):
    """The messages of Anthropic's API."""

    name = "anthropic-messages"
    label = "Anthropic Messages JSON"
    keys = MESSAGE_CONTAINER_KEYS
    detection = tr("messages with tool_use, tool_result or thinking blocks")
    read = tr("a list, a request body, or one conversation per line")
    write_back = tr("yes, as a copy or in place")
    resume = tr("results come first in the next user message")
    unsupported = tr("checking other fields in a request body, which are kept unchanged")
    source = "anthropic SDK types/*_param.py"
    profile = "anthropic"
    content_pointer = "/content"
    shapes = MessagePaths(DEFAULT_MESSAGE_PATHS.message_paths, ("", "result/message"))
    message_schema = schema.MESSAGE_SCHEMA
    stop_reason_pointers = ("/stop_reason",)
    prompts_are_strings = True
    sends_blocks_unchanged = True
    can_invent_calls = True
    decode = schema.MESSAGE_DECODER
    is_odd = staticmethod(schema.may_be_malformed)
    add_messages = staticmethod(schema.add_messages)
    role_of_empty_message = "user"

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        session.model = requested_model(log, sequence)

    def score(self, head: Head) -> float:
        if head.is_lines and head.lines[0].get("role") and head.lines[0].get("type") != "message":
            return 0.0
        messages = head.messages_in(self.shapes)
        if messages is None or any(
            role_of_message(message) not in schema.ROLE_BY_NAME and not is_empty_message(message)
            for message in messages
        ):
            return 0.0
        blocks = [block for message in messages for block in _blocks(message)]
        kinds = {str(block.get("type")) for block in blocks}
        if any("tool_calls" in message for message in messages):
            return 0.0
        if kinds & _DISTINCTIVE_BLOCKS or any(kind.endswith("_tool_result") for kind in kinds):
            return 0.9
        media = (block for block in blocks if block.get("type") in ("image", "document"))
        if any(isinstance(block.get("source"), dict) for block in media):
            return 0.9
        body = head.context
        if body.get("type") == "message" and body.get("role") == "assistant":
            return 0.85
        if any(message.get("type") == "message" and "stop_reason" in message for message in messages):
            return 0.85
        if "max_tokens" in body and ("system" in body or str(body.get("model", "")).startswith("claude")):
            return 0.85
        return 0.25 if messages else 0.2


def _blocks(message: dict[str, object]) -> list[dict[str, object]]:
    content = message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
