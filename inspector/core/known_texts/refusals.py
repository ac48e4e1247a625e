"""Results in which a program says that a call was rejected, cancelled or aborted: SAID is the table, by program.

A text counts by its beginning alone, since most go on with what the person said. Sources, by program: Claude Code
cli.js 2.1.112 and the program 2.1.330; Codex codex-rs/core/src/tools (`parallel.rs` abort_message, `events.rs`);
Gemini CLI packages/core/src/core/coreToolScheduler.ts (its "cancelled" state); Qwen Code 0.24.4, its texts; kimi-cli
src/kimi_cli/tools/utils.py (ToolRejectedError); opencode packages/opencode/src/permission and session/processor.ts;
Cline and Roo Code src/core/prompts/responses.ts, and @cline/shared as of 3.0.65; goose
crates/goose/src/agents/tool_execution.rs; langchain's human_in_the_loop.py; pydantic-ai ToolDenied; openai-agents
src/agents/tool.py.
"""

from inspector.core.known_texts.placeholders import PLACEHOLDER_WORDINGS, placeholder_wording
from inspector.core.later import lazy_regex

REFUSAL_TEXTS: dict[str, tuple[str, ...]] = {
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
_STARTS = tuple(text for texts in REFUSAL_TEXTS.values() for text in texts)
_HEADS = frozenset(text[:5].encode() for text in _STARTS) | {b"Wall ", b'{\\"st'}
# What stand-ins claim that traces of the call's running speak against.
STOPPED_CLAIMS = frozenset({"that it was cancelled", "that it did not run", "that the user stopped it"})
# Codex says it of a shell's call under the time that it took; Roo Code in an object of JSON.
_TIMED = lazy_regex(r"Wall time: [0-9.]+ seconds\naborted by user")
_IN_JSON = lazy_regex(r'\{"status":\s*"denied"')
# One of these is in every text above.
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


def may_be_refusal(raw: bytes) -> bool:
    """A quick look at a result's JSON text: False only when it cannot be one of these."""
    return raw[1:6] in _HEADS


def record_may_hold_refusal(raw: bytes) -> bool:
    """A quick look at a record: False only when no result in it is a refusal."""
    return any(map(raw.__contains__, _REFUSAL_WORDS))


def refusal_prefix_length(text: str) -> int:
    """How many characters at the start of a text say that its call was rejected, cancelled or aborted; 0 for none."""
    blank = len(text) - len(text.lstrip())
    said = next((len(start) for start in _STARTS if text.startswith(start, blank)), 0)
    found = None if said else _TIMED.match(text, blank) or _IN_JSON.match(text, blank)
    return blank + said if said else found.end() if found else 0


def is_refusal(text: str) -> bool:
    """Whether a result says that its call was rejected, cancelled or aborted."""
    return refusal_prefix_length(text) > 0


def not_run_claim(text: str) -> str:
    """What a result claims of the running of its call: its own words cut short, "" when it claims nothing.

    A program's stand-in counts where it says that the call was stopped or never begun; that it was interrupted may be.
    """
    wording = PLACEHOLDER_WORDINGS.get(placeholder_wording(text))
    if not is_refusal(text) and not (wording is not None and wording.claims in STOPPED_CLAIMS):
        return ""
    words = " ".join(text.split())
    return words if len(words) <= 100 else f"{words[:99].rstrip()}…"
