"""Results that no tool gave: our own wording, and how to know another program's.

The texts are those of the programs' own sources (deepagents, Claude Code, Codex, Kimi, Roo, Cline …).
A result is a placeholder only when its whole text is one: "aborted: 3 tests failed" is a real result.
"""

import re

HONEST = (
    "[No result was recorded for this call to {name}. It may or may not have run; "
    "check the current state before repeating it.]"
)
DEEPAGENTS = "Tool call {name} with id {id} was cancelled - another message came in before it could be completed."
CLAUDE_CODE = "[Tool result missing due to internal error]"

KNOWN = (
    HONEST,
    DEEPAGENTS,
    CLAUDE_CODE,
    "Tool call {name} with id {id} could not be executed - arguments were malformed or truncated.",
    "[Tool call was interrupted and did not return a result.]",
    "Tool execution was interrupted before completion.",
    "Task was interrupted before this tool call could be completed.",
    "Context condensation triggered. Tool execution deferred.",
    "[migration] Tool result missing in legacy conversation history.",
    "Tool execution was interrupted before a result was produced.",
    "Tool result is not available in the current context. Do not assume the tool completed successfully.",
    "Tool execution was interrupted before its result was recorded. Do not assume the tool completed successfully.",
    "aborted",
    "The tool execution result was lost due to context management truncation.",
    "[Tool execution was interrupted]",
    "tool call was interrupted and did not produce a result, you may retry this call if the result is still needed",
    "No result provided",
    "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair.",
    "[Orphan recovery: this tool may have executed before Hermes stopped; its effect is UNKNOWN. "
    "Inspect current state before retrying.]",
    "[Result unavailable — see context summary above]",
    "[Tool result unavailable — call was interrupted or lost]",
    "[System: Tool execution skipped/interrupted by user. No result provided for tool '{name}'.]",
    "The tool call was interrupted before a result was produced.",
    "Tool call interrupted before completion. The conversation was paused.",
    "Tool was interrupted.",
    "Error: Missing tool result (tool execution may have been interrupted before a response was recorded).",
    "Tool canceled by user",
    "Error: this tool call was not executed, or its result was lost from the conversation history. "
    "Do not assume it succeeded.",
    "This tool call did not complete: the conversation was interrupted before a result was recorded. "
    "No side effects should be assumed either way. Ask again if the result is still needed.",
    "Tool result unavailable: the call was made but its result was lost from the conversation history.",
    "[Request interrupted by user]",
)

LONGEST = 400
_EXACT = frozenset(text for text in KNOWN if "{" not in text)
_PATTERN = re.compile(
    "|".join(
        re.escape(text).replace(r"\{name\}", r"[^\n]{1,128}").replace(r"\{id\}", r"[^\s]{1,128}")
        for text in KNOWN
        if "{" in text
    )
)


_STARTS = frozenset(text[:5].encode() for text in KNOWN)


def may_be_placeholder(raw: bytes) -> bool:
    """A quick look at a result's JSON text: False only when it cannot be a placeholder."""
    return raw[1:6] in _STARTS or raw[:1] != b'"' or raw[1:2] in (b" ", b"\\")


def is_placeholder(text: str) -> bool:
    """Whether the whole of `text` is some program's stand-in for a result that was not recorded."""
    text = text.strip()
    return text in _EXACT or (len(text) <= LONGEST and _PATTERN.fullmatch(text) is not None)


def worded(template: str, name: str, call_id: str) -> str:
    """A template with its tokens `{name}` and `{id}` filled in."""
    return template.replace("{name}", name or "an unnamed tool").replace("{id}", call_id)
