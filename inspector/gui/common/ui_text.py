"""The texts that the window shows for the core's names. Codes are shown in tooltips only."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.tool_effects import ToolEffect
from inspector.core.lazy import LazyModule
from inspector.core.model.views import BlockKind, RecordLocation, one_based
from inspector.core.presentation.outline import PairMark
from inspector.core.translation import tr, tr_plural

if TYPE_CHECKING:
    from inspector.core.check import strategy_costs
else:
    strategy_costs = LazyModule(
        "inspector.core.check.strategy_costs"
    )  # the rules say what they cost, and a window starts without them

_MAX_NAMED_RULES = 12


LOG_NOT_READ_YET = tr("The log has not been read yet.")
LOG_READ_PARTLY = tr("The log was not read completely.")
CONTENT_FREE_SENTENCE = tr("It contains no text, paths or names from the log.")

SEVERITY_WORDS = {Severity.ERROR: tr("error"), Severity.WARNING: tr("warning"), Severity.INFO: tr("note")}
SEVERITY_TITLES = {Severity.ERROR: tr("Errors"), Severity.WARNING: tr("Warnings"), Severity.INFO: tr("Notes")}

VERDICT_WORDS = {
    "broken": tr("Broken"),
    "unexplained": tr("Unexplained"),
    "heals-itself": tr("Repairs itself"),
    "waiting": tr("Waiting"),
    "healthy": tr("Healthy"),
    "not-judged": tr("Not checked"),
    "unreadable": tr("Unreadable"),
    "": tr("Not checked yet"),
}
# The words for several logs, where they differ.
VERDICT_PLURAL_WORDS = {"heals-itself": tr("Repair themselves")}
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
    BlockKind.OTHER: tr("other"),
    BlockKind.TEXT: tr("text"),
    BlockKind.THINKING: tr("thinking"),
    BlockKind.CALL: tr("call"),
    BlockKind.RESULT: tr("result"),
    BlockKind.SERVER_CALL: tr("server call"),
    BlockKind.SERVER_RESULT: tr("server result"),
    BlockKind.MEDIA: tr("media"),
    BlockKind.TOLD_RESULT: tr("result"),
}

# {0} is the number of the counterpart.
PAIR_MARK_WORDS = {
    PairMark.NONE: "",
    PairMark.ANSWERED: tr("answered → #{number}"),
    PairMark.ANSWERS: tr("answers → #{number}"),
    PairMark.UNANSWERED: tr("no result"),
    PairMark.RECOVERABLE: tr("result elsewhere"),
    PairMark.ORPHAN: tr("orphan"),
    PairMark.PENDING: tr("pending"),
    PairMark.DUPLICATE: tr("duplicate → #{number}"),
    PairMark.RUNNING: tr("running"),
}

STRATEGY_WORDS = {
    "leave": tr("Leave unchanged"),
    "answer": tr("Add a placeholder result"),
    "move": tr("Move the result to its call"),
    "merge": tr("Merge into one message"),
    "drop-call": tr("Remove only the call"),
    "drop-exchange": tr("Remove the whole exchange"),
    "drop": tr("Remove it"),
    "keep-as-note": tr("Keep the text as a note"),
    "keep-first": tr("Keep the first occurrence"),
    "keep-last": tr("Keep the last occurrence"),
    "rename": tr("Assign a new id"),
    "match": tr("Assign the call's id to the result"),
    "reid": tr("Give the record a new id"),
    "relink": tr("Link the record to its parent"),
    "cut-tail": tr("Cut after the last complete exchange"),
    "normalise": tr("Correct the field"),
    "prepend-user": tr("Add a user message at the start"),
    "strip-reasoning": tr("Remove the reasoning"),
    "replace-media": tr("Replace the media with text"),
    "invent-call": tr("Invent a call for the result"),
    "undo-placeholder": tr("Remove the placeholder"),
    "reorder": tr("Move the text before the calls"),
    "bridge": tr("Add an assistant note between the messages"),
    "quarantine": tr("Move the damaged line to a separate file"),
    "salvage": tr("Keep the readable part"),
    "recover": tr("Recover the real result"),
    "adopt": tr("Copy the result from another log"),
    "drop-message": tr("Remove the whole message"),
}

CHANGE_WORDS = {
    "added": tr("added"),
    "removed": tr("removed"),
    "moved": tr("moved"),
    "changed": tr("changed"),
    "kept": tr("kept"),
    "skipped": tr("unchanged"),
    "rejected": tr("rejected"),
}

PROFILE_NAMES = {
    "anthropic": "Anthropic",
    "anthropic-prefix-bound": tr("Anthropic (preserved thinking)"),
    "bedrock-converse": "Bedrock",
    "gemini": "Gemini",
    "lax": tr("a permissive local server"),
    "mistral": "Mistral",
    "openai-chat": "OpenAI Chat",
    "openai-responses": "OpenAI Responses",
    "responses-in-order": tr("OpenAI Responses (DeepSeek)"),
}

# The names of systems with wordings and presets, where capitalizing the key is not enough.
PROGRAM_NAMES = {
    "honest": tr("State honestly that no result was recorded"),
    "adk": tr("Google ADK"),
    "claude-code": "Claude Code",
    "copilot-cli": tr("Copilot CLI"),
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
    "pydantic-ai": tr("Pydantic AI"),
    "qwen-code": "Qwen Code",
    "roo": "Roo Code",
    "tool-call-repair": "tool-call-repair",
    "turnsafe": "turnsafe",
    "tessera": "tessera",
    "vibe": tr("Mistral Vibe"),
}

# Our own presets, where capitalizing the key is not enough.
PRESET_NAMES = {"minimal-loss": tr("Minimal loss")}

# How the place of a pasted text was found.
LOOKUP_MATCH_WORDS = {
    "id": tr("found by id"),
    "index": tr("found by index"),
    "class": tr("found by error type"),
    "recorded": tr("recorded in the log"),
    "request": tr("the end of the request"),
    "candidate": tr("a possible cause"),
    "before-answer": tr("a possible cause before the last answer"),
    "accepted": tr("accepted up to this point"),
}

ACCEPTANCE_WORDS = {True: tr("accepts it"), False: tr("rejects it"), None: tr("not everything was checked")}
ACCEPTANCE_ICONS = {True: "ok", False: "error", None: "question"}

# Whether an unanswered call ran, as far as the log shows it.
EXECUTION_WORDS = {"ran": tr("The call ran"), "started": tr("The call was started"), "no-trace": tr("No trace")}
EXECUTION_ICONS = {"ran": "warning", "started": "pending", "no-trace": "question"}

TOOL_EFFECT_WORDS = {
    ToolEffect.SHELL: tr("Runs a command"),
    ToolEffect.WRITE: tr("Writes files"),
    ToolEffect.NETWORK: tr("Uses the network"),
    ToolEffect.READ_ONLY: tr("Only reads"),
    ToolEffect.UNKNOWN: tr("The effect of this tool is unknown"),
}


# What trimming removes, by the kind of block.
REMOVED_KIND_WORDS = {
    "text": tr("text"),
    "call": tr("call"),
    "result": tr("result"),
    "reasoning": tr("reasoning"),
    "media": tr("media"),
    "bytes": tr("damaged part"),
}

# What happens to a block on resume, in the order of the counts.
SENT_MARK_WORDS = {
    "kept": tr("kept"),
    "recovered": tr("recovered"),
    "added by the repair": tr("added by the repair"),
    "answered by the agent": tr("answered by the agent"),
    "sent as text": tr("sent as text"),
    "dropped": tr("dropped"),
    "": tr("empty"),
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
CONVERT_NOTE_WORDS = {"skipped": tr("left out"), "adapted": tr("adapted"), "kept": tr("kept"), "open": tr("unmatched")}
CONVERT_NOTE_ICONS = {"skipped": "removed", "adapted": "changed", "kept": "kept", "open": "warning"}

CONVERT_TARGET_NAMES = {
    "openai": tr("OpenAI messages"),
    "anthropic": tr("Anthropic messages"),
    "markdown": tr("a readable Markdown page"),
}

# What was saved.
SAVED_SENTENCES = {
    "repaired": tr("Saved and checked."),
    "partly-repaired": tr("A partially repaired copy was saved, but it is still broken."),
    "trimmed": tr("The trimmed copy was saved."),
    "converted": tr("The converted history was saved."),
}

SAVED_HEADLINES = SAVED_SENTENCES | {"repaired": tr("The repair was saved and checked.")}


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


def location_label(place: RecordLocation) -> str:
    """Return the label of a place as numbered in the tree: lines and records from 1."""
    return record_label(place.record, None if place.index is not None else place.line)


def location_display_number(place: RecordLocation) -> int:
    """Return the number of a place as shown in the tree."""
    return place.line if place.line is not None and place.index is None else one_based(place.record)


def record_label(record: int, line: int | None) -> str:
    """Return the label of a record: its line, else its number from 1."""
    return tr("line {line:,}", line=line) if line is not None else tr("record {record:,}", record=one_based(record))


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
    said = (
        [tr("{provider} would respond: {sentence}", provider=profile_label(first), sentence=sentence)] if first else []
    )
    return said + (
        [tr("Also rejected by {provider}", provider=", ".join(profile_label(name) for name, _ in others))]
        if others
        else []
    )


# The names of rules whose slugs are no phrase. Slugs are stable, because scripts use them.
RULE_TITLES = {
    "arguments-no-object": tr("Arguments are not an object"),
    "broken-off-call": tr("Call cut off"),
    "call-cut-from-result": tr("Call separated from its result"),
    "consecutive-assistants": tr("Assistant messages in a row"),
    "consecutive-users": tr("User messages in a row"),
    "cut-exchange": tr("Exchange split by a compaction"),
    "dangling-stitch": tr("Compaction refers to a missing record"),
    "denied-but-ran": tr("Ran despite being denied"),
    "ends-with-assistant": tr("Assistant message at the end"),
    "first-turn-not-user": tr("No user message at the start"),
    "fused-records": tr("Several records on one line"),
    "illegal-id": tr("Invalid id"),
    "illegal-name": tr("Invalid tool name"),
    "item-before-reasoning": tr("Item before its reasoning"),
    "left-behind": tr("Messages not loaded"),
    "misplaced-system": tr("Misplaced system message"),
    "misshapen-call": tr("Malformed call"),
    "misshapen-message": tr("Malformed message"),
    "reasoning-behind-change": tr("Reasoning after a change"),
    "reasoning-in-clear": tr("Reasoning in plain text"),
    "reasoning-of-user": tr("Reasoning in a user message"),
    "reasoning-without-follower": tr("Reasoning without its item"),
    "result-cut-from-call": tr("Result separated from its call"),
    "stranded-result": tr("Result outside the active path"),
    "thinking-only": tr("Only reasoning"),
    "torn-end": tr("Incomplete last record"),
    "unanswered-run": tr("Consecutive unanswered calls"),
    "unlisted-call": tr("Call hidden from the agent"),
    "user-after-result": tr("User message after a result"),
}


def rule_title(slug: str, rule: str) -> str:
    """Return the name of a rule in plain words: "unanswered-call" becomes "Unanswered call"."""
    if slug in RULE_TITLES:
        return tr(RULE_TITLES[slug])
    words = slug.replace("-", " ").strip()
    return tr(words[:1].upper() + words[1:]) if words else rule


def skipped_check_lines(checks: Iterable[tuple[str, str]]) -> list[str]:
    """Return a line for each reason why checks did not run, with the rules when they are few."""
    by_reason: dict[str, list[str]] = {}
    for rule, why in checks:
        by_reason.setdefault(why, []).append(rule)
    return [
        tr(
            "{rules}: {why}",
            rules=", ".join(rules)
            if len(rules) <= _MAX_NAMED_RULES
            else tr_plural("{number:,} check", "{number:,} checks", len(rules)),
            why=why,
        )
        for why, rules in by_reason.items()
    ]
