"""Presets: named tables of strategies, our own and those that imitate a program. PRESETS is the table.

A preset imitates the choices of a program and not its defects: a real result still wins over a placeholder, results
still come before the words that follow them, and only an outcome that verifies is written. Rules about what the program
does not notice are left: a history that violates one is not written, and the reason names the program.
"""

from msgspec import Struct

from inspector.core.errors import UnknownName
from inspector.core.providers.placeholders import OUR_PLACEHOLDER_TEXT, PLACEHOLDER_WORDINGS
from inspector.core.providers.profile import OPEN_CALL_RULES, UNANSWERED_CALL_RULES
from inspector.core.translation import tr

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
        if self.imitates:
            return tr(
                " Neither the {name} preset nor {imitates} repairs {rule}. "
                "Choose another preset, or a strategy for {rule}.",
                name=self.name,
                imitates=self.imitates,
                rule=rule,
            )
        return tr(
            " The {name} preset does not repair {rule}. Choose another preset, or a strategy for {rule}.",
            name=self.name,
            rule=rule,
        )


def _words(system: str) -> str:
    return PLACEHOLDER_WORDINGS[system].text


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "canonical",
            tr(
                "Keeps as much as possible: moves and recovers results, adds placeholders, and keeps orphan "
                "results as marked notes."
            ),
        ),
        Preset(
            "minimal-loss",
            tr(
                "Like canonical, but drops nothing that has content. A call that is repeated within a turn is "
                "kept with a new id and gets a placeholder."
            ),
            {**dict.fromkeys(ORPHAN_RULES, "keep-as-note"), "R7": "keep-as-note", "K2": "rename"},
        ),
        Preset(
            "clean",
            tr("Like canonical, but drops orphan results instead of keeping them as notes."),
            {**dict.fromkeys(ORPHAN_RULES, "drop"), "R7": "keep-first"},
        ),
        Preset(
            "claude-code",
            tr("Makes the same repair that Claude Code 2.1 makes in memory, but writes it to the file."),
            {
                **dict.fromkeys((*ORPHAN_RULES, "R2", "R4"), "drop"),
                "D1": "drop-call",
                "R7": "keep-first",
                "K1": "drop-call",
            },
            wording=_words("claude-code"),
            caveat=tr("Drops real results that came too early or too late, and calls that reuse an id."),
            imitates="Claude Code",
            source="@anthropic-ai/claude-code 2.1.112: filterUnresolvedToolUses, ensureToolResultPairing",
        ),
        Preset(
            "neovate",
            tr("Drops the whole assistant message if one of its calls has no result, as Neovate does."),
            dict.fromkeys(UNANSWERED_RULES, "drop-message"),
            pair_strategy="leave",
            caveat=tr(
                "If other calls in the message have results, those results become orphan results, and nothing "
                "is written."
            ),
            imitates="Neovate",
            source="Neovate's design of 2026-02-04 for src/session.ts filterMessages",
        ),
        Preset(
            "neovate-safe",
            tr("Like neovate, but also drops the results of the message's other calls."),
            dict.fromkeys(UNANSWERED_RULES, "drop-exchange"),
        ),
        Preset(
            "deepagents",
            tr("Only adds placeholders, with the text used by deepagents' PatchToolCallsMiddleware."),
            dict.fromkeys(_OPEN, "answer"),
            pair_strategy="leave",
            wording=_words("deepagents"),
            caveat=tr(
                "Does not repair orphan, displaced or repeated results. If the history contains any of these, "
                "nothing is written."
            ),
            imitates="deepagents",
            source="langchain-ai/deepagents middleware/patch_tool_calls.py",
        ),
        Preset(
            "kilo",
            tr("Drops orphan results, as Kilo does when it sends the history, and changes nothing else."),
            dict.fromkeys((*ORPHAN_RULES, "R2"), "drop"),
            pair_strategy="leave",
            caveat=tr(
                "Does not repair calls without a result, displaced results or repeated results. If the history "
                "contains any of these, nothing is written. Dropped results are lost."
            ),
            imitates="Kilo",
            source="Kilo-Org/kilocode src/api/transform/openai-format.ts, src/core/sliding-window/index.ts",
        ),
        Preset(
            "kimi",
            tr(
                "Repairs the history as Kimi Code does when it resumes a session or retries a request: moves "
                "results, adds placeholders, and drops orphan results."
            ),
            {
                **dict.fromkeys(_OPEN, "answer"),
                **dict.fromkeys(ORPHAN_RULES, "drop"),
                "R2": "leave",
                "R7": "keep-first",
                "K1": "drop-call",
                "K2": "drop",
            },
            wording=_words("kimi-resume"),
            caveat=tr(
                "Drops orphan results. Also drops later calls that reuse an id, and the results of those "
                "calls. Results that come before their calls are not repaired. If there are any, nothing is "
                "written. Kimi Code drops messages before the first user message, but this preset adds a user "
                "message instead."
            ),
            imitates="Kimi Code",
            source="MoonshotAI/kimi-code packages/agent-core/src/agent/context: projector.ts, index.ts finishResume",
        ),
        Preset(
            "cline",
            tr("Adds placeholders with Cline's text, puts results first, and changes nothing else."),
            {
                **dict.fromkeys(_OPEN, "answer"),
                **dict.fromkeys(("R3", "R9"), "move"),
                **dict.fromkeys(("R10", "M3"), "merge"),
                "R5": "drop",
                "R7": "keep-first",
            },
            pair_strategy="leave",
            wording=_words("cline"),
            caveat=tr(
                "Does not repair orphan results, results after a later answer, or reused ids. If the history "
                "contains any of these, nothing is written."
            ),
            imitates="Cline",
            source="cline/cline sdk/packages/core/src/session/services/message-builder.ts addMissingToolResults",
        ),
        Preset(
            "codex",
            tr(
                "Adds the output `aborted` to calls without an output, and drops outputs without a call, as Codex does."
            ),
            {**dict.fromkeys(_OPEN, "answer"), **dict.fromkeys(ORPHAN_RULES, "drop")},
            pair_strategy="leave",
            wording=_words("codex"),
            caveat=tr(
                "Does not repair displaced, early or repeated outputs, because Codex accepts an output in any "
                "position. If the provider rejects them, nothing is written. Orphan results are lost."
            ),
            imitates="Codex",
            source="openai/codex codex-rs/core/src/context_manager/normalize.rs",
        ),
        Preset(
            "goose",
            tr(
                "Drops calls without a result and orphan results, and merges adjacent messages with the same "
                "role, as goose does."
            ),
            {
                **dict.fromkeys(_OPEN, "drop-call"),
                **dict.fromkeys((*ORPHAN_RULES, "R2", "R5", "R6", "R11"), "drop"),
                **dict.fromkeys(("M2", "M3"), "merge"),
                "R7": "keep-first",
                "M4": "prepend-user",
                **dict.fromkeys(("M6", "M7"), "normalise"),
            },
            pair_strategy="leave",
            caveat=tr(
                "Does not repair displaced results or reused ids. If the history contains any of these, nothing "
                "is written. Unlike goose, which drops an assistant message at the beginning or end, this preset "
                "adds a user message at the beginning and keeps the last message."
            ),
            imitates="goose",
            source="block/goose crates/goose/src/conversation/mod.rs fix_messages",
        ),
        Preset(
            "gemini-cli",
            tr(
                "Adds placeholders for missing results, and adds invented calls for orphan results, as Gemini CLI does."
            ),
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
            caveat=tr(
                "The model sees calls that it never made. Repeated ids and early, late or repeated results are "
                "not repaired. If the history contains any of these, nothing is written. Unlike Gemini CLI, this "
                "preset keeps thoughts and does not add a user message at the end."
            ),
            imitates="Gemini CLI",
            source="google-gemini/gemini-cli packages/core/src/utils/historyHardening.ts hardenHistory",
        ),
        Preset(
            "litellm",
            tr(
                "Adds placeholders, drops orphan results, and keeps only the last of several results for a call, "
                "as LiteLLM does with modify_params."
            ),
            {
                **dict.fromkeys(_OPEN, "answer"),
                **dict.fromkeys((*ORPHAN_RULES, "R2", "R4", "R5", "R6"), "drop"),
                "R7": "keep-last",
                "M4": "prepend-user",
                **dict.fromkeys(("M6", "M7"), "normalise"),
            },
            pair_strategy="leave",
            wording=_words("litellm"),
            caveat=tr(
                "Substitutes placeholders for results that come after a later answer. Does not repair repeated "
                "ids or results that come after a user message. If the history contains either, nothing is "
                "written."
            ),
            imitates="LiteLLM",
            source="litellm 1.109.1 prompt_templates/factory.py sanitize_messages_for_tool_calling",
        ),
        Preset(
            "pydantic-ai",
            tr("Drops orphan results, and adds placeholders for calls without a result, except in the last response."),
            {
                **dict.fromkeys(_OPEN[1:], "answer"),
                **dict.fromkeys((*ORPHAN_RULES, "R2"), "drop"),
                **dict.fromkeys(("R3", "R9"), "move"),
                **dict.fromkeys(("M2", "M3"), "merge"),
            },
            pair_strategy="leave",
            wording=_words("pydantic-ai"),
            caveat=tr(
                "Leaves the calls in the last response for the resumed run to handle. Late and repeated results "
                "are not repaired. If there are any, nothing is written."
            ),
            imitates="pydantic-ai",
            source="pydantic-ai-slim 2.68.0 messages.py _drop_orphaned_tool_results, _repair_dangling_tool_calls",
        ),
    )
}


def preset_named(name: str) -> Preset:
    """Return the preset of this name. Raises UnknownName."""
    if name not in PRESETS:
        raise UnknownName(
            tr("There is no preset named {name}. The presets are {presets}.", name=name, presets=", ".join(PRESETS))
        )
    return PRESETS[name]
