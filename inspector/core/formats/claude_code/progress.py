"""What a call reports while it runs: a shell's output, a hook, a message of a subagent embedded whole."""

from typing import Any

from inspector.core.bytes.json_text import object_at, value_at
from inspector.core.index.views import RecordView
from inspector.core.wire import anthropic

_TOLD = ("output", "command", "query", "taskDescription", "prompt")


def progress_view(row: dict[str, Any], when: str) -> RecordView:
    """A `progress` record. The subagent's message in an `agent_progress` is shown block by block."""
    data = object_at(row, "/data")
    inner = value_at(data, "/message/message")
    if isinstance(inner, dict):
        role = f"subagent {inner.get('role') or ''}".strip()
        views = anthropic.views_of_content(inner.get("content"), "/data/message/message/content")
        return RecordView(role, "", views, when, str(inner.get("model") or ""))
    told = next((str(data[key]) for key in _TOLD if isinstance(data.get(key), str) and data[key].strip()), "")
    what = str(data.get("type") or "progress").replace("_", " ")
    return RecordView("progress", f"{what}: {told.strip().splitlines()[-1]}" if told else what, (), when)
