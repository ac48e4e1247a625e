"""What the providers' APIs take of a message, wire by wire.

Sources: the `anthropic` SDK's `types/*_param.py`; the `openai` SDK's `types/chat` and `types/responses`; google-genai
`types.py` (Content, Part); botocore's `bedrock-runtime` model (ContentBlock, ToolResultContentBlock). The Python SDKs
write members that are not set as null, which counts as missing.
"""

from msgspec.structs import replace

from inspector.core.wire import converse, gemini, openai
from inspector.core.wire.shapes.shape import BOOLEAN, LIST, OBJECT, TEXT, Field, Shape
from inspector.core.wire.spelling import tables as spelling
from inspector.core.wire.told import Told, output, string, typed, typed_list, untyped, untyped_list

_A_TEXT = Field((TEXT,))
_SOME_TEXT = Field((TEXT,), needed=True)
_NAME = Field((TEXT,), needed=True, filled=True)
_AN_OBJECT = Field((OBJECT,), needed=True)


def _of(**fields: Field) -> Shape:
    return Shape(fields)


def _by_type(kinds: dict[str, Shape], unsaid: str = "") -> Shape:
    return Shape(by="type", kinds=kinds, unsaid=unsaid)


def _by_role(kinds: dict[str, Shape]) -> Shape:
    return Shape({"role": Field((TEXT,), needed=True, among=frozenset(kinds))}, by="role", kinds=kinds)


def _words(of: Shape, part: Told | None, needed: bool = False) -> Field:
    """Content that is a text or a list of parts."""
    return Field((TEXT, LIST), needed, of, told=string, part=part)


def _whole(words: Field) -> Shape:
    """A message of the system: one that says nothing is no matter of class M7, and refused."""
    return _of(content=replace(words, needed=True, least=1))


# Anthropic

_SOURCE = _of(source=_AN_OBJECT)
_RESULT_PARTS = _by_type({"text": _of(text=_SOME_TEXT), "image": _SOURCE, "document": _SOURCE})
_BLOCKS = _by_type(
    {
        "text": _of(text=_A_TEXT),
        "thinking": _of(thinking=_SOME_TEXT, signature=_A_TEXT),
        "redacted_thinking": _of(data=_SOME_TEXT),
        "image": _SOURCE,
        "document": _SOURCE,
        "server_tool_use": _of(id=_NAME, name=_NAME, input=_AN_OBJECT),
        "web_search_tool_result": _of(tool_use_id=_A_TEXT),
        "tool_result": _of(content=_words(_RESULT_PARTS, typed("text")), is_error=Field((BOOLEAN,))),
    }
)
ANTHROPIC_WORDS = _words(_BLOCKS, typed("text"))
_SPOKEN = dict.fromkeys(("user", "assistant"), _of(content=ANTHROPIC_WORDS))
ANTHROPIC = _by_role({**_SPOKEN, "system": _whole(ANTHROPIC_WORDS)})

# Of agents that keep such messages and hand them on: what they note of pictures, results and signatures is their own.
HANDED_ON = _of(
    role=ANTHROPIC.fields["role"],
    content=_words(_by_type({"text": _of(text=_A_TEXT), "thinking": _of(thinking=_SOME_TEXT)}), typed("text")),
)

# OpenAI Chat Completions

# Blocks of Anthropic's, which a gateway left where it should have translated them.
_OF_ANOTHER_API = _of(type=Field((TEXT,), among=frozenset({"text", "refusal"})))
_CHAT_PARTS = _by_type(
    {
        **dict.fromkeys(openai.FOREIGN_PARTS, _OF_ANOTHER_API),
        "text": _of(text=_SOME_TEXT),
        "refusal": _of(refusal=_SOME_TEXT),
        "image_url": _of(image_url=Field((OBJECT, TEXT), needed=True)),
        "input_audio": _of(input_audio=_AN_OBJECT),
        "file": _of(file=_AN_OBJECT),
    }
)
_CHAT_WORDS = _words(_CHAT_PARTS, typed("text"))
OPENAI_CHAT = _by_role(
    {
        "system": _whole(_CHAT_WORDS),
        "developer": _whole(_CHAT_WORDS),
        "user": _of(content=_CHAT_WORDS),
        "assistant": _of(content=_CHAT_WORDS, tool_calls=Field((LIST,))),
        "tool": _of(content=replace(_CHAT_WORDS, needed=True)),
        "function": _of(name=_NAME),
    }
)

# OpenAI Responses

_ITEM_PARTS = _by_type(dict.fromkeys(("input_text", "output_text", "text", "summary_text"), _of(text=_SOME_TEXT)))
_HEARD, _SAID = (_words(_ITEM_PARTS, typed(kind)) for kind in ("input_text", "output_text"))
_ITEM_MESSAGE = _by_role(
    {
        "user": _of(content=_HEARD),
        "assistant": _of(content=_SAID),
        "system": _whole(_HEARD),
        "developer": _whole(_HEARD),
    }
)
_OUTPUT = _of(output=_words(_ITEM_PARTS, typed("input_text"), needed=True))
_SUMMARY = Field((LIST,), needed=True, of=_ITEM_PARTS, told=typed_list("summary_text"), part=typed("summary_text"))
OPENAI_RESPONSES = _by_type(
    {
        "message": _ITEM_MESSAGE,
        "function_call_output": _OUTPUT,
        "custom_tool_call_output": _OUTPUT,
        "local_shell_call_output": _of(output=Field((TEXT,), needed=True, told=string)),
        "shell_call_output": _of(output=Field((LIST,), needed=True)),
        "computer_call_output": _of(output=_AN_OBJECT),
        "reasoning": _of(summary=_SUMMARY, encrypted_content=_A_TEXT),
    },
    unsaid="message",
)

# Gemini

_RESPONSE = _of(id=_A_TEXT, response=Field((OBJECT,), told=output), parts=Field((LIST,)))
_PART_OF = {
    "text": _A_TEXT,
    **dict.fromkeys(("functionCall", "function_call"), Field((OBJECT,), of=_of(id=_A_TEXT))),
    **dict.fromkeys(("functionResponse", "function_response"), Field((OBJECT,), of=_RESPONSE)),
}
_BESIDE = dict.fromkeys("thought thoughtSignature thought_signature".split(), Field((TEXT, BOOLEAN)))
GEMINI = _of(
    role=Field((TEXT,), among=gemini.SPEAKERS),
    parts=Field(
        (LIST,),
        of=Shape(
            {key: _PART_OF.get(key, Field((OBJECT,))) for key in spelling.GEMINI.kinds} | _BESIDE,
            one_of=frozenset(spelling.GEMINI.kinds),
        ),
        told=untyped_list,
        part=untyped,
    ),
)

# Bedrock Converse

_TOLD_PARTS = Shape({"text": _A_TEXT}, one_of=frozenset({"text", "json", "image", "document", "video", "searchResult"}))
_CONTENT_TOLD = Field((LIST,), needed=True, of=_TOLD_PARTS, told=untyped_list, part=untyped)
_TOOL_RESULT = _of(content=_CONTENT_TOLD, status=_A_TEXT)
_REASONING = Field((OBJECT,), of=_of(text=_SOME_TEXT, signature=_A_TEXT))
_REASONED = Shape({"reasoningText": _REASONING}, one_of=frozenset({"reasoningText", "redactedContent"}))
_MEMBERS = {
    "text": _A_TEXT,
    "toolUse": Field((OBJECT,)),
    "toolResult": Field((OBJECT,), of=_TOOL_RESULT),
    "reasoningContent": Field((OBJECT,), of=_REASONED),
    **dict.fromkeys(("image", "document", "video", "audio"), Field((OBJECT,))),
}
_BLOCK = Shape(_MEMBERS, one_of=frozenset(converse.KEYS))
_CONVERSE_WORDS = Field((LIST,), of=_BLOCK, told=untyped_list, part=untyped)
_SAID_BY = dict.fromkeys(converse.ROLES, _of(content=_CONVERSE_WORDS))
BEDROCK_CONVERSE = _by_role({**_SAID_BY, "system": _whole(_CONVERSE_WORDS)})
