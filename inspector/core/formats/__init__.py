"""What the records of a log mean: FORMATS is the table, a module a format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import NamedTuple

from inspector.core.errors import UnknownName
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.head import Head
from inspector.core.formats.raw import RawRecords
from inspector.core.index.session import Log


class Row(NamedTuple):
    """Where a format is written, and the keys that make a log likely to be its own, with spaces between.

    One of them stands at the top of a line, or of the document. Without any the format is asked when no other is sure.
    `gathers`: its logs may lie in many files or rows, so that it is asked what lies at a path.
    """

    module: str
    name: str
    keys: str = ""
    gathers: bool = False

    def is_likely(self, head: Head) -> bool:
        return not head.keys.isdisjoint(self.keys.split())


_MESSAGES = "role content messages input contents output choices candidates response body params"

ROWS = {
    "claude-code": Row("claude_code", "ClaudeCode", "parentUuid"),
    "qwen-code": Row("qwen_code", "QwenCode", "provenance systemPayload toolCallResult"),
    "claude-stream": Row("claude_stream", "ClaudeStream", "session_id loglines"),
    "neovate": Row("neovate", "Neovate", "role config"),
    "gemini-cli": Row("gemini_cli", "GeminiCli", "projectHash $set $rewindTo"),
    "kimi-code": Row("kimi_code", "KimiCode", "protocol_version event"),
    "kimi-cli": Row("kimi_cli_context", "KimiCliContext", "role"),
    "kimi-cli-wire": Row("kimi_cli_wire", "KimiCliWire", "protocol_version"),
    "cline-task": Row("cline_task", "ClineTask"),
    "cline-ui": Row("cline_ui", "ClineUi"),
    "cline-sdk": Row("cline_sdk", "ClineSdk", "updated_at"),
    "codex": Row("codex", "Codex", "payload record_type instructions"),
    "pi": Row("pi", "Pi", "parentId parentSession"),
    "opencode": Row("opencode", "OpenCode", "info", gathers=True),
    "anthropic-messages": Row("anthropic_messages", "AnthropicMessages", _MESSAGES),
    "openai-chat": Row("openai_chat", "OpenAIChat", _MESSAGES),
    "openai-responses": Row("openai_responses", "OpenAIResponses", _MESSAGES),
    "gemini-contents": Row("gemini_contents", "GeminiContents", _MESSAGES),
    "bedrock-converse": Row("bedrock_converse", "BedrockConverse", _MESSAGES),
    "langchain": Row("langchain", "LangChain", f"{_MESSAGES} lc data values"),
}


class _Formats(Mapping[str, Format]):
    """The formats by name, each loaded when it is first asked for: a check of one log needs few of them."""

    def __init__(self) -> None:
        self._loaded: dict[str, Format] = {}

    def __getitem__(self, name: str) -> Format:
        if name not in self._loaded:
            row = ROWS[name]
            self._loaded[name] = getattr(import_module(f"{__name__}.{row.module}"), row.name)()
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(ROWS)

    def __len__(self) -> int:
        return len(ROWS)

    def __contains__(self, name: object) -> bool:
        return name in ROWS


FORMATS: Mapping[str, Format] = _Formats()
RAW = RawRecords()
_CERTAIN_ENOUGH = 0.4
_SURE = 0.9  # no two formats are sure of one log


def format_named(name: str) -> Format:
    """Raises UnknownName."""
    if name == RAW.name:
        return RAW
    if name not in FORMATS:
        raise UnknownName(f"There is no format called {name}; there are {', '.join(FORMATS)}.")
    return FORMATS[name]


def format_of(log: Log) -> Format:
    """The format that a log was read as."""
    return FORMATS.get(log.format, RAW)


def detect(head: Head) -> Format:
    """The format that claims the log with most certainty; RAW when none is sure enough or two are equally sure."""
    likely = [name for name, row in ROWS.items() if row.is_likely(head)]
    return _most_certain(head, likely, _SURE) or _most_certain(head, FORMATS, _CERTAIN_ENOUGH) or RAW


def _most_certain(head: Head, names: Iterable[str], least: float) -> Format | None:
    """The format among `names` that is most certain, None when it is not certain enough, or another is as certain."""
    scores = sorted(((FORMATS[name].score(head), name) for name in names), reverse=True)
    if not scores or scores[0][0] < least or (len(scores) > 1 and scores[0][0] == scores[1][0]):
        return None
    return FORMATS[scores[0][1]]
