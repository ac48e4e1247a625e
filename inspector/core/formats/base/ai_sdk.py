"""What the formats of the Vercel AI SDK have in common: the provider that a log names, and how messages are sent.

Facts: the npm package `ai` 4.3.19, 5.0.277, 6.0.326 and 7.0.173 (`convertToLanguageModelPrompt`,
`collectToolApprovals`), run on broken histories. A call that has no result before the next message of the user or the
system, or before the end, stops versions 6 and 7; versions 4 and 5 send it. Neighbouring tool messages are one message.
If the last message answers approvals, the approved calls are run first, and denied ones get a result that says so.
"""

import re
from collections.abc import Container, Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Raw

from inspector.core.formats.base.agent_behavior import Agent, NextSteps, ResumeBehavior
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.request import RequestMessage, ResumeRequest, merge_same_role
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import DECODE_ERRORS, SkippedObject
from inspector.core.providers.message_misfits import Misfit
from inspector.core.providers.registry import profile_name_of
from inspector.core.storage.json_text import dump_json, javascript_can_parse, list_at, object_at, parse_json, value_at
from inspector.core.translation import tr

LABEL = "Vercel AI SDK"
SOURCE = "npm ai 4.3.19, 5.0.277, 6.0.326, 7.0.173"
NEWEST_VERSION, FIRST_WITH_CHECK = 7, 6
DENIED_TEXT = "Tool call execution denied."
APPROVED_TEXT = "[The approved tool runs first, and this is its result.]"
_OLD_MESSAGES = tr("version 4 messages")
_OLD_MESSAGES_STOP = tr("versions 5 to 7 fail on version 4 messages, which must be converted first")
_INVALID_JSON_STOPS = tr("the program cannot parse a message that is not valid JSON")
METADATA_KEYS = ("providerMetadata", "callProviderMetadata", "providerOptions", "experimental_providerMetadata")
# The provider packages that speak the Responses API and write metadata for it.
_RESPONSES_PROVIDERS = frozenset({"openai", "azure"})
_WIRES = {name: name for name in ("anthropic", "bedrock-converse", "gemini", "openai-responses")}
# The APIs whose provider package joins neighbouring messages of one role.
_WIRES_THAT_MERGE = frozenset({"anthropic", "bedrock-converse"})
_NEWEST_ANSWERS = 5
SUPPORTED_PROFILES = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "mistral")


def major_version(session: Session) -> int:
    """Return the major version of the SDK that resumes a session: the one that it names, else the newest."""
    digits = re.match(r"\d+", session.version)
    return int(digits[0]) if digits else NEWEST_VERSION


def first_messages(head: Head) -> list[dict[str, Any]]:
    """Return the first messages of a log, which may be lines."""
    are_lines = head.is_lines and not head.other_lines and isinstance(head.lines[0].get("role"), str)
    return head.lines if are_lines else head.messages or []


def set_program(session: Session, columns: Columns, raw: ReadRecord, parts: str, is_of_version_4: bool) -> None:
    """Set the program of a session, and the profile of the provider that the newest answers name in their metadata.

    `parts` is the member with the parts of a message.
    """
    profile = _profile_in_metadata(columns, session.main_thread.path, raw, parts)
    session.profile, session.provider_assumed = profile or session.profile, not profile
    session.agent = LABEL
    if is_of_version_4:
        session.version, session.state = "4", _OLD_MESSAGES


def _profile_in_metadata(columns: Columns, path: Iterable[int], raw: ReadRecord, parts: str) -> str:
    answers = [record for record in path if columns.roles[record] == Role.ASSISTANT][-_NEWEST_ANSWERS:]
    for record in reversed(answers):
        message = parse_json(raw(record))
        for holder in (message, *list_at(message, f"/{parts}")):
            for name in _provider_names(holder):
                profile = "openai-responses" if name in _RESPONSES_PROVIDERS else profile_name_of(name)
                if profile:
                    return profile
    return ""


def _provider_names(holder: Any) -> Iterable[str]:
    """Yield the providers that wrote metadata into a message or part. `google.vertex` is a name, too."""
    return (name.partition(".")[0] for key in METADATA_KEYS for name in object_at(holder, f"/{key}"))


def metadata_misfits(message: Any, parts: str, keys: Iterable[str]) -> Iterator[Misfit]:
    """Yield the metadata that are no objects by the names of providers, in a message and its parts.

    Null is one where the SDK hands the member on: `providerOptions`, and the metadata of reasoning in UI messages.
    """
    found = enumerate(list_at(message, f"/{parts}"))
    for pointer, holder in [("", message), *((f"/{parts}/{number}", part) for number, part in found)]:
        for key in keys:
            metadata = value_at(holder, f"/{key}")
            if metadata is None:
                is_odd = (
                    isinstance(holder, dict)
                    and key in holder
                    and (key == "providerOptions" or holder.get("type") == "reasoning")
                )
            else:
                is_odd = not (isinstance(metadata, dict) and all(map(_is_object, metadata.values())))
            if is_odd:
                place = f"{pointer}/{key}"
                yield Misfit(place, tr("no objects keyed by provider name"), removed_member=place)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


_METADATA_DECODER = msgspec.json.Decoder(dict[str, SkippedObject])


def may_be_odd_metadata(raw: Raw) -> bool:
    """Return whether metadata may be a misfit, see `metadata_misfits`."""
    if not raw:
        return False
    try:
        _METADATA_DECODER.decode(raw)
    except DECODE_ERRORS:
        return True
    return False


def _made_by_anthropic(part: Any) -> dict[str, Any]:
    """Return what Anthropic wrote into the metadata of a part."""
    return next(filter(None, (object_at(part, f"/{key}/anthropic") for key in METADATA_KEYS)), {})


def is_signed(part: Any) -> bool:
    """Return whether reasoning was signed or redacted by Anthropic."""
    made_by = _made_by_anthropic(part)
    return any(isinstance(made_by.get(key), str) for key in ("signature", "redactedData"))


def is_empty_text(kind: str | None, text: bytes, has_options: bool) -> bool:
    """Return whether a part is left out: a text without length for which the provider has no options."""
    return kind == "text" and text == b'""' and not has_options


def thinking_flags(options: bytes) -> int:
    """Return the flags of reasoning with these options of its provider."""
    return 0 if b'"signature":""' in options.replace(b" ", b"") else BlockFlag.SIGNED


def anthropic_thinking_block(block: bytes) -> bytes:
    """Return reasoning as the block that Anthropic gets, b"" where it is not signed."""
    part = parse_json(block)
    made_by = _made_by_anthropic(part)
    if "redactedData" in made_by:
        return dump_json({"type": "redacted_thinking", "data": made_by["redactedData"]})
    signed = {"type": "thinking", "thinking": part.get("text"), "signature": made_by.get("signature")}
    return dump_json(signed) if is_signed(part) else b""


def compact_call(name: str, block: bytes, version: str) -> tuple[str, bytes]:
    """Return a call as it is sent, without the spaces of its input."""
    return name, dump_json(parse_json(block))


def wire_of(session: Session) -> str:
    return _WIRES.get(session.profile, "openai-chat")


def reason_not_to_send(session: Session, columns: Columns, raw: ReadRecord) -> str:
    """Return why nothing of a session is sent, "" if it can be read: JavaScript cannot parse it, or it is too old."""
    unreadable = (record for record in session.main_thread.path if columns.marks[record] & RecordMark.UNREADABLE)
    if any(not javascript_can_parse(raw(record)) for record in unreadable):
        return _INVALID_JSON_STOPS
    return _OLD_MESSAGES_STOP if _is_too_old(session) else ""


def _is_too_old(session: Session) -> bool:
    return session.state == _OLD_MESSAGES and major_version(session) > 4


def request_of(
    session: Session, columns: Columns, messages: Iterable[RequestMessage], only_at_end: Container[int]
) -> ResumeRequest:
    """Return the request with these messages.

    An answer to a call in `only_at_end` is sent only in the last message, and no answer beside a result of its call.
    """
    sent: list[RequestMessage] = []
    given, ids = list(messages), columns.call_ids
    for message in given:
        if message is not given[-1]:
            message.blocks = [block for block in message.blocks if not (block.answer and block.row in only_at_end)]
        if sent and message.role == Role.TOOL == sent[-1].role:
            sent[-1].blocks += message.blocks
        elif message.blocks or message.role != Role.TOOL:
            sent.append(message)
    for message in sent:
        if any(block.answer for block in message.blocks):
            results = {ids[block.row] for block in message.blocks if not block.answer}
            message.blocks = [block for block in message.blocks if not (block.answer and ids[block.row] in results)]
    wire = wire_of(session)
    if major_version(session) >= FIRST_WITH_CHECK and (missing := _calls_without_result(columns, sent)):
        told = "Tool results are missing for tool calls" if len(missing) > 1 else "Tool result is missing for tool call"
        return ResumeRequest(wire, [], stop_reason=f"AI_MissingToolResultsError: {told} {', '.join(missing)}.")
    merged = merge_same_role(sent) if wire in _WIRES_THAT_MERGE else sent
    return ResumeRequest(wire, merged, as_stored=False, sends_reasoning=True)


def _calls_without_result(columns: Columns, messages: Iterable[RequestMessage]) -> list[str]:
    """Return the calls that have no result where the next message of the user or the system, or the end, comes."""
    waiting: dict[str, None] = {}
    for message in messages:
        for block in message.blocks:
            call_id = str(columns.call_ids[block.row])
            if message.role == Role.TOOL:
                waiting.pop(call_id, None)
            elif message.role == Role.ASSISTANT and columns.block_kinds[block.row] == BlockKind.CALL:
                waiting[call_id] = None
        if waiting and message.role in (Role.USER, Role.SYSTEM):
            break
    return list(waiting)


class AiSdkProgram(Agent):
    """A program that keeps the messages of the SDK where it wants to."""

    supported_profiles = SUPPORTED_PROFILES

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Return what the program does with damage: it cannot parse what is not JSON."""
        agent = f"ai {session.version}".strip()
        if any(rule.startswith("F") for rule in rules - {"F5", "F7"}):
            return ResumeBehavior(agent, "refuses", (), LABEL, error=_INVALID_JSON_STOPS)
        if _is_too_old(session):
            return ResumeBehavior(agent, "refuses", (), LABEL, error=_OLD_MESSAGES_STOP)
        return ResumeBehavior(agent, "as-is", (), LABEL)

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        return self.resume_steps(path, "", False)
