"""What opencode sends on resume: `toModelMessages`, and what its transforms make of that for a provider.

Facts: the program itself, 1.18.33 (session/message-v2.ts, provider/transform.ts, and `convertToModelMessages` of the AI
SDK, which splits a message where a step starts and refuses a tool part without an id or an output). A call that is
pending or running goes out as failed, an outcome that was cleared to save room as a note; a tool part in no known state
is left out, and one without a state ends the run. Nothing of this is written down. The calls and results of eleven
resumes agree. Reasoning goes out as text where another model is asked than made it. Where its own is, it is not told of
here; to Anthropic's API it goes out with its signature, an empty one too, or is left out where it has none.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from inspector.core.bytes.json_text import object_at, parse_json, text_at
from inspector.core.formats.bases.request import Message, Request, Sent, joined
from inspector.core.formats.opencode.providers import Provider, provider_of
from inspector.core.index.columns import Columns, ReadRecord, RecordMark, Role
from inspector.core.index.session import Session
from inspector.core.index.views import BlockKind
from inspector.core.known_texts.placeholders import PLACEHOLDER_WORDINGS

UNREAD = "what is no JSON stops the load"
_NO_MESSAGES = "it stops before any request: a part is not what a message may hold"
_INTERRUPTED, _CLEARED = PLACEHOLDER_WORDINGS["opencode"].text, PLACEHOLDER_WORDINGS["opencode-cleared"].text
_STATES = frozenset({"pending", "running", "completed", "error"})
_SAID = (BlockKind.TEXT, BlockKind.MEDIA)
# APIs whose adapter joins neighbouring messages of one role.
_JOIN = frozenset({"anthropic", "bedrock-converse"})


class _Unfit(Exception):
    """A part that no message can be made of."""


class _Part(Struct):
    """A part with its block, and that of its outcome (-1: it has none)."""

    value: dict[str, Any]
    row: int
    outcome: int = -1


def request_of(session: Session, columns: Columns, raw: ReadRecord) -> Request:
    """The messages that a resume of the session sends."""
    provider = provider_of(columns, session.main_thread.path, raw)
    if any(columns.marks[record] & RecordMark.UNREADABLE for record in session.records):
        return Request(provider.wire, [], stop_reason=UNREAD)
    try:
        messages = [each for record in session.main_thread.path for each in _messages(columns, record, raw, provider)]
    except _Unfit:
        return Request(provider.wire, [], stop_reason=_NO_MESSAGES)
    sent = joined(messages) if provider.wire in _JOIN else messages
    return Request(provider.wire, sent, as_stored=False, sends_reasoning=True)


def _messages(columns: Columns, record: int, raw: ReadRecord, provider: Provider) -> Iterator[Message]:
    """A message of the log, one for each of its steps, each with its results behind it."""
    if columns.roles[record] == Role.USER:
        said = [Sent(row) for row in columns.block_rows(record) if columns.block_kinds[row] in _SAID]
        yield Message(Role.USER, said)
    elif columns.roles[record] == Role.ASSISTANT:
        value = parse_json(raw(record))
        foreign = not provider.made(object_at(value, "/info"))
        for step in _steps(_parts(columns, record, value["parts"])):
            said, results = _spoken(columns, step, provider, foreign)
            if said:
                yield Message(Role.ASSISTANT, said)
            if results:
                yield Message(Role.TOOL, results)


def _parts(columns: Columns, record: int, stored: list[Any]) -> list[_Part]:
    found: list[_Part] = []
    values = iter(stored)
    for row in columns.block_rows(record):
        if columns.block_kinds[row] == BlockKind.RESULT:
            found[-1].outcome = row
        else:
            value = next(values)
            found.append(_Part(value if isinstance(value, dict) else {}, row))
    return found


def _steps(parts: Iterable[_Part]) -> list[list[_Part]]:
    steps: list[list[_Part]] = [[]]
    for part in parts:
        if part.value.get("type") == "step-start":
            steps.append([])
        else:
            steps[-1].append(part)
    return steps


def _spoken(columns: Columns, step: list[_Part], provider: Provider, foreign: bool) -> tuple[list[Sent], list[Sent]]:
    """What the assistant says in a step, and the results of its calls. Raises _Unfit."""
    said: list[Sent] = []
    results: list[Sent] = []
    for part in step:
        kind = columns.block_kinds[part.row]
        if kind == BlockKind.TEXT:
            said.append(Sent(part.row))
        elif kind == BlockKind.THINKING and foreign:
            told = text_at(part.value, "/text")
            said += [Sent(part.row, stored_form=told)] if told.strip() else []
        elif kind == BlockKind.CALL:
            known = columns.call_ids[part.row] or ""
            own = provider.id_of(known)
            for result in _result(columns, part):
                said.append(Sent(part.row, id=own if own != known else ""))
                results.append(Sent(result.row, result.answer, id=said[-1].id))
    return said, results


def _result(columns: Columns, part: _Part) -> Iterator[Sent]:
    """The result that goes out for a call; none where the call does not go out either. Raises _Unfit."""
    if part.value.get("state") is None:
        raise _Unfit
    state = object_at(part.value, "/state")
    status = state.get("status")
    if not isinstance(status, str) or status not in _STATES:
        return
    completed = status == "completed"
    if columns.call_ids[part.row] is None or (completed and (part.outcome < 0 or state.get("time") is None)):
        raise _Unfit
    if part.outcome < 0:
        yield Sent(part.row, _INTERRUPTED)
    elif completed and object_at(state, "/time").get("compacted"):
        yield Sent(part.row, _CLEARED)
    else:
        yield Sent(part.outcome)
