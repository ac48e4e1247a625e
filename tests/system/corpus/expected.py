"""What every file of the corpus is to the product, and why that is otherwise than its index says.

A format of which no more than its own module in `tests/core/formats` need tell says it there, as CORPUS.
"""

from tests.core.formats import MODULES
from tests.system.corpus.otherwise import Otherwise

# The format of the index → that of the product. What is not named here is in none of its formats.
FORMATS = {
    "claude-code": "claude-code",
    "claude-stream": "claude-stream",
    "cline": "cline-sdk",
    "cline-classic": "cline-task",
    "cline-sdk": "cline-sdk",
    "codex": "codex",
    "gemini": "gemini-cli",
    "kimi": "kimi-code",
    "litellm-log": "litellm-log",
    "otel": "otel",
    "openai-msgs": "openai-chat",
    "qwen": "qwen-code",
    "qwen-stream": "claude-stream",
}


OTHERWISE = [
    # the index names the program, or the folder; the file is another one of its logs
    Otherwise("kimi/*migration-legacy*context.jsonl", "kimi-cli", "the context of the older program"),
    Otherwise("kimi/*migration-legacy*wire.jsonl", "kimi-cli-wire", "the events of the older program"),
    Otherwise("kimi-cli/*context.jsonl", "kimi-cli", "a context"),
    Otherwise("kimi-cli/*wire.jsonl", "kimi-cli-wire", "events"),
    Otherwise("kimi-cli/*python-jsonl-compat.jsonl", "kimi-cli", "a context with damaged lines"),
    Otherwise("cline-classic/*task1.ui_messages.json", None, "named for what the window showed, and holds messages"),
    Otherwise("cline-classic/*ui_messages.json", "cline-ui", "what the window showed"),
    # not what the index takes them for
    Otherwise("claude-stream/*gemini.jsonl_v040.jsonl", "gemini-cli", "a chat of Gemini CLI among Claude's streams"),
    # parts of stores, and what lies beside logs
    Otherwise("claude-code/*.meta.json", None, "describes a subagent; holds no messages"),
    Otherwise("cline-classic/*task_metadata.json", None, "describes a task; holds no messages"),
    Otherwise("cline-sdk/*session.json", None, "describes a session; holds no messages"),
    Otherwise("cline-classic/*task1.api_conversation_history.json", None, "elements without a role or content"),
    Otherwise("codex/*schema_drift.jsonl", None, "one line of five is Codex's, the others are made up"),
    # mixed folders, whose files the index does not tell apart
    Otherwise("agentsview-mixed/*blockquotes_session.jsonl", "codex", "a rollout"),
    Otherwise("agentsview-mixed/*fc_*.jsonl", "codex", "a rollout"),
    Otherwise("agentsview-mixed/*function_calls.jsonl", "codex", "a rollout"),
    Otherwise("agentsview-mixed/*standard_session.jsonl", "codex", "a rollout"),
    Otherwise("agentsview-mixed/*standard_session.json", "gemini-cli", "a chat"),
    Otherwise("agentsview-mixed/*system_messages.json", "gemini-cli", "a chat"),
    Otherwise("agentsview-mixed/*thinking_only.json", "gemini-cli", "a chat"),
    Otherwise("agentsview-mixed/*tool_calls*.json", "gemini-cli", "a chat"),
    Otherwise("agentsview-mixed/*valid_session.jsonl", "claude-stream", "lines that name no parent"),
    Otherwise("cass-mixed/*hash123.chats.session-test.json", "gemini-cli", "a chat"),
    Otherwise("cass-mixed/*agent-test123.jsonl", "claude-code", "a session"),
    Otherwise("cass-mixed/*rollout-*.jsonl", "codex", "a rollout"),
    # the messages of a provider's API, as another program keeps them
    Otherwise("other/*tests.test_data.*.traj.json", "openai-chat", "a bare list of chat messages, as they were sent"),
    Otherwise("other/*sample_session.json", "claude-stream", "loglines of the web: the same messages in one document"),
]

# What the index counts otherwise than the product: (end of the path, count) → (product, index, reason).
COUNTED = {
    ("claude-stream/*gemini.jsonl_v040.jsonl", "calls"): (1, 0, "the index does not know the shape"),
    ("claude-stream/*gemini.jsonl_v040.jsonl", "results"): (1, 0, "the index does not know the shape"),
    ("deepseek-harness/*deja-vu__session.jsonl", "results"): (1, 0, "the index does not know the shape"),
    ("deepseek-harness/*deja-vu__session.jsonl", "orphan"): (1, 0, "the index does not know the shape"),
    ("other/*function_calling_simple.traj", "calls"): (5, 0, "the index does not know the shape"),
    ("other/*function_calling_simple.traj", "results"): (5, 0, "the index does not know the shape"),
}

# Broken logs, by the end of their path, with the classes that make them so; every other one is not broken.
BROKEN = {
    # Made by hand for tests: their messages have no type, so Codex 0.169.0 skips them.
    "agentsview-mixed/*fc_args_1.jsonl": "D1 M12",
    "agentsview-mixed/*fc_args_2.jsonl": "D1 K6 M12",
    "agentsview-mixed/*fc_stdin.jsonl": "D1 K6 M12",
    "agentsview-mixed/*function_calls.jsonl": "D1 K2 K6 M12",
    "agentsview-mixed/*__standard_session.jsonl": "M12",
    "agentsview-mixed/*tool_calls.json": "D1",
    "agentsview-mixed/*valid_session.jsonl": "D2",
    "cass-mixed/*agent-test123.jsonl": "D1",
    # Made by hand for tests: Codex 0.169.0 skips a message whose part has the type "text".
    "cass-mixed/*rollout-test.jsonl": "M12",
    "cass-mixed/*rollout-tool-call.jsonl": "M12",
    "claude-stream/*tool_call_pending.jsonl": "D1",
    "claude-stream/*truncated.jsonl": "F1",
    "cline-sdk/*success.messages.json": "K11",
    "codex/*event-shapes.jsonl": "K6 M12",
    "codex/*interaction-detail.jsonl": "K6",
    "codex/*sample-session.jsonl": "F6",
    "codex/*codex.small.jsonl": "K6 K7 K10",
    "kimi/*recent-protocol-1.10.context.jsonl": "D3",
    "kimi/*with-subagent-collapsed.wire.jsonl": "D1",
    "kimi-cli/*python-jsonl-compat.jsonl": "F6 M12",
    "qwen/*fused-after-torn.jsonl": "F2",
    "qwen/*killed-in-tool.jsonl": "D1",
    "qwen/*went-on-after-kill.jsonl": "D2",
}

for _format, _told in ((each.FORMAT.name, each.CORPUS) for each in MODULES if hasattr(each, "CORPUS")):
    FORMATS |= dict.fromkeys(_told.folders, _format)
    OTHERWISE += (Otherwise(path, _format, "a session") for path in _told.elsewhere)
    BROKEN |= _told.broken
