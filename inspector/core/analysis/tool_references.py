"""References to tools in results, of which the provider says that it does not offer the tool."""

from inspector.core.analysis.thread_context import ThreadContext, cached_on_thread
from inspector.core.lazy import lazy_regex
from inspector.core.model.columns import RecordMark
from inspector.core.model.views import BlockKind
from inspector.core.providers.anthropic.schema import referenced_tool
from inspector.core.storage.json_text import list_at, parse_json, value_at

_REFUSED = lazy_regex(r"Tool reference \W*?([\w.:/-]+)\W* not found in available tools")
_REFERENCE = b'"tool_reference"'
# What a repair writes in the place of a reference.
REPLACED_REFERENCE = "[Reference to the tool {name} removed: the tool is no longer available.]"


def refused_tool(context: ThreadContext) -> str:
    """Return the tool that the provider missed in the error at the end of the log, "" where it has another cause."""
    match = _REFUSED.search(context.last_error[1])
    return match[1] if match else ""


@cached_on_thread
def refused_references(context: ThreadContext) -> dict[tuple[int, int], list[str]]:
    """Return the references to that tool, as pointers in the block of a result, by (record, ordinal)."""
    columns, name = context.columns, refused_tool(context)
    found: dict[tuple[int, int], list[str]] = {}
    for record in context.thread.path if name else ():
        raw = context.raw(record)
        if _REFERENCE not in raw or columns.marks[record] & RecordMark.UNREADABLE:
            continue
        value = parse_json(raw)
        for ordinal, row in enumerate(columns.block_rows(record)):
            if columns.block_kinds[row] != BlockKind.RESULT:
                continue
            block = value_at(value, context.format.pointer(columns, record, ordinal))
            parts = enumerate(list_at(block, "/content"))
            if pointers := [f"/content/{number}" for number, part in parts if referenced_tool(part) == name]:
                found[record, ordinal] = pointers
    return found


def is_reference_replaced(context: ThreadContext) -> bool:
    """Return whether a repair has replaced the reference that the error at the end of the log names."""
    name = refused_tool(context)
    text = REPLACED_REFERENCE.format(name=name).encode()
    return bool(name) and not refused_references(context) and any(text in context.raw(r) for r in context.thread.path)
