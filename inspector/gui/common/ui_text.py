"""The texts that the window shows for the core's names. Codes are shown in tooltips only."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.tool_effects import ToolEffect
from inspector.core.lazy import LazyModule
from inspector.core.model.views import BlockKind, RecordLocation, one_based
from inspector.core.presentation.outline import PairMark
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core.check import strategy_costs
else:
    strategy_costs = LazyModule(
        "inspector.core.check.strategy_costs"
    )  # the rules say what they cost, and a window starts without them

_MAX_NAMED_RULES = 12


LOG_NOT_READ_YET = "The log has not been read yet."
LOG_READ_PARTLY = "The log was not read completely."
CONTENT_FREE_SENTENCE = "It has no log content: no texts, paths or names."

SEVERITY_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
SEVERITY_TITLES = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.INFO: "Notes"}

VERDICT_WORDS = {
    "broken": "Broken",
    "unexplained": "Unexplained",
    "heals-itself": "Repairs itself",
    "waiting": "Waiting",
    "healthy": "Healthy",
    "not-judged": "Not checked",
    "unreadable": "Unreadable",
    "": "Not checked yet",
}
# The words for several logs, where they differ.
VERDICT_PLURAL_WORDS = {"heals-itself": "Repair themselves"}
VERDICT_ICONS = {
    "broken": "error",
    "unexplained": "question",
    "heals-itself": "info",
    "waiting": "pending",
    "healthy": "ok",
    "not-judged": "question",
    "unreadable": "error",
    "": "skipped",
}

BLOCK_KIND_WORDS = {
    BlockKind.OTHER: "other",
    BlockKind.TEXT: "text",
    BlockKind.THINKING: "thinking",
    BlockKind.CALL: "call",
    BlockKind.RESULT: "result",
    BlockKind.SERVER_CALL: "server call",
    BlockKind.SERVER_RESULT: "server result",
    BlockKind.MEDIA: "media",
    BlockKind.TOLD_RESULT: "result",
}

# {0} is the number of the counterpart.
PAIR_MARK_WORDS = {
    PairMark.NONE: "",
    PairMark.ANSWERED: "answered → #{0}",
    PairMark.ANSWERS: "answers → #{0}",
    PairMark.UNANSWERED: "no result",
    PairMark.RECOVERABLE: "result elsewhere",
    PairMark.ORPHAN: "orphan",
    PairMark.PENDING: "pending",
    PairMark.DUPLICATE: "duplicate → #{0}",
    PairMark.RUNNING: "running",
}

STRATEGY_WORDS = {
    "leave": "Leave unchanged",
    "answer": "Add a placeholder result",
    "move": "Move the result to its call",
    "merge": "Merge into one message",
    "drop-call": "Remove only the call",
    "drop-exchange": "Remove the whole exchange",
    "drop": "Remove it",
    "keep-as-note": "Keep its text as a note",
    "keep-first": "Keep the first",
    "keep-last": "Keep the last",
    "rename": "Give it a new id",
    "match": "Match it with the call",
    "reid": "Give the record a new id",
    "relink": "Link it to its parent",
    "cut-tail": "Cut after the last complete exchange",
    "normalise": "Correct the field",
    "prepend-user": "Add a user message first",
    "strip-reasoning": "Remove the reasoning",
    "replace-media": "Replace the media with text",
    "invent-call": "Invent a call for it",
    "undo-placeholder": "Remove the placeholder",
    "reorder": "Move the texts before the calls",
    "bridge": "Add an assistant note between them",
    "quarantine": "Set the damaged line aside",
    "salvage": "Keep the readable part",
    "recover": "Recover the real result",
    "adopt": "Copy the result from another log",
    "drop-message": "Remove the whole message",
}

CHANGE_WORDS = {
    "added": "added",
    "removed": "removed",
    "moved": "moved",
    "changed": "changed",
    "kept": "kept",
    "skipped": "unchanged",
    "rejected": "rejected",
}

PROFILE_NAMES = {
    "anthropic": "Anthropic",
    "anthropic-prefix-bound": "Anthropic (preserved thinking)",
    "bedrock-converse": "Bedrock",
    "gemini": "Gemini",
    "lax": "a lax local server",
    "mistral": "Mistral",
    "openai-chat": "OpenAI Chat",
    "openai-responses": "OpenAI Responses",
    "responses-in-order": "OpenAI Responses (DeepSeek)",
}

# The names of systems with wordings and presets, where capitalizing the key is not enough.
PROGRAM_NAMES = {
    "honest": "Honest: no result was recorded",
    "adk": "Google ADK",
    "claude-code": "Claude Code",
    "copilot-cli": "Copilot CLI",
    "deepagents": "deepagents",
    "deer-flow": "DeerFlow",
    "gemini-cli": "Gemini CLI",
    "goose": "goose",
    "litellm": "LiteLLM",
    "nanobot": "nanobot",
    "openclaw": "OpenClaw",
    "opencode": "opencode",
    "openhands": "OpenHands",
    "pi": "pi",
    "pydantic-ai": "Pydantic AI",
    "qwen-code": "Qwen Code",
    "roo": "Roo Code",
    "tool-call-repair": "tool-call-repair",
    "turnsafe": "turnsafe",
    "tessera": "tessera",
    "vibe": "Mistral Vibe",
}

# Our own presets, where capitalizing the key is not enough.
PRESET_NAMES = {"minimal-loss": "Minimal loss"}

# How the place of a pasted text was found.
LOOKUP_MATCH_WORDS = {
    "id": "found by id",
    "index": "found by index",
    "class": "found by the kind of error",
    "recorded": "recorded in the log",
    "request": "the end of the request",
}

ACCEPTANCE_WORDS = {True: "accepts it", False: "refuses it", None: "not everything was checked"}
ACCEPTANCE_ICONS = {True: "ok", False: "error", None: "question"}

# Whether an unanswered call ran, as far as the log shows it.
EXECUTION_WORDS = {"ran": "It ran", "started": "It was started", "no-trace": "No trace"}
EXECUTION_ICONS = {"ran": "warning", "started": "pending", "no-trace": "question"}

TOOL_EFFECT_WORDS = {
    ToolEffect.SHELL: "It runs a command",
    ToolEffect.WRITE: "It writes files",
    ToolEffect.NETWORK: "It uses the network",
    ToolEffect.READ_ONLY: "It only reads",
    ToolEffect.UNKNOWN: "The effect of this tool is unknown",
}


# What trimming removes, by the kind of block.
REMOVED_KIND_WORDS = {"text": "text", "call": "call", "result": "result", "reasoning": "reasoning", "media": "media"}

# What happens to a block on resume, in the order of the counts.
SENT_MARK_WORDS = {
    "kept": "kept",
    "recovered": "recovered",
    "added by the repair": "added by the repair",
    "answered by the agent": "answered by the agent",
    "sent as text": "sent as text",
    "dropped": "dropped",
    "": "empty",
}
SENT_MARK_ICONS = {
    "kept": "kept",
    "recovered": "added",
    "added by the repair": "added",
    "answered by the agent": "session",
    "sent as text": "changed",
    "dropped": "removed",
    "": "skipped",
}

# What a conversion does to a block that the target format does not have.
CONVERT_NOTE_WORDS = {"skipped": "left out", "adapted": "adapted", "kept": "kept", "open": "unmatched"}
CONVERT_NOTE_ICONS = {"skipped": "removed", "adapted": "changed", "kept": "kept", "open": "warning"}

CONVERT_TARGET_NAMES = {
    "openai": "OpenAI messages",
    "anthropic": "Anthropic messages",
    "markdown": "a Markdown page for people to read",
}

# What was saved.
SAVED_SENTENCES = {
    "repaired": "The repaired log is saved.",
    "trimmed": "The trimmed copy is saved.",
    "converted": "The converted history is saved.",
}


def verdict_count_label(name: str, count: int) -> str:
    """Return how many logs have a verdict, such as "2 broken"."""
    word = VERDICT_WORDS[name] if count == 1 else VERDICT_PLURAL_WORDS.get(name, VERDICT_WORDS[name])
    return f"{count:,} {tr(word).lower()}"


def strategy_label(name: str) -> str:
    return tr(STRATEGY_WORDS.get(name, name))


def strategy_cost_label(strategy: str, rule: str) -> str:
    """Return what a strategy costs for a finding of a rule."""
    if strategy == "leave":
        return tr("repairs nothing")
    found = strategy_costs.strategy_cost(strategy, rule)
    return tr("costs nothing") if found == strategy_costs.CostLevel.NOTHING else tr(found.label)


def place_label(place: RecordLocation) -> str:
    """Return the label of a place as numbered in the tree: lines and records from 1."""
    return record_label(place.record, None if place.index is not None else place.line)


def shown_line_number(place: RecordLocation) -> int:
    """Return the number of a place as shown in the tree."""
    return place.line if place.line is not None and place.index is None else one_based(place.record)


def record_label(record: int, line: int | None) -> str:
    """Return the label of a record: its line, else its number from 1."""
    return f"{tr('line')} {line:,}" if line is not None else f"{tr('record')} {one_based(record):,}"


def profile_label(name: str) -> str:
    return PROFILE_NAMES.get(name, name)


def program_label(name: str) -> str:
    """Return the name of a system, with the variant ("codex-resume") in parentheses."""
    whole = next((known for known in sorted(PROGRAM_NAMES, key=len, reverse=True) if name.startswith(known)), "")
    if not whole:
        whole = name.partition("-")[0]
    variant = name[len(whole) :].strip("-").replace("-", " ")
    title = PROGRAM_NAMES.get(whole, whole.capitalize())
    return f"{title} ({variant})" if variant else title


def preset_label(name: str) -> str:
    """Return the name of a preset: that of the system it imitates, or our own."""
    return PRESET_NAMES.get(name) or program_label(name)


def provider_refusal_lines(refused_by: dict[str, str]) -> list[str]:
    """Return the answer of the first provider that refuses, and the names of the others."""
    (first, sentence), *others = list(refused_by.items()) or [("", "")]
    said = [f"{profile_label(first)} {tr('would answer')}: {sentence}"] if first else []
    return said + (
        [f"{tr('Also refused by')} {', '.join(profile_label(name) for name, _ in others)}"] if others else []
    )


def rule_title(slug: str, rule: str) -> str:
    """Return the name of a rule in plain words: "unanswered-call" becomes "Unanswered call"."""
    words = slug.replace("-", " ").strip()
    return words[:1].upper() + words[1:] if words else rule


def pluralize(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def skipped_check_lines(checks: Iterable[tuple[str, str]]) -> list[str]:
    """Return a line for each reason why checks did not run, with the rules when they are few."""
    by_reason: dict[str, list[str]] = {}
    for rule, why in checks:
        by_reason.setdefault(why, []).append(rule)
    return [
        f"{', '.join(rules) if len(rules) <= _MAX_NAMED_RULES else pluralize(len(rules), 'check', 'checks')}: {why}"
        for why, rules in by_reason.items()
    ]
