"""Presets: named tables of strategies, our own and those that imitate a program. PRESETS is the table.

A preset imitates the choices of a program and not its defects: a real result still wins over a placeholder, results
still come before the words that follow them, and only an outcome that verifies is written. Rules about what the program
does not notice are left: a history that violates one is not written, and the reason names the program.
"""

from msgspec import Struct

from inspector.core.errors import UnknownName
from inspector.core.providers.placeholders import OUR_PLACEHOLDER_TEXT, PLACEHOLDER_WORDINGS
from inspector.core.providers.profile import OPEN_CALL_RULES, UNANSWERED_CALL_RULES

UNANSWERED_RULES = (*UNANSWERED_CALL_RULES, "C1", "G5")
ORPHAN_RULES = ("R1", "R8", "R12", "C2")
_OF_PAIRS = "DRKMC"
_OPEN = (*OPEN_CALL_RULES, "C1")


class Preset(Struct, frozen=True):
    """A named table of strategies. `rules` overrides the default strategies by rule code.

    `pair_strategy` applies to every other rule about pairs. What a system does not handle (damaged bytes, the record
    tree, reasoning, media) is repaired by the defaults. `imitates` is the program that the preset imitates, "" for our
    own. `source` names where that program does it.
    """

    name: str
    summary: str
    rules: dict[str, str] = {}
    pair_strategy: str = ""
    wording: str = OUR_PLACEHOLDER_TEXT
    caveat: str = ""
    imitates: str = ""
    source: str = ""

    def strategy_of(self, rule: str) -> str:
        """Return the strategy for a rule, "" for the default."""
        return self.rules.get(rule) or (self.pair_strategy if rule[0] in _OF_PAIRS else "")

    def reason_left(self, rule: str) -> str:
        """Return a sentence about a rule that this preset leaves, "" where it does not leave it."""
        if self.strategy_of(rule) != "leave":
            return ""
        like = f", as {self.imitates} does" if self.imitates else ""
        return f" The preset {self.name} leaves {rule} as it is{like}: choose another preset, or a strategy for {rule}."


def _words(system: str) -> str:
    return PLACEHOLDER_WORDINGS[system].text


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset("canonical", "Loses nothing that it can keep: moves, recovers, answers, keeps orphans as marked notes."),
        Preset(
            "minimal-loss",
            "As canonical, and a call repeated in its turn is renamed and answered instead of dropped: it drops "
            "nothing that says anything.",
            {**dict.fromkeys(ORPHAN_RULES, "keep-as-note"), "R7": "keep-as-note", "K2": "rename"},
        ),
        Preset(
            "clean",
            "As canonical, but orphan results are dropped instead of noted.",
            {**dict.fromkeys(ORPHAN_RULES, "drop"), "R7": "keep-first"},
        ),
        Preset(
            "claude-code",
            "What Claude Code 2.1 does in memory, written to the file.",
            {
                **dict.fromkeys((*ORPHAN_RULES, "R2", "R4"), "drop"),
                "D1": "drop-call",
                "R7": "keep-first",
                "K1": "drop-call",
            },
            wording=_words("claude-code"),
            caveat="It drops real results that came too early or too late, and calls that reuse an id.",
            imitates="Claude Code",
            source="@anthropic-ai/claude-code 2.1.112: filterUnresolvedToolUses, ensureToolResultPairing",
        ),
        Preset(
            "neovate",
            "The whole assistant message goes when any of its calls is unanswered, as Neovate's design says.",
            dict.fromkeys(UNANSWERED_RULES, "drop-message"),
            pair_strategy="leave",
            caveat="Results of answered sibling calls become orphans: then nothing is written.",
            imitates="Neovate",
            source="Neovate's design of 2026-02-04 for src/session.ts filterMessages",
        ),
        Preset(
            "neovate-safe",
            "As neovate, but an exchange goes whole: the message with the results of its answered calls.",
            dict.fromkeys(UNANSWERED_RULES, "drop-exchange"),
        ),
        Preset(
            "deepagents",
            "Placeholders only, in the wording of deepagents' PatchToolCallsMiddleware.",
            dict.fromkeys(_OPEN, "answer"),
            pair_strategy="leave",
            wording=_words("deepagents"),
            caveat="It leaves orphan, displaced and repeated results as they are: then nothing is written.",
            imitates="deepagents",
            source="langchain-ai/deepagents middleware/patch_tool_calls.py",
        ),
        Preset(
            "kilo",
            "Orphan results are skipped, as Kilo does on the way to the provider; everything else stays.",
            dict.fromkeys((*ORPHAN_RULES, "R2"), "drop"),
            pair_strategy="leave",
            caveat="It leaves unanswered calls, displaced and repeated results: then nothing is written. "
            "What it skips is lost.",
            imitates="Kilo",
            source="Kilo-Org/kilocode src/api/transform/openai-format.ts, src/core/sliding-window/index.ts",
        ),
        Preset(
            "kimi",
            "What Kimi Code does on resume and when it sends again strictly: moves, answers, drops orphans.",
            {
                **dict.fromkeys(_OPEN, "answer"),
                **dict.fromkeys(ORPHAN_RULES, "drop"),
                "R2": "leave",
                "R7": "keep-first",
                "K1": "drop-call",
                "K2": "drop",
            },
            wording=_words("kimi-resume"),
            caveat="It drops orphans and a later call that reuses an id, with its result; a result before its call "
            "is left: then nothing is written. Leading messages that Kimi drops get a user's message before them here.",
            imitates="Kimi Code",
            source="MoonshotAI/kimi-code packages/agent-core/src/agent/context: projector.ts, index.ts finishResume",
        ),
        Preset(
            "cline",
            "Missing results are answered and results put first, in Cline's wording; it looks for nothing else.",
            {
                **dict.fromkeys(_OPEN, "answer"),
                **dict.fromkeys(("R3", "R9"), "move"),
                **dict.fromkeys(("R10", "M3"), "merge"),
                "R5": "drop",
                "R7": "keep-first",
            },
            pair_strategy="leave",
            wording=_words("cline"),
            caveat="It leaves orphans, results behind another answer and reused ids: then nothing is written.",
            imitates="Cline",
            source="cline/cline sdk/packages/core/src/session/services/message-builder.ts addMissingToolResults",
        ),
        Preset(
            "codex",
            "Calls without an output get `aborted`, outputs without a call go, as in Codex.",
            {**dict.fromkeys(_OPEN, "answer"), **dict.fromkeys(ORPHAN_RULES, "drop")},
            pair_strategy="leave",
            wording=_words("codex"),
            caveat="It counts an output anywhere as an answer, so displaced, early and repeated ones are left: then "
            "nothing is written. Orphans are lost.",
            imitates="Codex",
            source="openai/codex codex-rs/core/src/context_manager/normalize.rs",
        ),
        Preset(
            "goose",
            "Unanswered calls and orphan results both go, neighbours of one role are joined, as in goose.",
            {
                **dict.fromkeys(_OPEN, "drop-call"),
                **dict.fromkeys((*ORPHAN_RULES, "R2", "R5", "R6", "R11"), "drop"),
                **dict.fromkeys(("M2", "M3"), "merge"),
                "R7": "keep-first",
                "M4": "prepend-user",
                **dict.fromkeys(("M6", "M7"), "normalise"),
            },
            pair_strategy="leave",
            caveat="It leaves displaced results and reused ids: then nothing is written. goose drops a leading and a "
            "trailing message of the assistant; this preset puts a user's message first, and keeps the last.",
            imitates="goose",
            source="block/goose crates/goose/src/conversation/mod.rs fix_messages",
        ),
        Preset(
            "gemini-cli",
            "Missing results are answered, and for orphan results a call is invented, as in Gemini CLI.",
            {
                **dict.fromkeys(_OPEN, "answer"),
                **dict.fromkeys(ORPHAN_RULES, "invent-call"),
                **dict.fromkeys(("R3", "R9"), "move"),
                **dict.fromkeys(("R10", "M2", "M3"), "merge"),
                "M4": "prepend-user",
                **dict.fromkeys(("M6", "M7"), "normalise"),
            },
            pair_strategy="leave",
            wording=_words("gemini-cli"),
            caveat="The model reads of calls that it never made. It leaves early, late and repeated results and "
            "repeated ids: then nothing is written. Gemini CLI also drops thoughts and ends with the user; "
            "this preset does neither.",
            imitates="Gemini CLI",
            source="google-gemini/gemini-cli packages/core/src/utils/historyHardening.ts hardenHistory",
        ),
        Preset(
            "litellm",
            "Answers, drops orphans and keeps the last of several results, as LiteLLM does with modify_params.",
            {
                **dict.fromkeys(_OPEN, "answer"),
                **dict.fromkeys((*ORPHAN_RULES, "R2", "R4", "R5", "R6"), "drop"),
                "R7": "keep-last",
                "M4": "prepend-user",
                **dict.fromkeys(("M6", "M7"), "normalise"),
            },
            pair_strategy="leave",
            wording=_words("litellm"),
            caveat="A result behind another answer is dropped and a placeholder put in its place; one behind a user's "
            "words and a repeated id are left: then nothing is written.",
            imitates="LiteLLM",
            source="litellm 1.109.1 prompt_templates/factory.py sanitize_messages_for_tool_calling",
        ),
        Preset(
            "pydantic-ai",
            "Orphans go and calls in the middle are answered; calls of the last response stay open.",
            {
                **dict.fromkeys(_OPEN[1:], "answer"),
                **dict.fromkeys((*ORPHAN_RULES, "R2"), "drop"),
                **dict.fromkeys(("R3", "R9"), "move"),
                **dict.fromkeys(("M2", "M3"), "merge"),
            },
            pair_strategy="leave",
            wording=_words("pydantic-ai"),
            caveat="Calls of the last response are left for the run that is resumed, and late and repeated results are "
            "not noticed: then nothing is written.",
            imitates="pydantic-ai",
            source="pydantic-ai-slim 2.68.0 messages.py _drop_orphaned_tool_results, _repair_dangling_tool_calls",
        ),
    )
}


def preset_named(name: str) -> Preset:
    """Return the preset of this name. Raises UnknownName."""
    if name not in PRESETS:
        raise UnknownName(f"There is no preset called {name}; there are {', '.join(PRESETS)}.")
    return PRESETS[name]
