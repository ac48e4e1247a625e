"""What the providers' APIs take of a message, wire by wire.

Sources: the `anthropic` SDK's `types/*_param.py`; the `openai` SDK's `types/chat` and `types/responses`; google-genai
`types.py` (Content, Part); botocore's `bedrock-runtime` model (ContentBlock, ToolResultContentBlock). The Python SDKs
write members that are not set as null, which counts as missing.
"""

from msgspec.structs import replace

from inspector.core.wire import converse, gemini, openai
from inspector.core.wire.shapes.shape import BOOLEAN, LIST, OBJECT, TEXT, FieldSchema, ObjectSchema
from inspector.core.wire.spelling import tables as spelling
from inspector.core.wire.told import (
    TextEncoder,
    encode_output_object,
    encode_string,
    encode_text_object,
    encode_text_object_list,
    typed_text_encoder,
    typed_text_list_encoder,
)

_A_TEXT = FieldSchema((TEXT,))
_SOME_TEXT = FieldSchema((TEXT,), needed=True)
_NAME = FieldSchema((TEXT,), needed=True, non_empty=True)
_AN_OBJECT = FieldSchema((OBJECT,), needed=True)


def _of(**fields: FieldSchema) -> ObjectSchema:
    return ObjectSchema(fields)


def _by_type(kinds: dict[str, ObjectSchema], unsaid: str = "") -> ObjectSchema:
    return ObjectSchema(type_key="type", variants=kinds, default_variant=unsaid)


def _by_role(kinds: dict[str, ObjectSchema]) -> ObjectSchema:
    return ObjectSchema(
        {"role": FieldSchema((TEXT,), needed=True, allowed_values=frozenset(kinds))}, type_key="role", variants=kinds
    )


def _text_field(of: ObjectSchema, part: TextEncoder | None, needed: bool = False) -> FieldSchema:
    """Content that is a text or a list of parts."""
    return FieldSchema((TEXT, LIST), needed, of, text_encoder=encode_string, element_encoder=part)


def _system_message_schema(words: FieldSchema) -> ObjectSchema:
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
        "tool_result": _of(
            content=_text_field(_RESULT_PARTS, typed_text_encoder("text")), is_error=FieldSchema((BOOLEAN,))
        ),
    }
)
ANTHROPIC_CONTENT_FIELD = _text_field(_BLOCKS, typed_text_encoder("text"))
_SPOKEN = dict.fromkeys(("user", "assistant"), _of(content=ANTHROPIC_CONTENT_FIELD))
ANTHROPIC_MESSAGE_SCHEMA = _by_role({**_SPOKEN, "system": _system_message_schema(ANTHROPIC_CONTENT_FIELD)})

# Of agents that keep such messages and hand them on: what they note of pictures, results and signatures is their own.
AGENT_MESSAGE_SCHEMA = _of(
    role=ANTHROPIC_MESSAGE_SCHEMA.fields["role"],
    content=_text_field(
        _by_type({"text": _of(text=_A_TEXT), "thinking": _of(thinking=_SOME_TEXT)}), typed_text_encoder("text")
    ),
)

# OpenAI Chat Completions

# Blocks of Anthropic's, which a gateway left where it should have translated them.
_OF_ANOTHER_API = _of(type=FieldSchema((TEXT,), allowed_values=frozenset({"text", "refusal"})))
_CHAT_PARTS = _by_type(
    {
        **dict.fromkeys(openai.ANTHROPIC_BLOCK_TYPES, _OF_ANOTHER_API),
        "text": _of(text=_SOME_TEXT),
        "refusal": _of(refusal=_SOME_TEXT),
        "image_url": _of(image_url=FieldSchema((OBJECT, TEXT), needed=True)),
        "input_audio": _of(input_audio=_AN_OBJECT),
        "file": _of(file=_AN_OBJECT),
    }
)
_CHAT_WORDS = _text_field(_CHAT_PARTS, typed_text_encoder("text"))
CHAT_MESSAGE_SCHEMA = _by_role(
    {
        "system": _system_message_schema(_CHAT_WORDS),
        "developer": _system_message_schema(_CHAT_WORDS),
        "user": _of(content=_CHAT_WORDS),
        "assistant": _of(content=_CHAT_WORDS, tool_calls=FieldSchema((LIST,))),
        "tool": _of(content=replace(_CHAT_WORDS, needed=True)),
        "function": _of(name=_NAME),
    }
)

# OpenAI Responses

_ITEM_PARTS = _by_type(dict.fromkeys(("input_text", "output_text", "text", "summary_text"), _of(text=_SOME_TEXT)))
_HEARD, _SAID = (_text_field(_ITEM_PARTS, typed_text_encoder(kind)) for kind in ("input_text", "output_text"))
_ITEM_MESSAGE = _by_role(
    {
        "user": _of(content=_HEARD),
        "assistant": _of(content=_SAID),
        "system": _system_message_schema(_HEARD),
        "developer": _system_message_schema(_HEARD),
    }
)
_OUTPUT = _of(output=_text_field(_ITEM_PARTS, typed_text_encoder("input_text"), needed=True))
_SUMMARY = FieldSchema(
    (LIST,),
    needed=True,
    of=_ITEM_PARTS,
    text_encoder=typed_text_list_encoder("summary_text"),
    element_encoder=typed_text_encoder("summary_text"),
)
RESPONSES_ITEM_SCHEMA = _by_type(
    {
        "message": _ITEM_MESSAGE,
        "function_call_output": _OUTPUT,
        "custom_tool_call_output": _OUTPUT,
        "local_shell_call_output": _of(output=FieldSchema((TEXT,), needed=True, text_encoder=encode_string)),
        "shell_call_output": _of(output=FieldSchema((LIST,), needed=True)),
        "computer_call_output": _of(output=_AN_OBJECT),
        "reasoning": _of(summary=_SUMMARY, encrypted_content=_A_TEXT),
    },
    unsaid="message",
)

# Gemini

_RESPONSE = _of(
    id=_A_TEXT, response=FieldSchema((OBJECT,), text_encoder=encode_output_object), parts=FieldSchema((LIST,))
)
_PART_OF = {
    "text": _A_TEXT,
    **dict.fromkeys(("functionCall", "function_call"), FieldSchema((OBJECT,), of=_of(id=_A_TEXT))),
    **dict.fromkeys(("functionResponse", "function_response"), FieldSchema((OBJECT,), of=_RESPONSE)),
}
_BESIDE = dict.fromkeys("thought thoughtSignature thought_signature".split(), FieldSchema((TEXT, BOOLEAN)))
GEMINI_CONTENT_SCHEMA = _of(
    role=FieldSchema((TEXT,), allowed_values=gemini.CONTENT_ROLES),
    parts=FieldSchema(
        (LIST,),
        of=ObjectSchema(
            {key: _PART_OF.get(key, FieldSchema((OBJECT,))) for key in spelling.GEMINI.kinds} | _BESIDE,
            exclusive_keys=frozenset(spelling.GEMINI.kinds),
        ),
        text_encoder=encode_text_object_list,
        element_encoder=encode_text_object,
    ),
)

# Bedrock Converse

_TOLD_PARTS = ObjectSchema(
    {"text": _A_TEXT}, exclusive_keys=frozenset({"text", "json", "image", "document", "video", "searchResult"})
)
_CONTENT_TOLD = FieldSchema(
    (LIST,), needed=True, of=_TOLD_PARTS, text_encoder=encode_text_object_list, element_encoder=encode_text_object
)
_TOOL_RESULT = _of(content=_CONTENT_TOLD, status=_A_TEXT)
_REASONING = FieldSchema((OBJECT,), of=_of(text=_SOME_TEXT, signature=_A_TEXT))
_REASONED = ObjectSchema({"reasoningText": _REASONING}, exclusive_keys=frozenset({"reasoningText", "redactedContent"}))
_MEMBERS = {
    "text": _A_TEXT,
    "toolUse": FieldSchema((OBJECT,)),
    "toolResult": FieldSchema((OBJECT,), of=_TOOL_RESULT),
    "reasoningContent": FieldSchema((OBJECT,), of=_REASONED),
    **dict.fromkeys(("image", "document", "video", "audio"), FieldSchema((OBJECT,))),
}
_BLOCK = ObjectSchema(_MEMBERS, exclusive_keys=frozenset(converse.BLOCK_KEYS))
_CONVERSE_WORDS = FieldSchema(
    (LIST,), of=_BLOCK, text_encoder=encode_text_object_list, element_encoder=encode_text_object
)
_SAID_BY = dict.fromkeys(converse.ROLES, _of(content=_CONVERSE_WORDS))
CONVERSE_MESSAGE_SCHEMA = _by_role({**_SAID_BY, "system": _system_message_schema(_CONVERSE_WORDS)})
