"""What the programs built on pi share of their requests: the API, the words for summaries and commands, and losses.

Facts: pi-ai 0.73.1 and 0.87.1, `transformMessages` and `convertMessages` of each API: blank texts and empty messages
are left out, and an input that is no object is passed on.
"""

from itertools import islice
from typing import Any, TypeAlias

from inspector.core.formats.base.agent_behavior import BROKEN_CHAIN_LOSSES, INVALID_JSON_LOSSES
from inspector.core.formats.base.request import RequestBlock, RequestMessage
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import result_text
from inspector.core.providers.registry import profile_name_of
from inspector.core.storage.json_text import HALF_PAIR, LONE_SURROGATE, parse_json, text_at, value_at
from inspector.core.translation import tr

# The profile for each API that pi records with an answer. Its rules judge the session, and it gives the wire format.
PROFILE_OF_API = {
    "anthropic-messages": "anthropic",
    "openai-completions": "openai-chat",
    "openai-responses": "openai-responses",
    "openai-codex-responses": "openai-responses",
    "azure-openai-responses": "openai-responses",
    "google-generative-ai": "gemini",
    "google-gemini-cli": "gemini",
    "google-vertex": "gemini",
    "bedrock-converse-stream": "bedrock-converse",
    "mistral-conversations": "mistral",
}
# What a program writes before and after the summary of a compaction or a branch.
SummaryWrappers: TypeAlias = dict[str, tuple[str, str]]
_NEWEST = 5  # number of answers searched: an answer that a repair invents names no model
_WIRES = {"mistral": "openai-chat"}
# What is lost with damage in a file, by rule.
DAMAGE_LOSSES = {
    **BROKEN_CHAIN_LOSSES,
    "G4": tr("the earlier of two entries with the same id"),
    **INVALID_JSON_LOSSES,
    "F2": tr("everything on the same line as the incomplete entry"),
    "F4": tr("the entry that is split across several lines"),
}


def profile_and_wire_format(columns: Columns, path: list[int], raw: ReadRecord) -> tuple[str, str]:
    """Return profile and wire of the newest answer that names them, "" if none of the last few does."""
    answers = (record for record in reversed(path) if columns.roles[record] == Role.ASSISTANT)
    for record in islice(answers, _NEWEST):
        message = parse_json(raw(record))["message"]
        provider, model = (str(message.get(key) or "") for key in ("provider", "model"))
        known = PROFILE_OF_API.get(str(message.get("api") or ""), "")
        # A service that passes requests on to Claude also passes its refusals back.
        profile = (
            profile_name_of("openai", model) if known == "openai-chat" else known or profile_name_of(provider, model)
        )
        if profile:
            return profile, _WIRES.get(known or profile, known or profile)
    return "", ""


def has_unreadable_message(columns: Columns, path: list[int], raw: ReadRecord) -> bool:
    """Return whether a record of another shape stops the program before it sends anything."""
    odd = (raw(record) for record in path if columns.marks[record] & RecordMark.MAYBE_MALFORMED)
    return columns.has_mark(RecordMark.MAYBE_MALFORMED) and any(map(_stops, odd))


def _stops(record: bytes) -> bool:
    value = parse_json(record)
    message = value.get("message") if isinstance(value, dict) else None
    if not isinstance(message, dict):
        return message is None and value_at(value, "/type") == "message"
    return not isinstance(message.get("content"), str | list | None)


def add_message(sent: list[RequestMessage], role: int, blocks: list[RequestBlock]) -> None:
    """Add a message unless it is empty; adjacent results become one message."""
    if blocks and role == Role.TOOL and sent and sent[-1].role == Role.TOOL:
        sent[-1].blocks += blocks
    elif blocks:
        sent.append(RequestMessage(role, blocks, separator="" if role == Role.ASSISTANT else "\n"))


def is_sent(columns: Columns, row: int, wire: str) -> bool:
    """Return whether a block counts as sent. Reasoning is modelled for Chat only, where it is not in the content."""
    kind = columns.block_kinds[row]
    if kind == BlockKind.THINKING:
        return wire == "openai-chat"
    return kind != BlockKind.TEXT or not columns.block_flags[row] & BlockFlag.BLANK


def sent_block_text(role: int, kind: BlockKind, block: bytes, wrappers: SummaryWrappers | None = None) -> str | None:
    """Return the text of a block as it is sent, None where it goes out unchanged.

    `wrappers` are the words of the program around a summary, None for pi's own.

    Halves of surrogate pairs are left out of texts and results (`sanitizeSurrogates`), but not of inputs.
    """
    text = sent_summary_or_command(block, wrappers) if role == Role.USER and kind == BlockKind.TEXT else None
    if kind not in (BlockKind.TEXT, BlockKind.RESULT) or not LONE_SURROGATE.search(block):
        return text
    return HALF_PAIR.sub("", _plain_text(parse_json(block)) if text is None else text)


def _plain_text(value: Any) -> str:
    """Return the text of a block, or of the record of a result."""
    return (
        value if isinstance(value, str) else text_at(value, "/text") or result_text(value_at(value, "/message/content"))
    )


def sent_summary_or_command(block: bytes, wrappers: SummaryWrappers | None = None) -> str | None:
    """Return a summary or a command that the user ran as it is worded for the model, None for another block."""
    wrappers = wrappers or _SUMMARY_WRAPPERS
    value = parse_json(block)
    if not isinstance(value, dict):
        return None
    kind = {"compactionSummary": "compaction", "branchSummary": "branch_summary"}.get(
        str(value.get("role")), str(value.get("type"))
    )
    if kind in wrappers:
        before, after = wrappers[kind]
        return f"{before}\n\n<summary>\n{value.get('summary') or ''}{after}"
    return _command_text(value) if value.get("role") == "bashExecution" else None


_SUMMARY_WRAPPERS: SummaryWrappers = {
    "compaction": (
        "The conversation history before this point was compacted into the following summary:",
        "\n</summary>",
    ),
    "branch_summary": ("The following is a summary of a branch that this conversation came back from:", "</summary>"),
}


def _command_text(message: dict[str, Any]) -> str:
    output, code, whole = message.get("output"), message.get("exitCode"), message.get("fullOutputPath")
    text = f"Ran `{message.get('command')}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    if message.get("cancelled"):
        text += "\n\n(command cancelled)"
    elif code:
        text += f"\n\nCommand exited with code {code}"
    return text + (f"\n\n[Output truncated. Full output: {whole}]" if message.get("truncated") and whole else "")
