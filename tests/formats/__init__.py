"""How the tests write and load every format: FORMATS is the table, a module a format.

WRITABLE are those that hold calls and are written back, with the containers of opencode beside one another.

A module knows two things, neither by way of the product: how the agent writes a history (`write`), and how the agent
loads what lies on disk (`load`, the reference fold, from the documented algorithm that its docstring names).
"""

from tests.formats import (
    anthropic_messages,
    bedrock_converse,
    claude_code,
    claude_stream,
    cline_sdk,
    cline_task,
    cline_ui,
    codex,
    gemini_cli,
    gemini_contents,
    kimi_cli_context,
    kimi_code,
    langchain,
    neovate,
    openai_chat,
    openai_responses,
    opencode,
    pi,
    qwen_code,
)
from tests.formats.written import WrittenFormat

FORMATS: dict[str, WrittenFormat] = {
    module.FORMAT.name: module.FORMAT
    for module in (
        claude_code,
        claude_stream,
        qwen_code,
        gemini_cli,
        neovate,
        kimi_code,
        kimi_cli_context,
        cline_task,
        cline_ui,
        cline_sdk,
        codex,
        pi,
        opencode,
        anthropic_messages,
        openai_chat,
        openai_responses,
        gemini_contents,
        bedrock_converse,
        langchain,
    )
}

WRITABLE: dict[str, WrittenFormat] = {
    **{name: written for name, written in FORMATS.items() if written is not cline_ui.FORMAT},
    "opencode-database": opencode.DATABASE,
    "opencode-export": opencode.EXPORT,
}
