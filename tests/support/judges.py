"""Who decides that a history is valid: two strict validators of our own, and mistral-common's.

Each takes a history as `projection` reads it from disk and returns None, or the reason for the refusal.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tests.support.notation import Call, History, Odd, Result, ServerCall, ServerResult, Text, Turn
from tests.support.projection import chat

Judge = Callable[[History], str | None]
JOINING = ("anthropic", "openai-responses")  # the providers to whom neighbours of one role are one turn


def merged(history: History) -> History:
    """Adjacent turns of one role are one turn to Anthropic."""
    turns: History = []
    for turn in history:
        if turns and turns[-1].role == turn.role:
            turns[-1] = replace(turns[-1], parts=turns[-1].parts + turn.parts)
        else:
            turns.append(turn)
    return turns


def said(turn: Turn) -> list[str]:
    return [part.text for part in turn.of(Text)]


def server_error(turns: History) -> str | None:
    """A server's call and its result stand in one message.

    One beside other calls waits for their results, and the next message begins with its own; an open end may wait. Code
    that runs may go through several rounds of other calls.
    """
    running = {call.id for turn in turns for call in turn.of(ServerCall) if call.runs_code}
    waiting: list[str] = []
    for number, turn in enumerate(turns):
        if turn.role != "assistant":
            if waiting and len(turn.of(Result)) < len(turn.parts):
                return f"turn {number}: the server's calls {waiting} are without results"
            continue
        due, waiting = waiting, []
        for part in turn.parts:
            if isinstance(part, ServerCall):
                waiting.append(part.id)
            elif isinstance(part, ServerResult):
                if part.id not in due + waiting:
                    return f"turn {number}: the server's result {part.id} is without its call"
                (due if part.id in due else waiting).remove(part.id)
        if overdue := [each for each in due if each not in running]:
            return f"turn {number}: the server's calls {overdue} are without results"
        waiting += due
    return None


def anthropic_error(history: History) -> str | None:  # noqa: PLR0911 - a return for each error
    """Results lead the next user turn, one a call; ids unique over the request; nothing empty; the user begins."""
    turns = merged(history)
    if turns and turns[0].role != "user":
        return "the first turn is not the user's"
    if (unpaired := server_error(turns)) is not None:
        return unpaired
    seen: set[str] = set()
    open_calls: list[str] = []
    for number, turn in enumerate(turns):
        if not turn.parts or turn.of(Odd):
            return f"turn {number}: empty or odd content"
        if "" in said(turn) or not (len(turn.parts) > len(said(turn)) or "".join(said(turn)).strip()):
            return f"turn {number}: blank text"
        calls, results = turn.of(Call), turn.of(Result)
        if (calls and turn.role != "assistant") or (results and turn.role != "user"):
            return f"turn {number}: a call or result in the wrong role"
        for call in calls:
            if not re.fullmatch(r"[a-zA-Z0-9_-]+", call.id):
                return f"turn {number}: illegal id {call.id!r}"
            if call.id in seen:
                return f"turn {number}: id {call.id} is not unique"
            if not isinstance(call.input, dict):
                return f"turn {number}: the input of {call.id} is no object"
            seen.add(call.id)
        if sorted(open_calls) != sorted(result.id for result in results):
            return f"turn {number}: open {open_calls}, answered {[result.id for result in results]}"
        if any(not isinstance(part, Result) for part in turn.parts[: len(results)]):
            return f"turn {number}: results do not lead"
        open_calls = [call.id for call in calls]
    return f"the end: open {open_calls}" if open_calls else None


def openai_error(history: History) -> str | None:
    """Tool messages follow their assistant message at once, one a call; ids unique in the turn."""
    open_calls: list[str] = []
    for number, turn in enumerate(history):
        if turn.of(Odd) or not turn.parts:
            return f"turn {number}: empty or odd content"
        calls, results = turn.of(Call), turn.of(Result)
        ids = [call.id for call in calls]
        if any(not id_ for id_ in ids) or len(set(ids)) < len(ids):
            return f"turn {number}: empty or repeated id in {ids}"
        if sorted(open_calls) != sorted(result.id for result in results):
            return f"turn {number}: open {open_calls}, answered {[result.id for result in results]}"
        if any(not isinstance(part, Result) for part in turn.parts[: len(results)]):
            return f"turn {number}: a message between call and result"
        open_calls = ids
    return f"the end: open {open_calls}" if open_calls else None


def mistral_error(history: History) -> str | None:
    """The validator of mistral-common; its two blind corners are avoided as its users do."""
    messages = [{"role": "system", "content": "x"}, *chat(merged(history))]
    if messages[-1]["role"] == "assistant":  # a plain last answer is refused for its role alone
        messages.append({"role": "user", "content": "x"})
    return mistral_refusal(messages)


def mistral_refusal(messages: list[dict[str, Any]]) -> str | None:
    """What mistral-common says of chat messages as they are."""
    request, validate, refusal = _mistral()
    try:
        validate(request.from_openai(messages=messages, model="m"))
    except (
        refusal,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
    ) as error:  # it falls over odd shapes, as a server would
        return f"{type(error).__name__}: {error}"
    return None


@cache
def _mistral() -> tuple[Any, Any, type[Exception]]:
    pytest.importorskip("mistral_common", reason="mistral-common, the judge from outside, is not installed")
    from mistral_common.exceptions import MistralCommonException  # noqa: PLC0415
    from mistral_common.protocol.instruct.request import ChatCompletionRequest  # noqa: PLC0415
    from mistral_common.protocol.instruct.validator import ValidationMode, get_validator  # noqa: PLC0415
    from mistral_common.tokens.tokenizers.base import TokenizerVersion  # noqa: PLC0415

    validator = get_validator(TokenizerVersion.v13, ValidationMode.serving)
    return ChatCompletionRequest, validator.validate_request, MistralCommonException


JUDGES: dict[str, tuple[Judge, ...]] = {
    "anthropic": (anthropic_error, mistral_error),
    "claude-code": (anthropic_error, mistral_error),
    "openai": (openai_error, mistral_error),
    "neovate": (anthropic_error, mistral_error),
}


def refusals(history: History, format_name: str) -> list[str]:
    """What the format's judges say against the history; an empty list is acceptance."""
    return [reason for judge in JUDGES[format_name] if (reason := judge(history))]


# --- what holds a log together, beyond the messages in it


def log_error(data: bytes, format_name: str) -> str | None:
    """None if the agent can walk the whole log, or what would stop it."""
    if format_name == "claude-code":
        return _claude_code_error(data)
    return _neovate_error(data) if format_name == "neovate" else None


def _links_error(records: list[dict[str, Any]]) -> str | None:
    uuids = [record["uuid"] for record in records if "uuid" in record]
    if repeated := {uuid for uuid in uuids if uuids.count(uuid) > 1}:
        return f"repeated uuids {repeated}"
    for record in records:
        parent = record.get("parentUuid")
        if parent is not None and parent not in uuids:
            return f"{record['uuid']} hangs under {parent}, which is not there"
        if parent == record.get("uuid") and parent:
            return f"{parent} hangs under itself"
    return None


def _claude_code_error(data: bytes) -> str | None:
    """Links closed, the byte patterns that the agent searches for, and the last line of the file as the leaf."""
    records = [json.loads(line) for line in data.splitlines() if line.strip()]
    for line, record in zip((line for line in data.splitlines() if line.strip()), records, strict=True):
        if "parentUuid" in record and not line.startswith(b'{"parentUuid":'):
            return f"parentUuid is not the first key: {line[:60]!r}"
        if "uuid" in record and not re.search(rb'"uuid":"[0-9a-f-]{36}","timestamp":"', line):
            return f"no timestamp after a uuid of 36 characters: {line[:60]!r}"
        if (source := record.get("sourceToolAssistantUUID")) and source not in {r.get("uuid") for r in records}:
            return f"the source of {record['uuid']} is not there"
    return _links_error([record for record in records if "uuid" in record])


def _neovate_error(data: bytes) -> str | None:
    """The config line first, links closed, the last line on the path, `text` as the text blocks say."""
    first, *messages = [json.loads(line) for line in data.splitlines()]
    if first["type"] != "config" or any(message["type"] != "message" for message in messages):
        return "the config line is not the first and only one"
    for message in messages:
        if message["role"] == "assistant":
            said = "".join(block["text"] for block in message["content"] if block["type"] == "text")
            if said != message["text"]:
                return f"text of {message['uuid']} is {message['text']!r}, its blocks say {said!r}"
    return _links_error(messages)
