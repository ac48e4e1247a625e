"""The writer of new lines of Qwen Code, and of contents without an envelope for the history in a compression.

Facts: @qwen-code/qwen-code 0.24.4, `services/chatRecordingService.ts` (`createBaseRecord`, `recordToolResult`,
`createNotificationRecord`): the order of the keys, and a provenance that tells the person's words from the program's.
"""

from typing import Any

from inspector.core.formats.base.writer import deterministic_uuid
from inspector.core.model.columnar_index import Role
from inspector.core.providers.gemini import schema
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, parse_json, parse_json_cached
from inspector.core.translation import tr

_PROVENANCE = {"user": "system", "assistant": "assistant_output", "tool_result": "tool_result"}
_TYPE_OF_ROLE = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.TOOL: "tool_result"}
_LEADING_MEMBERS, _TRAILING_MEMBERS = ("sessionId", "timestamp"), ("cwd", "version", "gitBranch")


def new_record(like: bytes, role: Role, content: bytes, seed: str) -> bytes:
    """Return a new record; see `BlockListFormat.new_record`."""
    speaker = "model" if role == Role.ASSISTANT else "user"
    return _record(parse_json_cached(like), _TYPE_OF_ROLE[role], speaker, content, seed)


def convert_to_form_of(raw: bytes, beside: bytes) -> bytes:
    """Add or remove the envelope: lines have one, the contents of a compression have none."""
    own, other = parse_json(raw), parse_json_cached(beside)
    if ("uuid" in own) == ("uuid" in other):
        return raw
    if "uuid" in own:
        return dump_json(own["message"])
    responds = any(isinstance(part, dict) and "functionResponse" in part for part in own["parts"])
    kind = "assistant" if own.get("role") == "model" else "tool_result" if responds else "user"
    return _record(other, kind, own.get("role"), dump_json(own["parts"]), tr("in addition to the line {own}", own=own))


def retype_quoted_result_as_user(raw: bytes) -> bytes:
    """Turn a result that is quoted into a text of the user, which the program wrote."""
    row = parse_json(raw)
    if row.get("type") != "tool_result":
        return raw
    raw = json_edits.remove_member(raw, "", "toolCallResult")
    for key, value in (("type", "user"), ("provenance", _PROVENANCE["user"])):
        raw = json_edits.set_member(raw, "", key, dump_json(value)) if key in row else raw
    return raw


def update_call_id_in_result_copy(raw: bytes) -> bytes:
    """Update the call id in a line's `toolCallResult` to that of the result in its message."""
    row = parse_json(raw)
    told, message = row.get("toolCallResult"), row.get("message")
    if not isinstance(told, dict) or "callId" not in told or not isinstance(message, dict):
        return raw
    new = next((schema.part_member(part, "functionResponse") or {} for part in message["parts"]), {}).get("id")
    return raw if new is None else json_edits.set_member(raw, "/toolCallResult", "callId", dump_json(new))


def _record(like: dict[str, Any], kind: str, role: Any, parts: bytes, seed: str) -> bytes:
    """Return a record of the session, folder and version of `like`, at its time, or a bare content if `like` is one."""
    content = dump_json({"role": role})[:-1] + b',"parts":' + parts + b"}"
    if "uuid" not in like:
        return content
    before, behind = ({key: like[key] for key in keys if key in like} for keys in (_LEADING_MEMBERS, _TRAILING_MEMBERS))
    head = {
        "uuid": deterministic_uuid(seed),
        "parentUuid": None,
        **before,
        "type": kind,
        "provenance": _PROVENANCE[kind],
    }
    tail = dump_json(_result_copy(parse_json(parts)[0]))[:-1].replace(b"{", b",", 1) if kind == "tool_result" else b""
    return dump_json({**head, **behind})[:-1] + b',"message":' + content + tail + b"}"


def _result_copy(part: dict[str, Any]) -> dict[str, Any]:
    """Return the data that a line has about its result outside of the message."""
    response = schema.part_member(part, "functionResponse") or {}
    said = response.get("response")
    status = "error" if isinstance(said, dict) and "error" in said else "success"
    return {"toolCallResult": {"callId": response.get("id"), "status": status}}
