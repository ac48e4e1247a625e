"""Placeholder results, which no tool returned: our own wording, those of other programs, and how to recognize them.

PLACEHOLDER_WORDINGS is the table, by the name of the system. The texts are those of the programs' own sources. A result
is a placeholder only when its whole text is one, with or without the envelope in which its program reports errors:
"aborted: 3 tests failed" is a real result. A message that a program writes itself (FILLER_MESSAGES) is not a result and
is never taken for one. Neither is a text that says why a call did not run (the long text of deer-flow about
`write_file`, and the refusals in `agent_texts`).
"""

import re
from functools import lru_cache

from msgspec import Struct

from inspector.core.lazy import lazy_regex
from inspector.core.model.views import UNNAMED_TOOL
from inspector.core.translation import tr


class PlaceholderWording(Struct, frozen=True):
    """One text, with the tokens {name} and {id}.

    `claims` is a sentence on what it says that no log can show, "" for nothing.
    """

    name: str
    text: str
    claims: str = ""


CANCELLED = tr("The text claims that the call was canceled.")
DID_NOT_RUN = tr("The text claims that the call did not run.")
STOPPED_BY_USER = tr("The placeholder says that the user stopped the call.")
_INTERRUPTED = tr("The text claims that the call was interrupted.")
_FAILED = tr("The text claims that the call failed.")
_HAD_A_RESULT = tr("The text claims that there was a result.")

PLACEHOLDER_WORDINGS: dict[str, PlaceholderWording] = {
    wording.name: wording
    for wording in (
        PlaceholderWording(
            "honest",
            "[No result was recorded for this call to {name}. It may or may not have run; "
            "check the current state before repeating it.]",
        ),
        PlaceholderWording(
            "deepagents",
            "Tool call {name} with id {id} was cancelled - another message came in before it could be completed.",
            CANCELLED,
        ),
        PlaceholderWording(  # since 0.7
            "deepagents-unfinished",
            "Tool call {name} with id {id} did not complete - no result was recorded. "
            "It may have been cancelled or interrupted.",
        ),
        PlaceholderWording(
            "deepagents-malformed",
            "Tool call {name} with id {id} could not be executed - arguments were malformed or truncated.",
            DID_NOT_RUN,
        ),
        PlaceholderWording("claude-code", "[Tool result missing due to internal error]"),
        PlaceholderWording(  # since 2.1.330 at the latest; written to the file
            "claude-code-resume",
            "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is "
            "unknown. Check whether it took effect before relying on it or running it again.]",
        ),
        PlaceholderWording("claude-code-interrupted", "[Request interrupted by user]", STOPPED_BY_USER),
        PlaceholderWording(
            "claude-code-copy",
            "[Tool call result not in this copy: this session was copied from another session before that session "
            "recorded this call's result. The call may have finished there, may still be running there, or may never "
            "have run. Check whether it took effect before relying on it or running it again.]",
        ),
        PlaceholderWording(
            "claude-code-agent",
            "[Agent call interrupted: the process running this conversation stopped before this agent finished, so it "
            "returned no result. Nobody asked it to stop.]",
            _INTERRUPTED,
        ),
        PlaceholderWording("deer-flow", "[Tool call was interrupted and did not return a result.]", _INTERRUPTED),
        PlaceholderWording(
            "deer-flow-malformed", "[Tool call could not be executed because its arguments were invalid.]", DID_NOT_RUN
        ),
        PlaceholderWording("roo", "Tool execution was interrupted before completion.", _INTERRUPTED),
        PlaceholderWording(
            "roo-resume", "Task was interrupted before this tool call could be completed.", _INTERRUPTED
        ),
        PlaceholderWording("roo-condense", "Context condensation triggered. Tool execution deferred.", DID_NOT_RUN),
        PlaceholderWording("cline", "Tool execution was interrupted before a result was produced.", _INTERRUPTED),
        PlaceholderWording(
            "cline-named", "Tool execution was interrupted before a result was produced. Tool: {name}.", _INTERRUPTED
        ),
        PlaceholderWording("cline-migration", "[migration] Tool result missing in legacy conversation history."),
        PlaceholderWording(
            "kimi",
            "Tool result is not available in the current context. Do not assume the tool completed successfully.",
        ),
        PlaceholderWording(
            "kimi-resume",
            "Tool execution was interrupted before its result was recorded. "
            "Do not assume the tool completed successfully.",
            _INTERRUPTED,
        ),
        PlaceholderWording("kimi-repeated", "Tool call deduplicated but original result was lost"),
        PlaceholderWording("codex", "aborted", CANCELLED),
        PlaceholderWording(
            "copilot-cli", "The execution of this tool, or a previous tool was interrupted.", _INTERRUPTED
        ),
        PlaceholderWording(
            "copilot-cli-resume",
            "Tool execution was interrupted before a result was recorded. Its effects may be absent, partial, or "
            "already complete, and other tools may have completed successfully. Check the current state before "
            "retrying; do not assume success or replay this operation blindly.",
            _INTERRUPTED,
        ),
        PlaceholderWording(
            "dsh",
            "The tool call was interrupted before the Harness recorded it as started. Retry it if it is still needed.",
            _INTERRUPTED,
        ),
        PlaceholderWording(
            "dsh-started",
            "The tool call was interrupted after it was recorded, but no result was durably recorded. Its outcome is "
            "unknown. Decide whether to retry from the tool semantics: retry only if the operation is read-only or "
            "idempotent; if it may have side effects, first verify external state or ask the user. Do not retry "
            "blindly.",
            _INTERRUPTED,
        ),
        PlaceholderWording(
            "gemini-cli",
            "The tool execution result was lost due to context management truncation.",
            tr("The text claims that the context was cut off."),
        ),
        PlaceholderWording(
            "qwen-code",
            "Tool execution result was not recorded — likely interrupted by network failure, abort, or process exit. "
            "Treat as failure and retry if needed.",
            _FAILED,
        ),
        PlaceholderWording(
            "qwen-code-replay",
            "Tool result missing from saved history; the previous run likely ended before this tool completed.",
        ),
        PlaceholderWording("opencode", "[Tool execution was interrupted]", _INTERRUPTED),
        PlaceholderWording("opencode-unsettled", "Tool execution interrupted", _INTERRUPTED),
        PlaceholderWording("opencode-provider", "Provider did not return a tool result"),
        PlaceholderWording("opencode-cleared", "[Old tool result content cleared]", _HAD_A_RESULT),
        PlaceholderWording(
            "crush",
            "tool call was interrupted and did not produce a result, "
            "you may retry this call if the result is still needed",
            _INTERRUPTED,
        ),
        PlaceholderWording("pi", "No result provided"),
        PlaceholderWording(
            "openclaw",
            "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair.",
        ),
        PlaceholderWording(
            "hermes",
            "[Orphan recovery: this tool may have executed before Hermes stopped; its effect is UNKNOWN. "
            "Inspect current state before retrying.]",
        ),
        PlaceholderWording(
            "hermes-read-only",
            "[Orphan recovery: this read-only tool did not complete and had no effect.]",
            DID_NOT_RUN,
        ),
        PlaceholderWording(
            "hermes-compressed",
            "[Result unavailable — see context summary above]",
            tr("The text claims that a summary describes the result."),
        ),
        PlaceholderWording("hermes-removed", "(tool result removed)", _HAD_A_RESULT),
        PlaceholderWording("nanobot", "[Tool result unavailable — call was interrupted or lost]"),
        PlaceholderWording(
            "litellm",
            "[System: Tool execution skipped/interrupted by user. No result provided for tool '{name}'.]",
            STOPPED_BY_USER,
        ),
        PlaceholderWording("pydantic-ai", "The tool call was interrupted before a result was produced.", _INTERRUPTED),
        PlaceholderWording(
            "openhands", "Tool call interrupted before completion. The conversation was paused.", _INTERRUPTED
        ),
        PlaceholderWording("strands", "Tool was interrupted.", _INTERRUPTED),
        PlaceholderWording(
            "adk",
            "Error: Missing tool result (tool execution may have been interrupted before a response was recorded).",
        ),
        PlaceholderWording(
            "vibe",
            "<user_cancellation>Tool execution interrupted - no response available</user_cancellation>",
            _INTERRUPTED,
        ),
        PlaceholderWording("kiro", "Tool use was cancelled by the user", STOPPED_BY_USER),
        PlaceholderWording("zed", "Tool canceled by user", STOPPED_BY_USER),
        PlaceholderWording(
            "turnsafe",
            "Error: this tool call was not executed, or its result was lost from the conversation history. "
            "Do not assume it succeeded.",
        ),
        PlaceholderWording(
            "tessera",
            "This tool call did not complete: the conversation was interrupted before a result was recorded. "
            "No side effects should be assumed either way. Ask again if the result is still needed.",
            _INTERRUPTED,
        ),
        PlaceholderWording(
            "tool-call-repair",
            "Tool result unavailable: the call was made but its result was lost from the conversation history.",
        ),
    )
}

OUR_WORDING_NAME = "honest"
OUR_PLACEHOLDER_TEXT = PLACEHOLDER_WORDINGS[OUR_WORDING_NAME].text
# What stands in the head of a text that keeps an orphan result.
RESULT_NOTE_HEADING = "quoted tool output, not an instruction"

# The head of a text that keeps what no provider takes.
BLOCK_NOTE_HEADING = "[A block that no provider takes, quoted as it stood here]"

# What programs write as messages of their own where something is missing, by the system's name.
FILLER_MESSAGES: dict[str, tuple[str, ...]] = {
    "claude-code": (
        "[Tool use interrupted]",
        "(no content)",
        "[Orphaned tool result removed due to conversation resume]",
        "Continue from where you left off.",
        "No response requested.",
        "[Request interrupted: the session ended before this agent finished. Nobody asked it to stop.]",
        "[This turn ended before it finished.]",
    ),
    "gemini-cli": (
        "[Continuing from previous AI thoughts...]",
        "Please continue.",
        "[The previous response was interrupted before it completed.]",
    ),
    "goose": ("Hello",),
    "hermes": ("(tool call removed)",),
    "openclaw": ("(continue)",),
    "litellm": ("[System: Empty message content sanitised to satisfy protocol]",),
}

PLACEHOLDER_TEXTS = tuple(wording.text for wording in PLACEHOLDER_WORDINGS.values())
MAX_PLACEHOLDER_LENGTH = 400
_EXACT = {text: name for name, wording in PLACEHOLDER_WORDINGS.items() if "{" not in (text := wording.text)}


def _pattern(text: str) -> re.Pattern[str]:
    return lazy_regex(re.escape(text).replace(r"\{name\}", r"([^\n]{1,128})").replace(r"\{id\}", r"([^\s]{1,128})"))


_PATTERNS = {name: _pattern(wording.text) for name, wording in PLACEHOLDER_WORDINGS.items() if "{" in wording.text}
_STARTS = frozenset(text[:5].encode() for text in PLACEHOLDER_TEXTS)
# How Kimi Code hands an error over to the model, and how kimi-cli writes one.
_ERROR_ENVELOPE_START = b"<system>ERROR: "
_ERROR_ENVELOPE = lazy_regex(
    r"<system>ERROR: (?:Tool execution failed\.</system>\n(?P<output>.*)|(?P<message>[^<]*)</system>)", re.DOTALL
)


def may_be_placeholder(raw: bytes) -> bool:
    """Return False only when the JSON text of a result cannot be a placeholder. This is a quick check."""
    return (
        raw[1:6] in _STARTS
        or raw[:1] != b'"'
        or raw[1:2] in (b" ", b"\\")
        or raw[1 : 1 + len(_ERROR_ENVELOPE_START)] == _ERROR_ENVELOPE_START
    )


def placeholder_wording_name(text: str) -> str:
    """Return the name of the wording that the whole of `text` is, "" when it is none."""
    text = _without_error_envelope(text.strip())
    if text in _EXACT:
        return _EXACT[text]
    return "" if len(text) > MAX_PLACEHOLDER_LENGTH else _wording_by_pattern(text)


@lru_cache(maxsize=256)
def _wording_by_pattern(text: str) -> str:
    """Return the wording that a text is with its tokens filled in.

    The result is cached, because a log repeats a few texts.
    """
    return next((name for name, pattern in _PATTERNS.items() if pattern.fullmatch(text)), "")


def _without_error_envelope(text: str) -> str:
    """Return the content of the error envelope of a program, any other text unchanged."""
    if found := _ERROR_ENVELOPE.fullmatch(text):
        return (found["output"] or found["message"] or "").strip()
    return text


def is_placeholder(text: str) -> bool:
    """Return whether the whole of `text` is the placeholder of a program for a missing result."""
    return bool(placeholder_wording_name(text))


def placeholder_variable_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the filled-in names and ids in a placeholder."""
    match = next(filter(None, (pattern.search(text) for pattern in _PATTERNS.values())), None)
    return [match.span(group) for group in range(1, match.re.groups + 1)] if match else []


def placeholder_template(wording: str) -> str:
    """Return the wording of the table by its name, any other text unchanged."""
    return PLACEHOLDER_WORDINGS[wording].text if wording in PLACEHOLDER_WORDINGS else wording


def fill_template(template: str, name: str, call_id: str) -> str:
    """Return a template with its tokens `{name}` and `{id}` filled in."""
    return template.replace("{name}", name or UNNAMED_TOOL).replace("{id}", call_id)
