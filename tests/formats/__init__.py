"""How the tests write and load every format: FORMATS is the table, a module a format.

A module knows two things, neither by way of the product: how the agent writes a history (`write`), and how the agent
loads what lies on disk (`load`, the reference fold, from the documented algorithm that its docstring names).
"""

from tests.formats import anthropic_messages, claude_code, neovate, openai_chat
from tests.formats.written import WrittenFormat

FORMATS: dict[str, WrittenFormat] = {
    module.FORMAT.name: module.FORMAT for module in (claude_code, neovate, anthropic_messages, openai_chat)
}
