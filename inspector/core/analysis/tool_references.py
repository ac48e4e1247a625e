"""References to tools in results, of which the provider says that it does not offer the tool."""

import re

from inspector.core.analysis.thread_context import ThreadContext, cached_on_thread
from inspector.core.lazy import lazy_regex
from inspector.core.model.columnar_index import RecordMark
from inspector.core.model.views import BlockKind
from inspector.core.providers.anthropic.schema import referenced_tool
from inspector.core.storage.json_text import list_at, parse_json, value_at

_REFUSED = lazy_regex(r"Tool reference \W*?([\w.:/-]+)\W* not found in available tools")
# Texts of servers that take no references (vLLM's templates, gateways, Bedrock without the beta: claude-code#25212).
_UNSUPPORTED = lazy_regex(
    r"Tool reference not found in available tools|Input tag \W*tool_reference\W* found using|"
    r"tool_reference.{0,60}(?:not supported|unsupported)|(?:unsupported|unknown|unexpected)\b.{0,40}tool_reference|"
    r"Unexpected item type in content",
    re.IGNORECASE,
)
_REFERENCE = b'"tool_reference"'
# What a repair writes in the place of a reference.
REPLACED_REFERENCE = "[Reference to the tool {name} removed: the tool is no longer available.]"


def refused_tool(context: ThreadContext) -> str:
    """Return the tool that the provider missed according to its error, "" where that has another cause."""
    match = _REFUSED.search(context.refusal)
    return match[1] if match else ""


def refuses_every_reference(context: ThreadContext) -> bool:
    """Return whether the provider takes no references at all: by its error, or the chat template by its profile."""
    return "X3 unsupported" in context.profile.refusals or bool(_UNSUPPORTED.search(context.refusal))


@cached_on_thread
def refused_references(context: ThreadContext) -> dict[tuple[int, int], list[str]]:
    """Return the references that are refused, as pointers in the block of a result, by (record, ordinal)."""
    columns, name, every = context.columns, refused_tool(context), refuses_every_reference(context)
    found: dict[tuple[int, int], list[str]] = {}
    for record in context.thread.path if name or every else ():
        raw = context.raw(record)
        if _REFERENCE not in raw or columns.marks[record] & RecordMark.UNREADABLE:
            continue
        value = parse_json(raw)
        for ordinal, row in enumerate(columns.block_rows(record)):
            if columns.block_kinds[row] != BlockKind.RESULT:
                continue
            block = value_at(value, context.format.pointer(columns, record, ordinal))
            parts = enumerate(list_at(block, "/content"))
            tools = [(f"/content/{number}", referenced_tool(part)) for number, part in parts]
            if pointers := [pointer for pointer, tool in tools if (tool if every else tool == name) and tool]:
                found[record, ordinal] = pointers
    return found


def were_tool_references_removed(context: ThreadContext) -> bool:
    """Return whether a repair has replaced the references that the error at the end of the log is about."""
    name = refused_tool(context)
    text = REPLACED_REFERENCE.format(name=name).encode() if name else REPLACED_REFERENCE.partition("{")[0].encode()
    if not (name or refuses_every_reference(context)) or refused_references(context):
        return False
    return any(text in context.raw(record) for record in context.thread.path)
