"""Calls that Claude Code sends under another name, or with another input, than its log has.

Facts: 2.1.112 (`K0` renames a call by the old names that its tools list, `wbK` drops members of its input) and
2.1.330 (`NUn`). Both were run on a log with a call to each tool. 2.1.63 renamed Task to Agent
(anthropics/claude-code#29677). Versions between 2.1.112 and 2.1.330 are taken for the older one.
"""

from inspector.core.formats.claude_code.reader import is_newer_generation
from inspector.core.storage.json_edits import remove_member, set_member
from inspector.core.storage.json_text import dump_json, object_at, parse_json
from inspector.core.text import version_numbers

_RENAMES_SINCE = (2, 1, 63)
_NEW_NAMES = {
    "Task": "Agent",
    "KillShell": "TaskStop",
    "BashOutputTool": "TaskOutput",
    "AgentOutputTool": "TaskOutput",
}
_NEW_NAMES_SINCE_NEWER = {"Task": "Agent", "ListPeers": "ListAgents", "RunWorkflow": "Workflow"}
_PLAN_MEMBERS = ("plan", "planFilePath")
_EDIT_MEMBERS = ("old_string", "new_string", "replace_all")


def sent_call(name: str, block: bytes, version: str) -> tuple[str, bytes]:
    """Return the name and the JSON under which a version sends a call."""
    if version_numbers(version) < _RENAMES_SINCE:
        return name, block
    newer = is_newer_generation(version)
    new_name = (_NEW_NAMES_SINCE_NEWER if newer else _NEW_NAMES).get(name)
    if new_name is not None:
        return new_name, set_member(block, "", "name", dump_json(new_name))
    for member in _unsent_members(name, block, newer):
        block = remove_member(block, "/input", member)
    return name, block


def _unsent_members(name: str, block: bytes, newer: bool) -> tuple[str, ...]:
    """Return the members of an input that are not sent: those that the program adds for its display."""
    if name == "ExitPlanMode" and not newer and object_at(parse_json(block), "/input").keys() & _PLAN_MEMBERS:
        return _PLAN_MEMBERS
    if name == "Edit" and "edits" in object_at(parse_json(block), "/input"):
        return _EDIT_MEMBERS
    return ()
