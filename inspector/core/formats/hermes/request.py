"""The messages that Hermes sends when it resumes a session, before the new prompt.

Facts: hermes-agent 0.19.0, run on broken sessions. `_rows_to_conversation` (hermes_state.py) leaves out the prompts of
an old background review and the answers behind them. `repair_message_sequence` (agent/agent_runtime_helpers.py), run
when a session is loaded and before a request, joins answers in a row and prompts in a row, and drops results whose call
is not in the answer before them. Calls that are no list are
left out, unless answers are joined. `sanitize_tool_call_arguments` replaces arguments that are not JSON. Then
`sanitize_api_messages` drops other results without a call, adds a placeholder behind each call without a result, and
drops a call or result whose id an earlier one has, even one of an earlier turn: if an answer loses all calls so, it is
sent with an empty list. `_drop_thinking_only_and_merge_users` drops answers that hold only reasoning.
"""

import json

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.hermes.reader import HermesRow, call_in_string, decode, holds_no_list
from inspector.core.lazy import lazy_regex
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.openai_chat import schema
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import dump_json, object_at, parse_json
from inspector.core.translation import tr

PLACEHOLDER = PLACEHOLDER_WORDINGS["hermes-compressed"].text
INVALID_TEXT = "Could not decode to UTF-8 column"
_EMPTY_LIST = tr("Hermes drops calls whose id it has sent before, and sends an empty list of calls, which is rejected")
_OTHER_CALLS = tr("Hermes sends the characters or keys of calls that are not stored as a list, which is rejected")
_NULL = tr("Hermes sends a message whose content is null, which is rejected")
_WIRE = "openai-chat"
_MARKER = (
    "[hermes-agent: tool call arguments were corrupted in this session and have been dropped to keep the "
    "conversation alive. See issue #15236.]"
)
_UNNAMED, _NOTE = "invalid_tool_call", "session_meta"
_REVIEW = lazy_regex(r"\s*Review the conversation above and (?:update the skill library|consider saving to memory)")
_PROVISIONAL = ("verification_required", "verify_hook_continue")
_NOTHING = (b"", b"null", b'""', b"[]", b"{}", b"0", b"false")
_CALL = int(BlockKind.CALL)


class _Call(Struct):
    row: int
    id: str
    has_arguments: bool


class _Message(Struct):
    """A message as Hermes keeps it in memory. `content` is the first byte of its content, b"" for none."""

    role: str
    row: HermesRow
    said: list[RequestBlock]
    content: bytes = b""
    calls: list[_Call] = field(default_factory=list)
    answers: str = ""
    is_marked: bool = False
    has_list: bool = False
    has_other_calls: bool = False

    @property
    def is_interim(self) -> bool:
        """Whether it is part of an answer of the Responses API, which is not joined with others."""
        row = self.row
        return row.finish_reason == "incomplete" or any(
            bytes(each) not in _NOTHING for each in (row.codex_reasoning_items, row.codex_message_items)
        )


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return what is sent before the new prompt."""
    path = session.main_thread.path
    if any(columns.marks[record] & RecordMark.UNREADABLE for record in path):
        return ResumeRequest(_WIRE, [], stop_reason=INVALID_TEXT)
    messages = _repaired(_without_reviews([_message(columns, record, raw(record)) for record in path]))
    messages = _repaired(_with_marked_arguments([each for each in messages if each.role != _NOTE]))
    sent = _without_thoughts(_paired([each for each in messages if each.role in schema.ROLE_BY_NAME]))
    if any(message.has_other_calls and message.has_list for message in sent):
        return ResumeRequest(_WIRE, [], stop_reason=_OTHER_CALLS)
    if any(message.has_list and not message.calls for message in sent):
        return ResumeRequest(_WIRE, [], stop_reason=_EMPTY_LIST)
    if any(not (message.content or message.calls or message.answers) for message in sent):
        return ResumeRequest(_WIRE, [], stop_reason=_NULL)
    requested = [_as_sent(message) for message in sent]
    return ResumeRequest(_WIRE, requested, replaces_surrogates=True, corrected=frozenset({"K6", "K7"}))


def _message(columns: Columns, record: int, raw: bytes) -> _Message:
    row, rows = decode(raw), columns.block_rows(record)
    content = b"" if bytes(row.content) in (b"", b"null") else bytes(memoryview(row.content)[:1])
    message = _Message(row.role or "", row, [], content)
    for ordinal, at in enumerate(rows):
        if columns.block_kinds[at] == _CALL:
            call = call_in_string(columns, record, raw, ordinal)
            call = call or raw_json_at(raw, schema.block_pointer(columns, record, ordinal))
            message.calls.append(_Call(at, (columns.call_ids[at] or "").strip(), _has_arguments(call)))
        else:
            message.said.append(RequestBlock(at))
    message.has_list = bool(message.calls)
    message.has_other_calls = row.role == "assistant" and holds_no_list(row.tool_calls)
    if row.role == "tool":
        message.answers = row.tool_call_id or ""
    return message


def _has_arguments(call: bytes) -> bool:
    """Return whether the arguments of a call are not replaced because they are not JSON."""
    arguments = object_at(parse_json(call), "/function").get("arguments")
    if not isinstance(arguments, str) or not arguments.strip():
        return True
    try:
        json.loads(arguments)
    except ValueError:
        return False
    return True


def _without_reviews(messages: list[_Message]) -> list[_Message]:
    """Return the messages without the prompts of a background review, and without the answers right behind them."""
    kept: list[_Message] = []
    follows_review = False
    for message in messages:
        words = bytes(message.row.content) if message.role in ("user", "system") and message.content == b'"' else b""
        is_review = b"Review the conversation above" in words and bool(_REVIEW.match(parse_json(words)))
        if not is_review and not (follows_review and message.role == "assistant"):
            kept.append(message)
        follows_review = is_review
    return kept


def _repaired(messages: list[_Message]) -> list[_Message]:
    """Return the messages after `repair_message_sequence`."""
    joined: list[_Message] = []
    for message in messages:
        last = joined[-1] if joined else None
        is_next = last is not None and last.role == message.role == "assistant"
        if last is None or not is_next or message.is_interim or last.is_interim:
            joined.append(message)
        elif last.row.finish_reason in _PROVISIONAL:
            joined[-1] = message
        else:
            _join_answers(last, message)
    return _joined_prompts(_without_strays(joined))


def _join_answers(first: _Message, second: _Message) -> None:
    first.calls += second.calls
    first.has_other_calls = first.has_other_calls or second.has_other_calls
    # Hermes makes a list of the characters or keys of a value that is not a list.
    first.has_list = first.has_list or second.has_list or first.has_other_calls
    if first.content == second.content == b'"':
        first.said += second.said
    elif not first.said and second.content:
        first.said, first.content = second.said, second.content


def _without_strays(messages: list[_Message]) -> list[_Message]:
    """Return the messages without results whose call is not in the answer before them, or that come twice."""
    kept: list[_Message] = []
    known: set[str] = set()
    for message in messages:
        if message.role in ("assistant", "user"):
            known = {call.id for call in message.calls}
        elif message.role == "tool":
            if not message.answers or message.answers.strip() not in known:
                continue
            known.discard(message.answers.strip())
        kept.append(message)
    return kept


def _joined_prompts(messages: list[_Message]) -> list[_Message]:
    kept: list[_Message] = []
    for message in messages:
        last = kept[-1] if kept else None
        if last is not None and last.role == message.role == "user" and {last.content, message.content} == {b'"'}:
            last.said += message.said
            last.row.api_content = None
        else:
            kept.append(message)
    return kept


def _with_marked_arguments(messages: list[_Message]) -> list[_Message]:
    """Return the messages with a note in, or as, the result of each call whose arguments are not JSON."""
    found: list[_Message] = []
    for at, message in enumerate(messages):
        found.append(message)
        broken = [call for call in message.calls if not call.has_arguments]
        if not broken:
            continue
        results: dict[str, _Message] = {}
        for later in messages[at + 1 :]:
            if later.role != "tool":
                break
            results.setdefault(later.answers, later)
        for call in broken:
            result = results.get(call.id)
            if result is None:
                found.append(_result_for(call, _MARKER))
            else:
                result.is_marked = True
            call.has_arguments = True
    return found


def _result_for(call: _Call, text: str) -> _Message:
    return _Message("tool", HermesRow("tool"), [RequestBlock(call.row, text)], answers=call.id)


def _paired(messages: list[_Message]) -> list[_Message]:
    """Return the messages after `sanitize_api_messages`."""
    calls = {call.id for message in messages for call in message.calls} - {""}
    answered = {message.answers.strip() for message in messages if message.role == "tool"}
    with_answers: list[_Message] = []
    for message in messages:
        if message.role != "tool" or not message.answers.strip() or message.answers.strip() in calls:
            with_answers.append(message)
        with_answers += [_result_for(call, PLACEHOLDER) for call in message.calls if call.id in calls - answered]
    seen_calls: set[str] = set()
    seen_results: set[str] = set()
    kept: list[_Message] = []
    for message in with_answers:
        if message.role == "tool" and message.answers.strip():
            if message.answers.strip() in seen_results:
                continue
            seen_results.add(message.answers.strip())
        new: list[_Call] = []
        for call in message.calls:
            if not call.id or call.id not in seen_calls:
                seen_calls.add(call.id)
                new.append(call)
        message.calls = new
        kept.append(message)
    return kept


def _without_thoughts(messages: list[_Message]) -> list[_Message]:
    """Return the messages without answers that hold only reasoning, and with the prompts around them joined."""
    kept = [message for message in messages if not _is_thought(message)]
    if len(kept) == len(messages):
        return messages
    found: list[_Message] = []
    for message in kept:
        if found and found[-1].role == message.role == "user":
            found[-1].said += message.said
        else:
            found.append(message)
    return found


def _is_thought(message: _Message) -> bool:
    if message.role != "assistant" or message.calls or message.said:
        return False
    return any(
        bytes(each) not in _NOTHING for each in (message.row.reasoning_details, message.row.codex_reasoning_items)
    )


def _as_sent(message: _Message) -> RequestMessage:
    blocks = list(message.said)
    if message.row.api_content and message.role in ("user", "assistant") and blocks:
        blocks = [RequestBlock(blocks[0].row, stored_form=message.row.api_content)]
    if message.is_marked:
        blocks = [block if block.answer else replace(block, note=_MARKER) for block in blocks]
    calls = (RequestBlock(call.row) for call in message.calls)
    separator = "\n\n" if message.role == "user" else "\n"
    return RequestMessage(schema.ROLE_BY_NAME[message.role], [*blocks, *calls], separator=separator)


def sent_call(name: str, block: bytes) -> tuple[str, bytes]:
    """Return the name of a call, and its JSON with the arguments that are sent."""
    call = parse_json(block)
    function = object_at(call, "/function")
    arguments = function.get("arguments")
    is_sent = isinstance(arguments, str) and bool(arguments.strip()) and _has_arguments(block)
    if function and not is_sent:
        block = json_edits.set_member(block, "/function", "arguments", b'"{}"')
    elif isinstance(call, dict) and not function:
        block = json_edits.set_member(block, "", "function", dump_json({"name": _UNNAMED, "arguments": "{}"}))
    return (name if name.strip() else _UNNAMED), block
