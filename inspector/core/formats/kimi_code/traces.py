"""What a log of Kimi Code shows of a call without a result.

Facts: MoonshotAI/kimi-code d723cc4, packages/agent-core/src/agent/records/types.ts: `permission.record_approval_result`
tells what the person decided about a call, by `toolCallId`. `config.update` names the folder.
"""

from typing import Any

from inspector.core.bytes.json_text import parse_json, text_at, value_at
from inspector.core.formats.bases.traces import Trace, TracedCall, Weight, newest_before
from inspector.core.index.columns import Columns, ReadRecord


def trace(row: Any, call: TracedCall, own: bool) -> Trace | None:
    """See `Tracer.trace`."""
    if own or not isinstance(row, dict) or row.get("type") != "permission.record_approval_result":
        return None
    if row.get("toolCallId") != call.id:
        return None
    decision = value_at(row, "/result/decision") or "not told"
    return Trace(Weight.MENTIONED, f"The person was asked to allow it; the answer: {decision}.")


def folders(columns: Columns, records: list[int], raw: ReadRecord) -> dict[int, str]:
    """The folder that the newest `config.update` before each record names."""
    return newest_before(records, lambda record: "" if columns.roles[record] else _folder(raw(record)))


def _folder(line: bytes) -> str:
    if b'"config.update"' not in line or b'"cwd"' not in line:
        return ""
    try:
        return text_at(parse_json(line), "/cwd")
    except ValueError:
        return ""
