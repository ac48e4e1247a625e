"""Logs of requests that went through LiteLLM: the messages that were sent, and the response, in one object.

Facts: OpenHands/software-agent-sdk, its logs of `litellm.completion` (`messages`, `tools`, `kwargs`, `response`,
`cost`). For a model without function calls, `messages` holds the calls as texts, and `raw_messages` as they were
made. BerriAI/litellm, types/utils.py: the `StandardLoggingPayload` that the logging callbacks get has `messages`,
`response`, `call_type`, `status` and `error_information`. A document is a request or a list of requests, and a line of
JSON Lines is a request. A response has the shape of OpenAI's, whatever provider it is from.
"""

from __future__ import annotations

from typing import Any

from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.logged_requests import LoggedRequests
from inspector.core.formats.base.message_arrays import BatchIndexedMessages, enclosing_request, role_of_message
from inspector.core.formats.base.openai_messages import ChatMessageReader
from inspector.core.lazy import lazy_regex
from inspector.core.model.columnar_index import Columns, ReadRecord
from inspector.core.model.session import Log, Session
from inspector.core.providers.openai_chat import schema
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import is_valid_json, object_at, parse_json, text_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

_RAW_MESSAGES = "raw_messages"
# What a log of OpenHands ends with, behind the response.
_END = lazy_regex(rb'"latency_sec"\s*:')
_BLOCKS_OF_ANOTHER_API = frozenset({"tool_use", "tool_result", "tool-call", "tool-result"})


class LiteLLMLog(LoggedRequests, ChatMessageReader, BatchIndexedMessages):
    """Requests that LiteLLM or a program above it logged."""

    name = "litellm-log"
    label = "LiteLLM request log"
    keys = "messages raw_messages response"
    detection = tr("objects with messages (or raw_messages) and a response that has choices, or a call_type")
    read = tr(
        "each request with its response. If there are `raw_messages`, they are read instead of `messages`. The calls "
        "of a response are waiting for their results"
    )
    write_back = tr("no, because no program loads a request log. Repair the log of the agent that sent the requests")
    resume = tr("none, because a request log is not used to resume a session")
    unsupported = tr("requests to other APIs than chat completions, and messages that LiteLLM redacted")
    source = "OpenHands/software-agent-sdk, llm logs; BerriAI/litellm, types/utils.py (StandardLoggingPayload)"
    read_only_reason = tr(
        "A request log is not repaired, because no program loads it. Open and repair the log of the agent that sent "
        "the request, or convert the messages of this log and repair the converted messages."
    )
    profile = "openai-chat"
    message_schema = schema.REQUEST_SCHEMA
    shapes = MessagePaths(("messages", _RAW_MESSAGES), ("response/choices/message",))

    def score(self, head: Head) -> float:
        values = head.lines if head.is_lines else head.value if isinstance(head.value, list) else [head.context]
        requests = [value for value in values if isinstance(value, dict)]
        is_cut = not (head.is_lines or head.is_complete)
        if is_cut and len(requests) > 1:
            requests.pop()
        # The response of the only request can be behind the head.
        responded = is_cut and _END.search(head.tail) is not None
        if not requests or not all(_is_logged_request(each, responded) for each in requests):
            return 0.0
        messages = head.messages_in(self.shapes) or []
        known = all(role_of_message(each) in schema.ROLE_BY_NAME and not _is_of_another_api(each) for each in messages)
        return 0.95 if messages and known else 0.0

    # reading

    decode = schema.MESSAGE_DECODER
    is_odd = staticmethod(schema.may_be_malformed)
    add_messages = staticmethod(schema.add_messages)

    def request_among(self, sequences: list[RecordSequence]) -> RecordSequence | None:
        made = (each for each in sequences if each.pointer.endswith(f"/{_RAW_MESSAGES}") and each.high > each.low)
        return next(made, None) or super().request_among(sequences)

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        text = enclosing_request(log, sequence, sequence.outermost_object)
        request = parse_json(text) if is_valid_json(text) else None
        session.id = text_at(request, "/id") or text_at(request, "/response/id") or session.id
        session.model = text_at(request, "/model") or text_at(request, "/response/model")
        if text_at(request, "/status") == "failure":
            error = text_at(request, "/error_information/error_class")
            session.state = tr("the request failed ({error})", error=error) if error else tr("the request failed")

    def missing_text(self, raw: bytes) -> str:
        return schema.missing_text(parse_json(raw))

    def missing_member(self, block: bytes) -> str:
        return schema.missing_call_member(parse_json(block))


def _is_logged_request(value: dict[str, Any], responded: bool) -> bool:
    if isinstance(value.get(_RAW_MESSAGES), list):
        return True
    responded = responded or isinstance(object_at(value, "/response").get("choices"), list)
    return isinstance(value.get("messages"), list) and (responded or "call_type" in value)


def _is_of_another_api(message: dict[str, Any]) -> bool:
    content = message.get("content")
    blocks = content if isinstance(content, list) else ()
    return any(text_at(block, "/type") in _BLOCKS_OF_ANOTHER_API for block in blocks)
