"""The known error wordings of providers and programs, and the marks of servers that pass errors on.

Sources: langchain-ai/langgraph#4289, langgraph-swarm-py#94; vercel/ai#4584 and op7418/CodePilot#529 (AI SDK);
pydantic-ai `_agent_graph.py`; google-adk `contents.py`; anthropics/claude-code#3277 (surrogates);
github/copilot-cli#2649 (torn log); vercel/ai#9968 and vercel/ai#7258 (AI SDK); lidge-jun/opencodex#4874.
"""

from inspector.core.providers.anthropic import profiles as anthropic
from inspector.core.providers.bedrock_converse import profiles as bedrock_converse
from inspector.core.providers.gemini import profiles as gemini
from inspector.core.providers.openai_chat import chat_template_profiles
from inspector.core.providers.openai_chat import profiles as openai_chat
from inspector.core.providers.openai_responses import profiles as openai_responses
from inspector.core.providers.profile import (
    UNANSWERED_CALL_RULES,
    ErrorExplanations,
    ErrorWording,
    program_reports_sentence,
)
from inspector.core.translation import tr

PROGRAM_WORDINGS = (
    ErrorWording(
        r"do not have a corresponding ToolMessage|INVALID_CHAT_HISTORY",
        UNANSWERED_CALL_RULES,
        program_reports_sentence("LangGraph", ErrorExplanations.UNANSWERED),
    ),
    ErrorWording(
        r"Tool results? (is|are) missing for tool calls?|MissingToolResultsError",
        UNANSWERED_CALL_RULES,
        program_reports_sentence("AI SDK", ErrorExplanations.UNANSWERED),
    ),
    ErrorWording(
        r"ToolInvocation must have a result",
        UNANSWERED_CALL_RULES,
        program_reports_sentence("AI SDK", ErrorExplanations.UNANSWERED),
    ),
    ErrorWording(
        r"history contains unprocessed tool calls",
        UNANSWERED_CALL_RULES,
        program_reports_sentence("pydantic-ai", ErrorExplanations.UNANSWERED),
    ),
    ErrorWording(
        r"No function call event found for function responses? ids",
        ("R1", "R2"),
        program_reports_sentence("Google ADK", ErrorExplanations.ORPHAN),
    ),
    ErrorWording(
        r"no low surrogate|lone surrogate|invalid \w*\s?surrogate|surrogates not allowed",
        ("F7",),
        tr("A string contains half of a surrogate pair."),
    ),
    ErrorWording(
        r"expected ordinal \d+, got \d+|paginated rollout record .* is missing an ordinal",
        ("G8",),
        program_reports_sentence("Codex", tr("A line has no ordinal or has the same ordinal as the line before it.")),
    ),
    ErrorWording(
        r"no tool invocation found for tool call",
        ("R1", "R2"),
        program_reports_sentence("AI SDK", ErrorExplanations.ORPHAN),
    ),
    ErrorWording(
        r"Unsupported tool part state: input-available|ended with incomplete tool calls?|"
        r"ended with incomplete tool call\(s\)",
        ("D1", "D6", "D5", "D2"),
        ErrorExplanations.UNANSWERED,
    ),
    ErrorWording(
        r"Unterminated string in JSON at position|Bad control character in string literal in JSON",
        ("F1", "F2", "F3", "F4", "F6"),
        tr("A line of the log is incomplete or damaged."),
    ),
)


# By profile, or "" for libraries and agents, which answer before or instead of a provider. The first match counts.
WORDINGS_BY_PROFILE: dict[str, tuple[ErrorWording, ...]] = {
    **chat_template_profiles.TEMPLATE_WORDINGS,
    "anthropic-prefix-bound": anthropic.PREFIX_BOUND_WORDINGS,
    "anthropic": anthropic.ERROR_WORDINGS,
    "openai-responses": openai_responses.ERROR_WORDINGS,
    "gemini": gemini.ERROR_WORDINGS,
    "bedrock-converse": bedrock_converse.ERROR_WORDINGS,
    "mistral": openai_chat.MISTRAL_WORDINGS,
    "openai-chat": openai_chat.ERROR_WORDINGS,
    "": PROGRAM_WORDINGS,
}


# The profiles of chat templates, whose refusals are no provider's.
TEMPLATE_SPEAKERS = frozenset(chat_template_profiles.TEMPLATE_WORDINGS)

# Patterns of texts that were passed on by a gateway, or come from a server with the API of another provider.
SERVER_PATTERNS = (
    ("Azure", r"azure"),
    ("OpenRouter", r"openrouter|Provider returned error"),
    ("LiteLLM", r"litellm|Missing corresponding tool call for tool response"),
    ("Vertex AI", r"_vrtx_|vertex|aiplatform"),
    ("Bedrock", r"bedrock|ValidationException|toolResult blocks|toolUse blocks|\btooluse_|_bdrk_"),
    ("Qwen (DashScope)", r"InternalError\.Algo|dashscope"),
    ("DeepSeek", r"deepseek|insufficient tool messages"),
    ("Moonshot", r"moonshot|kimi|tool_call_id +is not found"),
    ("Zhipu", r"zhipu|bigmodel|\bglm\b|参数非法|messages parameter is illegal"),
    (
        "Mistral",
        r"mistral|invalid_request_message_order|Not the same number of function calls|Unexpected role \w+ after",
    ),
    ("vLLM", r"vllm"),
    ("llama.cpp", r"llama|Jinja Exception|While executing CallExpression|Failed to parse tool call arguments"),
    ("MiniMax", r"minimax|\(2013\)"),
    ("Groq", r"groq|the following must be satisfied"),
    ("GitHub Copilot", r"copilot|CAPIError"),
)
