"""OpenAI Chat messages: a list, a request body, a message a line, a conversation a line, and benchmark runs.

tau-bench keeps its conversations in `traj`, and tau2 in `simulations[].messages`; each conversation is a session.
Facts: the `openai` SDK's types and the public error reports named in `providers/openai_chat/profiles.py`.
"""

import re
from typing import Any

from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MESSAGE_CONTAINER_KEYS, BatchIndexedMessages, role_of_message
from inspector.core.formats.base.openai_messages import ChatMessages
from inspector.core.providers.openai_chat import schema
from inspector.core.storage.json_document import DEFAULT_MESSAGE_PATHS, MessagePaths
from inspector.core.storage.json_text import is_valid_json, parse_json
from inspector.core.translation import tr

# The keys of other programs' messages. `message_id` is Mistral Vibe's, which counts its lines in another file.
_FOREIGN_KEYS = frozenset("uuid parentUuid type parts lc ts message_type message_id tool_call_ids".split())
_FOREIGN_BLOCK_TYPES = frozenset("tool_use tool_result thinking redacted_thinking tool-result tool-call".split())
_FOREIGN_TEXT = re.compile(rb'"type"\s*:\s*"(?:%s)"' % "|".join(sorted(_FOREIGN_BLOCK_TYPES)).encode())
_MESSAGE_MEMBERS = frozenset(
    "role content name tool_calls function_call refusal audio annotations weight prefix reasoning "
    "reasoning_content reasoning_details thinking_blocks provider_specific_fields extra_content cache_control".split()
)
_BODY_KEYS = frozenset(
    "model messages tools tool_choice functions function_call temperature top_p n max_tokens "
    "max_completion_tokens stop stream stream_options presence_penalty frequency_penalty logit_bias logprobs "
    "top_logprobs user seed metadata store response_format parallel_tool_calls reasoning_effort service_tier "
    "modalities prediction audio web_search_options extra_body extra_headers custom_id method url body id object "
    "created choices usage system_fingerprint".split()
)


class OpenAIChat(ChatMessages, BatchIndexedMessages):
    """The messages of OpenAI's chat API and its many compatible servers."""

    name = "openai-chat"
    label = "OpenAI Chat JSON"
    keys = MESSAGE_CONTAINER_KEYS
    detection = tr("messages with tool_calls, the role tool, or plain text content")
    read = tr("a list, a request body, one message or conversation per line, or benchmark runs")
    write_back = tr("yes, as a copy or in place")
    resume = tr("results are in the tool messages right after their calls")
    unsupported = tr("checking legacy `function_call` pairs, which are only displayed")
    source = "openai SDK types/chat"
    profile = "openai-chat"
    message_schema = schema.REQUEST_SCHEMA
    # Some programs keep the reason of the choice, or the status of a message, in the message.
    stop_reason_pointers = ("/finish_reason", "/stop_reason", "/status", "/error")
    shapes = MessagePaths(
        DEFAULT_MESSAGE_PATHS.message_paths,
        ("choices/message", "response/choices/message", "response/body/choices/message"),
    )

    def missing_text(self, raw: bytes) -> str:
        return schema.missing_text(parse_json(raw))

    def score(self, head: Head) -> float:
        if head.is_lines and head.lines[0].get("role"):
            if head.other_lines:
                return 0.0
            messages = head.lines
        else:
            messages = head.messages_in(self.shapes) or []
            if head.messages_in(self.shapes) is None:
                return 0.0
        if not messages:
            return 0.4 if _is_empty_history(head) else 0.0
        if any(role_of_message(message) not in schema.ROLE_BY_NAME or _is_foreign(message) for message in messages):
            return 0.0
        if any(_is_distinctive(message) for message in messages):
            # Some gateways write a call into the content as well. It is one call and is counted once.
            return 0.9
        if any(_has_foreign_blocks(message) for message in messages):
            return 0.0
        if (not head.is_complete or head.is_damaged) and _FOREIGN_TEXT.search(head.plain):
            # A foreign block in a message that is damaged or cut off by the head; the messages before it are only text.
            return 0.0
        if not (all(map(_is_plain, messages)) and _BODY_KEYS.issuperset(head.context if not head.is_lines else ())):
            # Every agent stores plain texts. Only other members show which program wrote them.
            return 0.3
        if any(message.get("role") == "system" for message in messages):
            return 0.6
        return 0.5

    def is_message_line(self, first: dict[str, Any]) -> bool:
        return isinstance(first.get("role"), str)

    decode = schema.MESSAGE_DECODER
    is_odd = staticmethod(schema.may_be_malformed)
    add_messages = staticmethod(schema.add_messages)

    def missing_member(self, block: bytes) -> str:
        return schema.missing_call_member(parse_json(block))

    def with_required_members(self, block: bytes) -> bytes:
        return schema.add_missing_call_members(block)


def _is_empty_history(head: Head) -> bool:
    """Return whether the log is a complete request without a message. An empty list may be anything."""
    if not head.is_complete or not is_valid_json(head.text):
        return False
    return isinstance(head.value, dict) and _BODY_KEYS.issuperset(head.value)


def _is_foreign(message: dict[str, object]) -> bool:
    """Return whether the message is another program's: it has a foreign key, or a function that is a bare name."""
    calls = message.get("tool_calls")
    bare = isinstance(calls, list) and any(
        isinstance(call, dict) and isinstance(call.get("function"), str) for call in calls
    )
    return bare or not _FOREIGN_KEYS.isdisjoint(message)


def _is_distinctive(message: dict[str, object]) -> bool:
    """Return whether only this API has such a message: with calls, a result that names its call, or an own role."""
    if isinstance(message.get("tool_calls"), list) or message.get("role") in ("developer", "function"):
        return True
    return message.get("role") == "tool" and not {"tool_call_id", "requestor"}.isdisjoint(message)


def _is_plain(message: dict[str, object]) -> bool:
    """Return whether a message has content and only members of this API."""
    content = message.get("content", ...)
    has_content = isinstance(content, str | list) or (content is None and message.get("role") == "assistant")
    return has_content and _MESSAGE_MEMBERS.issuperset(message)


def _has_foreign_blocks(message: dict[str, object]) -> bool:
    content = message.get("content")
    if not isinstance(content, list):
        return False
    kinds = [block.get("type") for block in content if isinstance(block, dict)]
    return any(not isinstance(kind, str) or kind in _FOREIGN_BLOCK_TYPES for kind in kinds)
