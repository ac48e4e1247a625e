"""The program's own formats, so that none is loaded to be known: written by python -m tests.docs."""

from inspector.core.formats.bases.known import Known

LISTED = (
    Known("claude-code", "inspector.core.formats.claude_code:ClaudeCode", "parentUuid"),
    Known("claude-stream", "inspector.core.formats.claude_stream:ClaudeStream", "session_id loglines"),
    Known("cline-sdk", "inspector.core.formats.cline_sdk:ClineSdk", "updated_at"),
    Known("cline-task", "inspector.core.formats.cline_task:ClineTask"),
    Known("cline-ui", "inspector.core.formats.cline_ui:ClineUi"),
    Known("codex", "inspector.core.formats.codex:Codex", "payload record_type instructions"),
    Known("gemini-cli", "inspector.core.formats.gemini_cli:GeminiCli", "projectHash $set $rewindTo"),
    Known("kimi-cli", "inspector.core.formats.kimi_cli_context:KimiCliContext", "role"),
    Known("kimi-cli-wire", "inspector.core.formats.kimi_cli_wire:KimiCliWire", "protocol_version"),
    Known("kimi-code", "inspector.core.formats.kimi_code:KimiCode", "protocol_version event"),
    Known("neovate", "inspector.core.formats.neovate:Neovate", "role config"),
    Known("opencode", "inspector.core.formats.opencode:OpenCode", "info", True),
    Known("pi", "inspector.core.formats.pi:Pi", "parentId parentSession"),
    Known("qwen-code", "inspector.core.formats.qwen_code:QwenCode", "provenance systemPayload toolCallResult"),
    Known(
        "anthropic-messages",
        "inspector.core.formats.anthropic_messages:AnthropicMessages",
        "role content messages input contents output choices candidates response body params",
    ),
    Known(
        "bedrock-converse",
        "inspector.core.formats.bedrock_converse:BedrockConverse",
        "role content messages input contents output choices candidates response body params",
    ),
    Known(
        "gemini-contents",
        "inspector.core.formats.gemini_contents:GeminiContents",
        "role content messages input contents output choices candidates response body params",
    ),
    Known(
        "langchain",
        "inspector.core.formats.langchain:LangChain",
        "role content messages input contents output choices candidates response body params lc data values",
    ),
    Known(
        "openai-chat",
        "inspector.core.formats.openai_chat:OpenAIChat",
        "role content messages input contents output choices candidates response body params",
    ),
    Known(
        "openai-responses",
        "inspector.core.formats.openai_responses:OpenAIResponses",
        "role content messages input contents output choices candidates response body params",
    ),
)
