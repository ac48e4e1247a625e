"""Bedrock Converse messages: a list, a request body, a conversation a line, or the message of a response.

Facts: botocore's model of `bedrock-runtime`, and the public error reports named in `profiles/bedrock_converse.py`. A
placeholder must hold text, since its status is error (aws-samples/sample-multi-agent-orchestration-chat-on-agentcore
#15).
"""

from typing import Any

from inspector.core.bytes.json_text import dump_json, parse_json
from inspector.core.bytes.sequences import RecordSequence
from inspector.core.containers.document import DocumentLayout
from inspector.core.formats.bases.block_list import BlockListFormat
from inspector.core.formats.bases.edits import Call
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.message_arrays import MESSAGE_KEYS, MessageArrays, is_nothing, role_of
from inspector.core.formats.bases.request_body import request_around
from inspector.core.index.columns import Columns, ReadRecord, RecordMark, Role
from inspector.core.index.session import Log, Session
from inspector.core.wire import converse
from inspector.core.wire.fields import LenientDecoder
from inspector.core.wire.shapes import suspicion, tables
from inspector.core.wire.spelling.tables import BEDROCK_CONVERSE

# What stands beside the messages of a request and of nothing else.
_DECODE = LenientDecoder(converse.ConverseMessage)
_REQUEST = (b'"modelId"', b'"inferenceConfig"', b'"guardrailConfig"', b'"additionalModelRequestFields"')


class BedrockConverse(BlockListFormat, MessageArrays):
    """The messages of the Converse API, which Strands and others keep as they are."""

    name = "bedrock-converse"
    label = "Bedrock Converse JSON"
    keys = MESSAGE_KEYS
    detection = "messages whose blocks have one member and no type: text, toolUse, toolResult"
    read = "a list, a request body, a response, or a conversation a line"
    write_back = "yes: a copy, in place"
    resume = "results lead the next user message, which they join; ids once in the whole history"
    unsupported = (
        "`toolConfig` of a request body is kept and not judged; a placeholder has a status, as Claude takes it"
    )
    source = "botocore bedrock-runtime service-2.json"
    profile = "bedrock-converse"
    shapes = DocumentLayout(("messages", "body/messages"), response_paths=("output/message", "response/output/message"))
    content_pointer = "/content"
    message_schema = tables.CONVERSE_MESSAGE_SCHEMA
    can_invent_calls = True
    block_schema = BEDROCK_CONVERSE

    def score(self, head: Head) -> float:
        if head.is_lines and head.lines[0].get("role"):
            return 0.0
        messages = head.messages_in(self.shapes) or []
        telling = [message for message in messages if not is_nothing(message)]
        known = all(role_of(message) in {"", *converse.ROLES} for message in messages)
        return 0.95 if telling and known and all(map(_is_message, telling)) else 0.0

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        known = _DECODE.decode_strict(raw)
        message, odd = known or _DECODE(raw), known is None
        if not message.role and is_nothing(parse_json(raw)):
            message.role, odd = "user", False  # It is sent, whoever spoke, and refused.
        mark = RecordMark.MAYBE_MALFORMED if odd or suspicion.is_suspect_converse_message(message) else 0
        columns.add_record(start, end, converse.ROLES.get(message.role or "", Role.OPAQUE), mark)
        converse.add_content(columns, message)

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        around = request_around(log, sequence, sequence.enclosing_object)
        session.defines_no_tools = b'"toolConfig"' not in around and any(key in around for key in _REQUEST)

    block_views = staticmethod(converse.views_of_message)

    def result_block(self, call: Call, text: str, failed: bool = True) -> bytes:
        return dump_json(converse.make_tool_result(call.id, text, failed))

    def text_is_enough(self, call: Call, text: str) -> bool:
        """A text must not be blank."""
        return bool(text.strip())

    media_of = staticmethod(converse.media_blocks)

    def invented_call(self, call: Call) -> Any:
        return converse.make_invented_call(call.id, call.name)


def _is_message(message: dict[str, Any]) -> bool:
    content = message.get("content")
    if role_of(message) not in converse.ROLES or not isinstance(content, list) or "uuid" in message:
        return False
    return all(
        isinstance(block, dict) and "type" not in block and not converse.BLOCK_KEYS.isdisjoint(block)
        for block in content
    )
