"""What libraries and agents say before, or instead of, a provider.

Sources: langchain-ai/langgraph#4289, langgraph-swarm-py#94; vercel/ai#4584 and op7418/CodePilot#529 (AI SDK);
pydantic-ai `_agent_graph.py`; google-adk `contents.py`; anthropics/claude-code#3277 (surrogates);
github/copilot-cli#2649 (torn log).
"""

from inspector.core.known_texts.provider_errors.wordings.wording import (
    UNANSWERED_CALL_RULES,
    ErrorSentence,
    ErrorWording,
)

PROGRAM_WORDINGS = (
    ErrorWording(
        r"do not have a corresponding ToolMessage|INVALID_CHAT_HISTORY",
        UNANSWERED_CALL_RULES,
        "LangGraph: " + ErrorSentence.UNANSWERED,
    ),
    ErrorWording(
        r"Tool results? (is|are) missing for tool calls?|MissingToolResultsError",
        UNANSWERED_CALL_RULES,
        "AI SDK: " + ErrorSentence.UNANSWERED,
    ),
    ErrorWording(r"ToolInvocation must have a result", UNANSWERED_CALL_RULES, "AI SDK: " + ErrorSentence.UNANSWERED),
    ErrorWording(
        r"history contains unprocessed tool calls", UNANSWERED_CALL_RULES, "pydantic-ai: " + ErrorSentence.UNANSWERED
    ),
    ErrorWording(
        r"No function call event found for function responses? ids", ("R1", "R2"), "Google ADK: " + ErrorSentence.ORPHAN
    ),
    ErrorWording(
        r"no low surrogate|lone surrogate|invalid \w*\s?surrogate|surrogates not allowed",
        ("F7",),
        "A text holds half of a surrogate pair.",
    ),
    ErrorWording(
        r"expected ordinal \d+, got \d+|paginated rollout record .* is missing an ordinal",
        ("G8",),
        "Codex: a line has no number, or one that the line before it has, too.",
    ),
    ErrorWording(
        r"Unterminated string in JSON at position|Bad control character in string literal in JSON",
        ("F1", "F2", "F3", "F4", "F6"),
        "A line of the log is torn or damaged.",
    ),
)
