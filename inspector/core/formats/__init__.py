"""What the records of a log mean: FORMATS is the table, a module a format."""

from inspector.core.errors import UnknownName
from inspector.core.formats.anthropic_messages import AnthropicMessages
from inspector.core.formats.claude_code import ClaudeCode
from inspector.core.formats.format import Format
from inspector.core.formats.neovate import Neovate
from inspector.core.formats.openai_chat import OpenAIChat
from inspector.core.formats.raw import RawRecords
from inspector.core.head import Head
from inspector.core.session import Log

FORMATS: dict[str, Format] = {
    format.name: format for format in (ClaudeCode(), Neovate(), AnthropicMessages(), OpenAIChat())
}
RAW = RawRecords()
_CERTAIN_ENOUGH = 0.4


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
    scores = sorted(((format.score(head), name) for name, format in FORMATS.items()), reverse=True)
    best, second = scores[0], scores[1]
    if best[0] < _CERTAIN_ENOUGH or best[0] == second[0]:
        return RAW
    return FORMATS[best[1]]
