"""Bedrock Converse messages: a list, a request body, a conversation a line, or the message of a response.

Facts: botocore's model of `bedrock-runtime`, and the public error reports named in
`providers/bedrock_converse/profiles.py`. A placeholder must hold text, since its status is error
(aws-samples/sample-multi-agent-orchestration-chat-on-agentcore #15).
"""

from typing import Any

from inspector.core.formats.base.block_list_formats import BlockListFormat
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import (
    MESSAGE_CONTAINER_KEYS,
    MessageArrays,
    enclosing_request,
    is_empty_message,
    role_of_message,
)
from inspector.core.formats.base.writer import CallContext
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.providers.bedrock_converse import schema
from inspector.core.providers.message_fields import LenientDecoder
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import dump_json, parse_json
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

_DECODE = LenientDecoder(schema.ConverseMessage)
# Members that only a request has next to its messages.
_REQUEST_KEYS = (b'"modelId"', b'"inferenceConfig"', b'"guardrailConfig"', b'"additionalModelRequestFields"')


class BedrockConverse(BlockListFormat, MessageArrays):
    """The messages of the Converse API, which Strands and others store unchanged."""

    name = "bedrock-converse"
    label = "Bedrock Converse JSON"
    keys = MESSAGE_CONTAINER_KEYS
    detection = tr("messages with blocks that have only one field (text, toolUse or toolResult) and no type")
    read = tr("a list, a request body, a response, or one conversation per line")
    write_back = tr("yes, as a copy or in place")
    resume = tr("results come first in the next user message, before any text, and ids are unique across the history")
    unsupported = tr(
        "`toolConfig` in a request body is kept but not checked. Placeholders include a `status` field, which "
        "Claude models accept"
    )
    source = "botocore bedrock-runtime service-2.json"
    profile = "bedrock-converse"
    shapes = MessagePaths(("messages", "body/messages"), response_paths=("output/message", "response/output/message"))
    content_pointer = "/content"
    message_schema = schema.MESSAGE_SCHEMA
    can_invent_calls = True
    block_schema = schema.BLOCK_SCHEMA

    def score(self, head: Head) -> float:
        if head.is_lines and head.lines[0].get("role"):
            return 0.0
        messages = head.messages_in(self.shapes) or []
        full = [message for message in messages if not is_empty_message(message)]
        known = all(role_of_message(message) in {"", *schema.ROLE_BY_NAME} for message in messages)
        return 0.95 if full and known and all(map(_is_message, full)) else 0.0

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        known = _DECODE.decode_strict(raw)
        message, odd = known or _DECODE(raw), known is None
        if not message.role and is_empty_message(parse_json(raw)):
            message.role, odd = "user", False  # An empty message of any role is sent and refused.
        mark = RecordMark.MAYBE_MALFORMED if odd or schema.may_be_malformed(message) else 0
        columns.add_record(start, end, schema.ROLE_BY_NAME.get(message.role or "", Role.OPAQUE), mark)
        schema.add_blocks(columns, message)

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        request = enclosing_request(log, sequence, sequence.enclosing_object)
        session.defines_no_tools = b'"toolConfig"' not in request and any(key in request for key in _REQUEST_KEYS)

    block_views = staticmethod(schema.views_of_message)

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        return dump_json(schema.make_tool_result(call.id, text, failed))

    def text_is_enough(self, call: CallContext, text: str) -> bool:
        """Return whether the text is not blank, since the API refuses blank texts."""
        return bool(text.strip())

    media_of = staticmethod(schema.media_blocks_of_result)

    def invented_call(self, call: CallContext) -> Any:
        return schema.make_invented_call(call.id, call.name)


def _is_message(message: dict[str, Any]) -> bool:
    content = message.get("content")
    if role_of_message(message) not in schema.ROLE_BY_NAME or not isinstance(content, list) or "uuid" in message:
        return False
    return all(
        isinstance(block, dict) and "type" not in block and not schema.BLOCK_KEYS.isdisjoint(block) for block in content
    )
