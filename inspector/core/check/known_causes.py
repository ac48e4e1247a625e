"""The known causes of broken logs: what they leave in a log, what happened, and what to do.

KNOWN_CAUSES is the table: causes in logs of Claude Code, in logs of other agents, and in histories that programs,
frameworks and gateways send. For each agent the more specific cause comes before the more general one.
"""

from msgspec import Struct

from inspector.core.analysis.tool_effects import ToolEffect
from inspector.core.providers.profile import OPEN_CALL_RULES
from inspector.core.translation import tr

UNANSWERED_RULES = " ".join(OPEN_CALL_RULES)

REPAIR_ADVICE = tr("Close the agent, repair the log, and resume the repaired copy.")
CHECK_EFFECTS_ADVICE = tr(
    "Repair the log. The interrupted call may have run, so check what it changed before you continue."
)
KEEP_RESULT_AS_NOTE_ADVICE = tr(
    "Repair the log. The result is kept as a note, because it may be the only record of what the tool did."
)
RELINK_ADVICE = tr(
    "Repair the log before you continue. The older history is still in the file, and the repair reconnects it."
)
SALVAGE_ADVICE = tr(
    "Repair the log. Damaged parts are kept in a separate file. Check whether the machine crashed or ran out "
    "of disk space."
)
REPLACE_MEDIA_ADVICE = tr(
    "Repair the log with the replace-media strategy, which replaces the image, or continue in a new session."
)
STRIP_REASONING_ADVICE = tr(
    "Repair the log with the strip-reasoning strategy, which removes the reasoning, or continue in a new session."
)
FIX_PROGRAM_ADVICE = tr(
    "Repair this history, and report the bug to the maintainers of the program that wrote it. Otherwise, the "
    "problem will happen again."
)


class KnownCause(Struct, frozen=True):
    """A known cause: its fingerprint in a log, an explanation, and advice.

    The fingerprint consists of rules (which also show the place in a turn), formats (any where none is named), versions
    from `since` on and before `before`, the effect of the tool, and a pattern of the recorded error. `source` is a
    public report below github.com. `self_repair_version` is the first version that is known to repair such a log by
    itself. Whether it does so with one log is decided by the model of the agent.
    """

    id: str
    rules: str
    formats: tuple[str, ...]
    explanation: str
    advice: str
    source: str
    since: str = ""
    before: str = ""
    effect: ToolEffect | None = None
    error: str = ""
    self_repair_version: str = ""

    @property
    def url(self) -> str:
        """The address of the report."""
        return f"https://github.com/{self.source}"


CLAUDE_CODE_CAUSES = (
    KnownCause(
        "claude-code-ids-twice",
        "K1 K2",
        ("claude-code",),
        tr("Claude Code 2.1.19 wrote calls twice in every session that used tools."),
        REPAIR_ADVICE,
        "anthropics/claude-code/issues/21072",
        since="2.1.18",
        before="2.1.20",
        self_repair_version="2.1.20",
    ),
    KnownCause(
        "claude-code-one-id-twice",
        "K1 K2",
        ("claude-code",),
        tr("Two calls have the same id, and the provider accepts each id only once."),
        REPAIR_ADVICE,
        "anthropics/claude-code/issues/20901",
        self_repair_version="2.1.20",
    ),
    KnownCause(
        "claude-code-interrupted-shell",
        UNANSWERED_RULES,
        ("claude-code",),
        tr("Claude Code was stopped while a command was running, and did not record the result."),
        CHECK_EFFECTS_ADVICE,
        "anthropics/claude-code/issues/1894",
        before="2.1.330",
        self_repair_version="2.1.330",
        effect=ToolEffect.SHELL,
    ),
    KnownCause(
        "claude-code-interrupted",
        UNANSWERED_RULES,
        ("claude-code",),
        tr(
            "Claude Code was stopped, or lost its connection, while tools were running, and did not record their "
            "results."
        ),
        CHECK_EFFECTS_ADVICE,
        "anthropics/claude-code/issues/5060",
        self_repair_version="2.1.330",
    ),
    KnownCause(
        "claude-code-compacted-calls",
        "C1 C2 C3 R1",
        ("claude-code",),
        tr("A compaction by Claude Code removed calls but left their results."),
        KEEP_RESULT_AS_NOTE_ADVICE,
        "anthropics/claude-code/issues/40305",
        self_repair_version="2.1.20",
    ),
    KnownCause(
        "claude-code-advisor",
        "X2",
        ("claude-code",),
        tr("A compaction by Claude Code removed a call to a server tool but left its result."),
        REPAIR_ADVICE,
        "anthropics/claude-code/issues/65098",
    ),
    KnownCause(
        "claude-code-result-twice",
        "R5 R6 R7",
        ("claude-code",),
        tr("One call has two results in the history."),
        REPAIR_ADVICE,
        "anthropics/claude-code/issues/14110",
        self_repair_version="2.1.20",
    ),
    KnownCause(
        "claude-code-result-apart",
        "R2 R3 R4 R8 R9 R10 R12",
        ("claude-code",),
        tr("A message was written between a call and its result."),
        REPAIR_ADVICE,
        "anthropics/claude-code/issues/6836",
        self_repair_version="2.1.330",
    ),
    KnownCause(
        "claude-code-input-no-object",
        "K6",
        ("claude-code",),
        tr(
            "A call was recorded with an input that is not an object. The agent sends this call again each time it "
            "resumes the session."
        ),
        REPAIR_ADVICE,
        "anthropics/claude-code/issues/6696",
    ),
    KnownCause(
        "claude-code-thinking-changed",
        "E1 T2",
        ("claude-code",),
        tr("After Claude Code received a message with thinking, it changed the message."),
        STRIP_REASONING_ADVICE,
        "anthropics/claude-code/issues/63155",
        error=r"thinking.{0,40}blocks in the latest assistant message cannot be modified",
    ),
    KnownCause(
        "claude-code-thinking-unsigned",
        "T1 T3",
        ("claude-code",),
        tr("Thinking from another model, or from another conversation, is sent back to the provider."),
        STRIP_REASONING_ADVICE,
        "anthropics/claude-code/issues/21726",
    ),
    KnownCause(
        "claude-code-large-image",
        "E1 V1",
        ("claude-code",),
        tr(
            "The history contains many images, and one of them is larger than 2000 pixels. The provider rejects "
            "such requests."
        ),
        REPLACE_MEDIA_ADVICE,
        "anthropics/claude-code/issues/34120",
        error=r"image.{0,60}(?:dimension|exceed)|many-image|^$",
    ),
    KnownCause(
        "claude-code-blank-text",
        "M6 M7",
        ("claude-code",),
        tr("An empty text block was written. The provider rejects the block or cannot cache it."),
        REPAIR_ADVICE,
        "anthropics/claude-code/issues/62396",
    ),
    KnownCause(
        "claude-code-parent-not-written",
        "G1 G2",
        ("claude-code",),
        tr("A record refers to a parent that was never written, often after a compaction."),
        RELINK_ADVICE,
        "anthropics/claude-code/issues/46603",
    ),
    KnownCause(
        "claude-code-left-behind",
        "G3",
        ("claude-code",),
        tr("The session continued from an older message, and newer messages are not loaded on resume."),
        RELINK_ADVICE,
        "anthropics/claude-code/issues/89820",
    ),
    KnownCause(
        "claude-code-id-of-snapshot",
        "G4",
        ("claude-code",),
        tr("Two records were given the same id, so one hides the other."),
        RELINK_ADVICE,
        "anthropics/claude-code/issues/36583",
    ),
    KnownCause(
        "claude-code-nul-bytes",
        "F3",
        ("claude-code",),
        tr("The machine stopped while the log was being written, and the file system filled the gap with zeros."),
        SALVAGE_ADVICE,
        "anthropics/claude-code/issues/49876",
    ),
    KnownCause(
        "claude-code-fused-lines",
        "F2",
        ("claude-code",),
        tr("Claude Code was killed while writing a record, and later wrote the next record on the same line."),
        SALVAGE_ADVICE,
        "anthropics/claude-code/issues/52387",
    ),
    KnownCause(
        "claude-code-torn-end",
        "F1",
        ("claude-code",),
        tr("Claude Code was killed, or stopped by a power failure, while it was writing its last record."),
        SALVAGE_ADVICE,
        "anthropics/claude-code/issues/53821",
    ),
    KnownCause(
        "claude-code-unreadable-line",
        "F4 F5 F6 F7",
        ("claude-code",),
        tr("A line in the middle of the file is damaged. Some versions of the agent do not read past this line."),
        SALVAGE_ADVICE,
        "anthropics/claude-code/issues/50347",
    ),
    KnownCause(
        "claude-code-binary-output",
        "E1",
        ("claude-code",),
        tr("A command printed binary data, which breaks every request that contains it."),
        FIX_PROGRAM_ADVICE,
        "anthropics/claude-code/issues/94408",
        error=r"request body is not valid JSON|unexpected end of data",
    ),
)

OTHER_AGENT_CAUSES = (
    KnownCause(
        "codex-interrupted",
        UNANSWERED_RULES,
        ("codex",),
        tr("Codex was interrupted while a tool was running. Older versions send the call without an output."),
        CHECK_EFFECTS_ADVICE,
        "openai/codex/issues/394",
        self_repair_version="0.169.0",
    ),
    KnownCause(
        "codex-output-without-call",
        "C1 C2 R1 R2 R4",
        ("codex",),
        tr("A tool output was kept, but its call is no longer in the history."),
        KEEP_RESULT_AS_NOTE_ADVICE,
        "openai/codex/issues/1019",
        self_repair_version="0.169.0",
    ),
    KnownCause(
        "codex-half-written-line",
        "F1 F2 F4 F6",
        ("codex",),
        tr("Codex wrote part of a record, and then wrote the whole record. Codex skips lines that are not valid JSON."),
        SALVAGE_ADVICE,
        "openai/codex/issues/24425",
    ),
    KnownCause(
        "codex-call-without-id",
        "K3",
        ("codex",),
        tr("A call was recorded without an id, so no output can be matched to the call."),
        REPAIR_ADVICE,
        "openai/codex/issues/42088",
    ),
    KnownCause(
        "copilot-interrupted",
        UNANSWERED_RULES,
        ("copilot-cli",),
        tr("Copilot CLI was killed while tools were running, and did not record their results."),
        CHECK_EFFECTS_ADVICE,
        "github/copilot-cli/issues/3183",
        self_repair_version="1.0.102",
    ),
    KnownCause(
        "copilot-late-result",
        "R3",
        ("copilot-cli",),
        tr("A result was recorded after the event that closed its call (for example, after an abort or a resume)."),
        REPAIR_ADVICE,
        "github/copilot-cli/issues/2323",
    ),
    KnownCause(
        "copilot-nul-bytes",
        "F3",
        ("copilot-cli",),
        tr("The machine stopped while Copilot CLI was writing, and the file system left NUL bytes in the log."),
        SALVAGE_ADVICE,
        "github/copilot-cli/issues/2217",
        self_repair_version="1.0.57",
    ),
    KnownCause(
        "copilot-unescaped-line-break",
        "F4",
        ("copilot-cli",),
        tr("Copilot CLI recorded the output of a tool without escaping its line breaks."),
        SALVAGE_ADVICE,
        "github/copilot-cli/issues/2649",
    ),
    KnownCause(
        "copilot-half-written-event",
        "F1 F2 F6",
        ("copilot-cli",),
        tr(
            "Copilot CLI recorded only part of an event. After the session was resumed, Copilot CLI recorded "
            "the next event on the same line."
        ),
        SALVAGE_ADVICE,
        "github/copilot-cli/issues/4098",
    ),
    KnownCause(
        "dsh-sequence-gap",
        "G8",
        ("dsh",),
        tr("DeepSeek Harness was restarted while it was writing, and some sequence numbers are missing or repeated."),
        REPAIR_ADVICE,
        "dataelement/dsh-desktop/pull/178",
    ),
    KnownCause(
        "gemini-unequal-parts",
        f"{UNANSWERED_RULES} R1 R2 R3 R4 R5 R10",
        ("gemini-cli", "gemini-contents"),
        tr("The number of function responses in a turn differs from the number of function calls."),
        CHECK_EFFECTS_ADVICE,
        "google-gemini/gemini-cli/issues/21830",
    ),
    KnownCause(
        "ai-sdk-went-on",
        UNANSWERED_RULES,
        ("ai-sdk", "ai-sdk-ui"),
        tr("The user continued, or the stream was aborted, before the call had a result."),
        CHECK_EFFECTS_ADVICE,
        "vercel/ai/issues/18451",
    ),
    KnownCause(
        "openai-agents-unsaved-result",
        UNANSWERED_RULES,
        ("openai-agents",),
        tr("The result of an approved tool call could not be saved, and the run continued without the result."),
        CHECK_EFFECTS_ADVICE,
        "openai/openai-agents-python/issues/4615",
    ),
    KnownCause(
        "openai-agents-unsaved-call",
        "R1",
        ("openai-agents",),
        tr(
            "The result of an approved tool call was saved without the call, or the call was removed later. "
            "openai-agents 0.22.0 does not save the call if the agent has output guardrails."
        ),
        KEEP_RESULT_AS_NOTE_ADVICE,
        "openai/openai-agents-python/issues/4827",
    ),
    KnownCause(
        "pydantic-ai-interrupted",
        UNANSWERED_RULES,
        ("pydantic-ai",),
        tr("The run was stopped while a tool was running. Versions before 2.10.0 send the call without a result."),
        CHECK_EFFECTS_ADVICE,
        "pydantic/pydantic-ai/issues/6319",
    ),
    KnownCause(
        "google-adk-interrupted",
        UNANSWERED_RULES,
        ("google-adk",),
        tr(
            "The program was stopped while tools were running. Google ADK saves the results of a turn only "
            "when the last tool has finished. Versions before 2.10.0 send the calls without results."
        ),
        CHECK_EFFECTS_ADVICE,
        "google/adk-python/issues/5856",
    ),
    KnownCause(
        "hermes-interrupted",
        UNANSWERED_RULES,
        ("hermes",),
        tr("Hermes was stopped while a tool was running. It saves a call before the tool runs."),
        CHECK_EFFECTS_ADVICE,
        "NousResearch/hermes-agent/issues/49201",
    ),
    KnownCause(
        "opencode-interrupted",
        UNANSWERED_RULES,
        ("opencode",),
        tr("opencode was interrupted while a tool was running. Older versions send the call without a result."),
        CHECK_EFFECTS_ADVICE,
        "anomalyco/opencode/issues/21326",
        self_repair_version="1.18.33",
    ),
    KnownCause(
        "opencode-call-without-id",
        "K1 K2 K3",
        ("opencode",),
        tr("The model server sent a call without an id, or with an id that was already used."),
        REPAIR_ADVICE,
        "anomalyco/opencode/issues/1279",
    ),
    KnownCause(
        "kimi-killed-in-tool",
        UNANSWERED_RULES,
        ("kimi-code", "kimi-cli"),
        tr("Kimi was killed while a tool was running, and the resumed session sends the call without a result."),
        CHECK_EFFECTS_ADVICE,
        "MoonshotAI/kimi-code/issues/660",
        self_repair_version="2.1.0",
    ),
    KnownCause(
        "kimi-prompt-behind-open-call",
        "R1 R3 R4 R5",
        ("kimi-code", "kimi-cli"),
        tr("When the session was resumed, a new prompt was written between a call and its result."),
        REPAIR_ADVICE,
        "MoonshotAI/kimi-code/issues/701",
        self_repair_version="2.1.0",
    ),
    KnownCause(
        "qwen-missing-link",
        "G1 G2",
        ("qwen-code",),
        tr("A record refers to a parent that is not in the file, so everything before this gap was dropped."),
        RELINK_ADVICE,
        "QwenLM/qwen-code/issues/6501",
    ),
    KnownCause(
        "qwen-pairs",
        f"{UNANSWERED_RULES} K1 K2 R1 R3 R4 R5",
        ("qwen-code",),
        tr(
            "Calls and results do not match, either because of an interruption or because one call was given a "
            "second id."
        ),
        CHECK_EFFECTS_ADVICE,
        "QwenLM/qwen-code/pull/4176",
        self_repair_version="0.24.4",
    ),
    KnownCause(
        "roo-result-twice",
        "R5 R6 R7",
        ("cline-task", "cline-sdk"),
        tr("A result was written twice for one call, because a task was resumed or a tool returned its result again."),
        REPAIR_ADVICE,
        "RooCodeInc/Roo-Code/issues/10465",
    ),
    KnownCause(
        "kilo-cut-between-pair",
        f"{UNANSWERED_RULES} C1 R1 R2 R3 R4",
        ("cline-task", "cline-sdk"),
        tr("A task was interrupted, or its history was shortened, between a call and its result."),
        CHECK_EFFECTS_ADVICE,
        "Kilo-Org/kilocode/issues/5163",
        self_repair_version="3.0.65",
    ),
    KnownCause(
        "pi-compacted-call",
        "C1 C2 R1 R4",
        ("pi", "openclaw"),
        tr("A compaction removed calls but left their results."),
        KEEP_RESULT_AS_NOTE_ADVICE,
        "openclaw/openclaw/issues/8525",
    ),
    KnownCause(
        "pi-aborted-message",
        UNANSWERED_RULES,
        ("pi",),
        tr("The assistant message was cut off, or the agent was stopped during tool calls."),
        CHECK_EFFECTS_ADVICE,
        "openclaw/openclaw/issues/4597",
        self_repair_version="0.87.1",
    ),
)

PROGRAM_CAUSES = (
    KnownCause(
        "gemini-thought-signature",
        "T6",
        ("gemini-cli", "gemini-contents", "cline-task", "openai-chat"),
        tr("A function call was stored without its thought signature."),
        FIX_PROGRAM_ADVICE,
        "cline/cline/issues/8214",
    ),
    KnownCause(
        "langgraph-interrupted",
        UNANSWERED_RULES,
        ("langchain", "langgraph"),
        tr("A graph was stopped before its tools ran, or a message arrived before the tool results."),
        FIX_PROGRAM_ADVICE,
        "langchain-ai/deepagents/issues/5547",
    ),
    KnownCause(
        "langchain-unlisted-call",
        "D7",
        ("langchain", "langgraph"),
        tr("A call was stored only in the text of a message, so it was never run."),
        FIX_PROGRAM_ADVICE,
        "langchain-ai/deepagents/issues/5777",
    ),
    KnownCause(
        "responses-reasoning-alone",
        "T4 T5 T7",
        ("openai-responses", "codex"),
        tr("A reasoning item was kept without the item that follows it, or an item was kept without its reasoning."),
        FIX_PROGRAM_ADVICE,
        "openai/openai-node/issues/1567",
    ),
    KnownCause(
        "chat-one-id-for-all",
        "K1 K2 K3",
        ("openai-chat", "kimi-cli", "langchain", "langgraph"),
        tr("The model server sends several calls with the same id, or calls without an id."),
        FIX_PROGRAM_ADVICE,
        "open-webui/open-webui/issues/28305",
    ),
    KnownCause(
        "bedrock-split-results",
        "R9 R10",
        ("bedrock-converse",),
        tr("The results of one turn are split across several messages, or mixed with other content."),
        FIX_PROGRAM_ADVICE,
        "langchain-ai/langchain-aws/issues/141",
    ),
    KnownCause(
        "bedrock-invalid-tool-name",
        "K7",
        ("bedrock-converse",),
        tr("The model called a tool that does not exist, and no result was recorded."),
        FIX_PROGRAM_ADVICE,
        "strands-agents/harness-sdk/issues/1069",
    ),
    KnownCause(
        "server-tool-paused",
        "X1",
        (),
        tr("The result of a call to a server tool is not in the same message."),
        FIX_PROGRAM_ADVICE,
        "AnswerDotAI/lisette/issues/108",
    ),
)

KNOWN_CAUSES: tuple[KnownCause, ...] = (
    *CLAUDE_CODE_CAUSES,
    *OTHER_AGENT_CAUSES,
    *PROGRAM_CAUSES,
)
