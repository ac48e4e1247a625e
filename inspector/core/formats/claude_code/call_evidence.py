"""The evidence in a session of Claude Code for a call without a result.

Facts: cli.js 2.1.112: `progress` lines name their call by `toolUseID` or `parentToolUseID` (data.type bash_progress,
agent_progress, mcp_progress, query_update, hook_progress with its hookEvent); a `file-history-snapshot` with
`isSnapshotUpdate` is written by `fileHistoryTrackEdit` when an edit is about to be carried out, its `messageId` is the
uuid of the line that holds the call; a `<task-notification>` names the call of a background task by `<tool-use-id>`;
`sourceToolUseID` marks what a tool said itself; attachments of hooks hold `toolUseID` and `hookEvent`.
"""

from typing import Any

from inspector.core.formats.base.call_evidence import EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.lazy import lazy_regex
from inspector.core.providers.message_fields import result_text
from inspector.core.storage.json_text import object_at, text_at
from inspector.core.translation import tr

CALL_RECORD_ID_MEMBER = "messageId"
_PROGRESS = {
    **dict.fromkeys(
        ("bash_progress", "powershell_progress"), tr("The shell reported progress while the command was running.")
    ),
    "agent_progress": tr("The subagent started by the call reported progress."),
    "skill_progress": tr("The skill started by this call reported progress."),
    "query_update": tr("The call sent a search query."),
    "search_results_received": tr("The call received search results."),
    "waiting_for_task": tr("The call waited for a background task."),
}
_MCP = {
    "completed": (EvidenceStrength.RAN, tr("The MCP server completed the call.")),
    "failed": (EvidenceStrength.RAN, tr("The call failed on the MCP server.")),
}
_HOOKS = {
    "PreToolUse": (EvidenceStrength.MENTIONED, tr("A hook ran before the call (PreToolUse).")),
    "PermissionRequest": (
        EvidenceStrength.MENTIONED,
        tr("A hook ran when permission for the call was requested (PermissionRequest)."),
    ),
    "PostToolUse": (EvidenceStrength.RAN, tr("A hook ran after the call (PostToolUse).")),
    "PostToolUseFailure": (EvidenceStrength.RAN, tr("A hook ran after the call failed (PostToolUseFailure).")),
}
_NOTE = lazy_regex(r"<tool-use-id>([^<]*)</tool-use-id>")
_STATUS = lazy_regex(r"<status>([^<]*)</status>")


def evidence_in_record(row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
    """Return the evidence in a record; see `CallEvidenceSource.evidence_in`."""
    if own or not isinstance(row, dict):
        return None
    kind = row.get("type")
    if kind == "progress" and call.id in (row.get("toolUseID"), row.get("parentToolUseID")):
        return _progress(row.get("data"))
    if kind == "file-history-snapshot":
        return _snapshot(row, call)
    if kind == "attachment":
        given = object_at(row, "/attachment")
        return _hook(given.get("hookEvent")) if given.get("toolUseID") == call.id else None
    if row.get("sourceToolUseID") == call.id:
        return EvidenceItem(EvidenceStrength.RAN, tr("The call added a message of its own to the log."))
    return _notification(row, call)


def _progress(data: Any) -> EvidenceItem | None:
    kind = text_at(data, "/type")
    if not kind:
        return None
    if kind == "hook_progress":
        return _hook(data.get("hookEvent"))
    if kind == "mcp_progress":
        return EvidenceItem(
            *_MCP.get(str(data.get("status")), (EvidenceStrength.STARTED, tr("The MCP server started the call.")))
        )
    return EvidenceItem(EvidenceStrength.STARTED, _PROGRESS.get(kind, f"It reported progress ({kind})."))


def _hook(event: Any) -> EvidenceItem | None:
    known = _HOOKS.get(event) if isinstance(event, str) else None
    return EvidenceItem(*known) if known is not None else None


def _snapshot(row: dict[str, Any], call: EvidenceQuery) -> EvidenceItem | None:
    """Return the evidence in a backup taken for this call's edit. Those taken when the person speaks name no call."""
    if row.get("isSnapshotUpdate") is not True or row.get("messageId") != call.uuid:
        return None
    return EvidenceItem(
        EvidenceStrength.STARTED, tr("The agent backed up the file, which it does right before an edit.")
    )


def _notification(row: dict[str, Any], call: EvidenceQuery) -> EvidenceItem | None:
    """Return the evidence in a note about the background task of this call."""
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else row.get("content")
    text = result_text(content) if isinstance(content, str | list) else ""
    if call.id not in _NOTE.findall(text):
        return None
    status = _STATUS.search(text)
    return EvidenceItem(
        EvidenceStrength.RAN,
        tr(
            "A note contains the status of the background task: {status}.",
            status=status[1] if status else tr("no status"),
        ),
    )
