"""The texts of agents in place of a result or a prompt: refusals to run a call, and content injected into messages.

CALL_REFUSAL_TEXTS is the table of refusals, by program. A text is recognized by its beginning alone, because most
continue with what the user said.

Sources, by program: Claude Code
cli.js 2.1.112 and the program 2.1.330; Codex codex-rs/core/src/tools (`parallel.rs` abort_message, `events.rs`);
Gemini CLI packages/core/src/core/coreToolScheduler.ts (its "cancelled" state); Qwen Code 0.24.4, its texts; kimi-cli
src/kimi_cli/tools/utils.py (ToolRejectedError); opencode packages/opencode/src/permission and session/processor.ts;
Cline and Roo Code src/core/prompts/responses.ts, and @cline/shared as of 3.0.65; goose
crates/goose/src/agents/tool_execution.rs; langchain's human_in_the_loop.py; pydantic-ai ToolDenied; openai-agents
src/agents/tool.py.
"""

import re

from inspector.core.lazy import lazy_regex
from inspector.core.providers.placeholders import (
    CANCELLED,
    DID_NOT_RUN,
    PLACEHOLDER_WORDINGS,
    STOPPED_BY_USER,
    placeholder_wording_name,
)

CALL_REFUSAL_TEXTS: dict[str, tuple[str, ...]] = {
    "claude-code": (
        "The user doesn't want to proceed with this tool use.",
        "The user doesn't want to take this action right now.",
        "[Request interrupted by user",
        "<tool_use_error>Cancelled: parallel tool call",
        "Cancelled: parallel tool call",
        "<tool_use_error>Error: Streaming fallback - tool execution discarded",
        "Interrupted by user",
        "[Tool call skipped: ",
        "[Tool call did not complete: ",
        "[Tool call not completed: ",
        "A safety monitor blocked this turn, so this tool call was cancelled.",
        "This tool call was refused and did not run: ",
    ),
    "codex": (
        "aborted by user after ",
        "exec command rejected by user",
        "patch rejected by user",
        "rejected by user",
        "aborted before dispatch",
    ),
    "gemini-cli": ("[Operation Cancelled] Reason:",),
    "kimi": ("The tool call is rejected by the user.", "<system>ERROR: The tool call is rejected by the user."),
    "opencode": ("The user rejected permission to use this specific tool call", "Tool execution aborted"),
    "cline": ("The user denied this operation", "This tool call was rejected by the user and not executed."),
    "qwen-code": (
        "User intentionally cancelled this tool call.",
        "Tool execution was cancelled.",
        "Tool execution cancelled by user",
    ),
    "goose": ("The user has declined to run this tool.",),
    "langchain": ("User rejected the tool call for `",),
    "pydantic-ai": ("The tool call was denied.",),
    "openai-agents": ("Tool execution was not approved.",),
}
_STARTS = tuple(text for texts in CALL_REFUSAL_TEXTS.values() for text in texts)
_HEADS = frozenset(text[:5].encode() for text in _STARTS) | {b"Wall ", b'{\\"st'}
# Claims of placeholders that evidence of the call can contradict.
STOPPED_CLAIMS = frozenset({CANCELLED, DID_NOT_RUN, STOPPED_BY_USER})
# Codex writes it after the time that a shell call took, Roo Code in a JSON object.
_TIMED = lazy_regex(r"Wall time: [0-9.]+ seconds\naborted by user")
_IN_JSON = lazy_regex(r'\{"status":\s*"denied"')
# Every text above contains one of these.
_REFUSAL_WORDS = (
    b" user",
    b"ancelled",
    b"aborted",
    b"denied",
    b"approved",
    b"User rejected",
    b"discarded",
    b"refused",
    b"Tool call ",
)


def may_be_call_refusal(raw: bytes) -> bool:
    """Return False only when the JSON text of a result cannot be a refusal. This is a quick check."""
    return raw[1:6] in _HEADS


def record_may_hold_call_refusal(raw: bytes) -> bool:
    """Return False only when no result in a record is a refusal. This is a quick check."""
    return any(map(raw.__contains__, _REFUSAL_WORDS))


def leading_refusal_length(text: str) -> int:
    """Return how many characters at the start of a text are a refusal to run the call, 0 for none."""
    blank = len(text) - len(text.lstrip())
    length = next((len(start) for start in _STARTS if text.startswith(start, blank)), 0)
    match = None if length else _TIMED.match(text, blank) or _IN_JSON.match(text, blank)
    return blank + length if length else match.end() if match else 0


def is_call_refusal(text: str) -> bool:
    """Return whether a result says that its call was rejected, cancelled or aborted."""
    return leading_refusal_length(text) > 0


def not_run_claim(text: str) -> str:
    """Return what a result says about its call not having run, in its own words cut short, "" for nothing.

    A placeholder counts when it says that the call was stopped or never started. "Interrupted" is not enough.
    """
    wording = PLACEHOLDER_WORDINGS.get(placeholder_wording_name(text))
    if not is_call_refusal(text) and not (wording is not None and wording.claims in STOPPED_CLAIMS):
        return ""
    words = " ".join(text.split())
    return words if len(words) <= 100 else f"{words[:99].rstrip()}…"


# Content that agents inject into a user message: reminders, the state of the machine, the output of commands.
#
# Sources: the logs of the agents themselves (Claude Code's `<system-reminder>` and the tags of its slash commands and
# `!` commands, Codex's `<environment_context>` and `<user_instructions>`, Cline's and Roo Code's
# `<environment_details>`, Gemini CLI's and Qwen Code's first message).

_TAGS = (
    "system-reminder", "environment_context", "environment_details", "user_instructions", "user-memory-input",
    "user_info", "project_context", "task-notification", "local-command-caveat", "local-command-stdout",
    "local-command-stderr", "command-name", "command-message", "command-args", "command-contents", "bash-stdout",
    "bash-stderr", "ide_opened_file", "ide_selection", "ide_diagnostics", "new-diagnostics", "session_context",
    "turn_aborted", "SYSTEM_NOTICE", "workspace_info", "open_tabs", "subagent_notification", "permissions instructions",
    "collaboration_mode", "skills_instructions", "apps_instructions",
)  # fmt: skip
_LONGEST_TAG = 400
_OPENED = lazy_regex(rf"<({'|'.join(map(re.escape, _TAGS))})(?: [^>\n]{{0,{_LONGEST_TAG}}})?>")
# The tags around what the user typed. Sources: the logs of Cline's two cores and of Roo Code.
_ENVELOPES = ("user_input", "task", "feedback", "user_message", "answer")
_ENVELOPE = lazy_regex(rf"\s*<({'|'.join(_ENVELOPES)})(?: [^>\n]{{0,{_LONGEST_TAG}}})?>(.*)</\1>\s*", re.DOTALL)
_INJECTED_STARTS = (
    "This is the Gemini CLI. We are setting up the context",
    "This is the Qwen Code. We are setting up the context",
    "# AGENTS.md instructions for ",
    "Caveat: The messages below were generated by the user while running local commands.",
    "This session is being continued from a previous conversation that ran out of context.",
    "[Request interrupted by user",
)


def strip_user_envelope(text: str) -> str:
    """Return what a user typed, without the tag that a program put around it."""
    match = _ENVELOPE.fullmatch(text)
    return match[2].strip() if match else text


def split_injected_text(text: str) -> list[tuple[bool, str]]:
    """Split a text into parts, each with whether a program injected it."""
    if text.lstrip().startswith(_INJECTED_STARTS):
        return [(True, text)]
    parts, position = [], 0
    # The end of an unclosed tag is searched for once, not from each of a thousand openings.
    unclosed: set[str] = set()
    for opened in _OPENED.finditer(text):
        if opened.start() < position or opened[1] in unclosed:
            continue
        closing = f"</{opened[1]}>"
        end = text.find(closing, opened.end())
        if end < 0:
            unclosed.add(opened[1])
            continue
        if own := text[position : opened.start()].strip():
            parts.append((False, own))
        position = end + len(closing)
        parts.append((True, text[opened.start() : position]))
    if own := text[position:].strip() if parts else text:
        parts.append((False, own))
    return parts if text.strip() else []
