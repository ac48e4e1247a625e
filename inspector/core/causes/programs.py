"""Known causes in histories that programs, frameworks and gateways send."""

from inspector.core.causes.cause import FIX_PROGRAM_ADVICE, UNANSWERED_RULES, KnownCause

PROGRAM_CAUSES = (
    KnownCause(
        "gemini-thought-signature",
        "T6",
        ("gemini-cli", "gemini-contents", "cline-task", "openai-chat"),
        "The signature of the model's thoughts was not kept with a function call.",
        FIX_PROGRAM_ADVICE,
        "cline/cline/issues/8214",
    ),
    KnownCause(
        "langgraph-interrupted",
        UNANSWERED_RULES,
        ("langchain",),
        "A graph was stopped before its tools had run, or a message came in before their results.",
        FIX_PROGRAM_ADVICE,
        "langchain-ai/deepagents/issues/5547",
    ),
    KnownCause(
        "langchain-unlisted-call",
        "D7",
        ("langchain",),
        "A call stands in the content of a message alone, so that nothing answered it.",
        FIX_PROGRAM_ADVICE,
        "langchain-ai/deepagents/issues/5777",
    ),
    KnownCause(
        "responses-reasoning-alone",
        "T4 T5 T7",
        ("openai-responses", "codex"),
        "A reasoning item was kept without the item that it led to, or the other way round.",
        FIX_PROGRAM_ADVICE,
        "openai/openai-node/issues/1567",
    ),
    KnownCause(
        "chat-one-id-for-all",
        "K1 K2 K3",
        ("openai-chat", "kimi-cli", "langchain"),
        "The model's server gives several calls one id, or none.",
        FIX_PROGRAM_ADVICE,
        "open-webui/open-webui/issues/28305",
    ),
    KnownCause(
        "bedrock-split-results",
        "R9 R10",
        ("bedrock-converse",),
        "The results of one turn stand in several messages, or beside other content.",
        FIX_PROGRAM_ADVICE,
        "langchain-ai/langchain-aws/issues/141",
    ),
    KnownCause(
        "bedrock-invalid-tool-name",
        "K7",
        ("bedrock-converse",),
        "The model called a tool by a name that does not exist, and no result was put into the history.",
        FIX_PROGRAM_ADVICE,
        "strands-agents/harness-sdk/issues/1069",
    ),
    KnownCause(
        "server-tool-paused",
        "X1",
        (),
        "The provider's own tool was called, and its result is not in the same message.",
        FIX_PROGRAM_ADVICE,
        "AnswerDotAI/lisette/issues/108",
    ),
)
