"""Known causes in histories that programs, frameworks and gateways send."""

from inspector.core.causes.cause import OPEN, SENDER, Cause

CAUSES = (
    Cause(
        "gemini-thought-signature",
        "T6",
        ("gemini-cli", "gemini-contents", "cline-task", "openai-chat"),
        "The signature of the model's thoughts was not kept with a function call.",
        SENDER,
        "cline/cline/issues/8214",
    ),
    Cause(
        "langgraph-interrupted",
        OPEN,
        ("langchain",),
        "A graph was stopped before its tools had run, or a message came in before their results.",
        SENDER,
        "langchain-ai/deepagents/issues/5547",
    ),
    Cause(
        "langchain-unlisted-call",
        "D7",
        ("langchain",),
        "A call stands in the content of a message alone, so that nothing answered it.",
        SENDER,
        "langchain-ai/deepagents/issues/5777",
    ),
    Cause(
        "responses-reasoning-alone",
        "T4 T5 T7",
        ("openai-responses", "codex"),
        "A reasoning item was kept without the item that it led to, or the other way round.",
        SENDER,
        "openai/openai-node/issues/1567",
    ),
    Cause(
        "chat-one-id-for-all",
        "K1 K2 K3",
        ("openai-chat", "kimi-cli", "langchain"),
        "The model's server gives several calls one id, or none.",
        SENDER,
        "open-webui/open-webui/issues/28305",
    ),
    Cause(
        "bedrock-split-results",
        "R9 R10",
        ("bedrock-converse",),
        "The results of one turn stand in several messages, or beside other content.",
        SENDER,
        "langchain-ai/langchain-aws/issues/141",
    ),
    Cause(
        "bedrock-invalid-tool-name",
        "K7",
        ("bedrock-converse",),
        "The model called a tool by a name that does not exist, and no result was put into the history.",
        SENDER,
        "strands-agents/harness-sdk/issues/1069",
    ),
    Cause(
        "server-tool-paused",
        "X1",
        (),
        "The provider's own tool was called, and its result is not in the same message.",
        SENDER,
        "AnswerDotAI/lisette/issues/108",
    ),
)
