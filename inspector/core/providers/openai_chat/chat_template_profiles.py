"""The chat templates of models that local servers run: what each refuses, as profiles, and their error wordings.

llama.cpp, LM Studio, vLLM and SGLang turn the messages of the OpenAI API into a prompt with the template that belongs
to the model. A template raises its own errors, before the model sees anything, and cares about other things than a
provider: most take calls without results, and results without calls.

Sources: the templates themselves, as llama.cpp keeps them in models/templates (in llama-cpp-python 0.3.36):
Qwen-Qwen3-0.6B, Qwen3-Coder, Qwen3.5-4B, openai-gpt-oss-120b, MiniMax-M2, MiniMax-M3,
Mistral-Small-3.2-24B-Instruct-2506, mistralai-Mistral-Nemo-Instruct-2407 and
mistralai-Ministral-3-14B-Reasoning-2512; that of Qwen 3.6 differs from Qwen 3.5 only in how it writes reasoning and
arguments. What a server does first: vllm-project/vllm entrypoints/chat_utils.py (`null` is an empty text, arguments are
parsed) and ggml-org/llama.cpp common/chat.cpp ("Failed to parse tool call arguments as JSON") and
tools/server/server-common.cpp (images). `tests/interop/chat_templates` renders the templates.

As users pasted the texts: lemonade-sdk/lemonade#2674 (system message), tinyhumansai/openhuman#5291 (user query),
anthropics/claude-code#77928 (item type), mudler/LocalAI#10558 (item pairs).
"""

from inspector.core.model.columnar_index import Role
from inspector.core.providers.profile import ErrorExplanations, ErrorWording, Profile, program_reports_sentence
from inspector.core.translation import tr

# The rules about results that a call does not directly precede, or that are surplus.
_STRAY_RESULTS = ("R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R11", "R12", "K5", "C2")
_NO_JSON = "Failed to parse tool call arguments as JSON: parse error"
_F7 = "The request body is not valid JSON: no low surrogate in string"
_SERVER = {"F7": _F7, "K14": _NO_JSON}
_NO_ITEMS = "Can only get item pairs from a mapping."
_NO_CALL = "Message has tool role, but there was no previous assistant message with a tool call!"
_NINE = "Tool call IDs should be alphanumeric strings with length 9!"
_CHANNEL = (
    "You have passed a message containing <|channel|> tags in the {field} field. Instead of doing this, you should "
    "pass analysis messages (the string between '<|message|>' and '<|end|>') in the 'thinking' field, and final "
    "messages (the string between '<|message|>' and '<|end|>') in the 'content' field."
)
_ALTERNATE = "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."
_TWO_ROLES = "Only user and assistant roles are supported, with the exception of an initial optional system message!"
_NO_IMAGES = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"
_TEXT = frozenset({"text"})
_IMAGES = _TEXT | {"image", "image_url"}
_VISUAL = _IMAGES | {"video"}
_TEXTS_ONLY = dict.fromkeys(("system", "user", "assistant", "call"), _TEXT)
_LLAMA = "ggml-org/llama.cpp models/templates/"


def _template(
    name: str,
    label: str,
    refusals: dict[str, str],
    source: str,
    call_id_pattern: str = "",
    content_parts: dict[str, frozenset[str]] | None = None,
) -> Profile:
    return Profile(
        name=name,
        label=label,
        merged_roles=frozenset({Role.TOOL}),
        result_role=Role.TOOL,
        refusals=refusals | _SERVER,
        source=source,
        call_id_pattern=call_id_pattern,
        api="openai-chat",
        content_parts=content_parts or {},
    )


TEMPLATE_PROFILES = (
    _template(
        "qwen-3.5",
        "chat template of Qwen 3.5 and 3.6",
        {
            "K14 no-object": _NO_ITEMS,
            "M13 not-first": "System message must be at the beginning.",
            "M13 developer": "Unexpected message role.",
            "M14": "No user query found in messages.",
            "M17": "Unexpected item type in content.",
            "X3 unsupported": "Unexpected item type in content.",
        },
        _LLAMA + "Qwen3.5-4B.jinja",
        content_parts={"system": _TEXT, **dict.fromkeys(("user", "assistant", "call", "tool"), _VISUAL)},
    ),
    _template(
        "qwen-3-coder",
        "chat template of Qwen 3 Coder",
        {"K14 no-object": _NO_ITEMS, "M17": _NO_IMAGES},
        _LLAMA + "Qwen3-Coder.jinja",
        content_parts=_TEXTS_ONLY,
    ),
    _template(
        "qwen-3",
        "chat template of Qwen 3",
        {"M17": _NO_IMAGES},
        _LLAMA + "Qwen-Qwen3-0.6B.jinja",
        content_parts=_TEXTS_ONLY,
    ),
    _template(
        "gpt-oss",
        "chat template of gpt-oss",
        {
            **{f"{rule} no-call": _NO_CALL for rule in _STRAY_RESULTS},
            "M17": _NO_IMAGES,
            "M16": _CHANNEL.format(field="content"),
            "M16 thinking": _CHANNEL.format(field="thinking"),
            "M16 both": "Cannot pass both content and thinking in an assistant message with tool calls! Put the "
            "analysis message in one or the other, but not both.",
        },
        _LLAMA + "openai-gpt-oss-120b.jinja",
        content_parts=_TEXTS_ONLY,
    ),
    _template(
        "minimax-m2",
        "chat template of MiniMax M2 and M3",
        {
            **{f"{rule} no-call": _NO_CALL for rule in _STRAY_RESULTS},
            "K14 no-object": "'list object' has no attribute 'items'",
        },
        _LLAMA + "MiniMax-M2.jinja",
    ),
    _template(
        "mistral-small",
        "chat template of Mistral Small 3",
        {
            **{f"{rule} id": _NINE for rule in _STRAY_RESULTS},
            "K3": _NINE,
            "K4": _NINE,
            "M13 developer": "Only system, user, assistant, and tool roles are supported!",
            "M15": _ALTERNATE,
            "M17": "Only text and image blocks are supported in message content!",
        },
        _LLAMA + "Mistral-Small-3.2-24B-Instruct-2506.jinja",
        call_id_pattern="(?s:.{9})",
        content_parts={"user": _IMAGES, "assistant": _IMAGES},
    ),
    _template(
        "mistral-nemo",
        "chat template of Mistral Nemo",
        {
            **{f"{rule} id": _NINE for rule in _STRAY_RESULTS},
            "K3": _NINE,
            "K4": _NINE,
            "M13 not-first": _TWO_ROLES,
            "M13 developer": _TWO_ROLES,
            "M15": _ALTERNATE,
            "M17": _NO_IMAGES,
        },
        _LLAMA + "mistralai-Mistral-Nemo-Instruct-2407.jinja",
        call_id_pattern="(?s:.{9})",
        content_parts={"user": _TEXT, "assistant": _TEXT},
    ),
    _template(
        "ministral-3",
        "chat template of Ministral 3",
        {
            "M7": "Assistant message must have a string or a list of chunks in content or a list of tool calls.",
            "M13 not-first": "Only user, assistant and tool roles are supported, got system.",
            "M13 developer": "Only user, assistant and tool roles are supported, got developer.",
            "M15": "After the optional system message, conversation roles must alternate user and assistant roles "
            "except for tool calls and results.",
            "M17": "Only text, image and image_url chunks are supported in user message content.",
        },
        _LLAMA + "mistralai-Ministral-3-14B-Reasoning-2512.jinja",
        content_parts={"user": _IMAGES, **dict.fromkeys(("system", "assistant", "call"), _TEXT | {"thinking"})},
    ),
)

# The servers write these texts inside others: "Error: Jinja Exception: …" (llama.cpp, LM Studio),
# "jinja2.exceptions.TemplateError: …" (vLLM, SGLang), "jinja template rendering failed. …" (Fireworks).
_NO_CALL_PATTERN = r"Message has tool role, but there was no previous assistant message with a tool call"
_AFTER_NO_CALL = ("R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R11", "R12", "C2", "K5")
_TEMPLATE = "A chat template"
_NO_OBJECT = program_reports_sentence(_TEMPLATE, tr("The arguments of a call are a string instead of an object."))
_ALTERNATION = program_reports_sentence(_TEMPLATE, tr("User messages and answers do not alternate."))
_MISPLACED_SYSTEM = program_reports_sentence(_TEMPLATE, tr("The system message is not the first message."))
_UNKNOWN_ROLE = program_reports_sentence(_TEMPLATE, tr("A message has a role that the template does not support."))
_UNKNOWN_PART = program_reports_sentence(_TEMPLATE, tr("A message contains a part that the template does not support."))

TEMPLATE_WORDINGS: dict[str, tuple[ErrorWording, ...]] = {
    "qwen-3.5": (
        ErrorWording(r"System message must be at the beginning", ("M13",), _MISPLACED_SYSTEM),
        ErrorWording(
            r"No user query found in messages",
            ("M14",),
            program_reports_sentence(_TEMPLATE, tr("The history does not contain a user message.")),
        ),
        ErrorWording(
            r"(TemplateError|Jinja Exception|raise_exception\()\W{0,4}Unexpected item type in content",
            ("M17", "X3", "M12"),
            program_reports_sentence(_TEMPLATE, tr("A message contains a part that is neither text nor an image.")),
        ),
        ErrorWording(
            r"(TemplateError|Jinja Exception)\W{0,4}Unexpected message role",
            ("M13", "M12"),
            _UNKNOWN_ROLE,
        ),
        ErrorWording(r"Can only get item pairs from a mapping", ("K14", "K6"), _NO_OBJECT),
    ),
    "minimax-m2": (
        ErrorWording(
            rf"minimax.{{0,400}}{_NO_CALL_PATTERN}|{_NO_CALL_PATTERN}.{{0,400}}minimax",
            _AFTER_NO_CALL,
            program_reports_sentence(_TEMPLATE, ErrorExplanations.ORPHAN),
        ),
        ErrorWording(r"(str|list|None) object has no attribute items", ("K14", "K6"), _NO_OBJECT),
    ),
    "gpt-oss": (
        ErrorWording(_NO_CALL_PATTERN, _AFTER_NO_CALL, program_reports_sentence(_TEMPLATE, ErrorExplanations.ORPHAN)),
        ErrorWording(
            r"message containing <\|channel\|> tags in the (content|thinking) field|"
            r"Cannot pass both content and thinking in an assistant message with tool calls",
            ("M16",),
            program_reports_sentence(_TEMPLATE, tr("A message's reasoning is in the wrong field.")),
        ),
    ),
    "ministral-3": (
        ErrorWording(r"conversation roles must alternate user and assistant roles except", ("M15",), _ALTERNATION),
        ErrorWording(
            r"Only user, assistant and tool roles are supported, got",
            ("M13", "M12"),
            _UNKNOWN_ROLE,
        ),
        ErrorWording(
            r"Assistant message must have a string or a list of chunks in content",
            ("M7", "M6"),
            ErrorExplanations.EMPTY,
        ),
        ErrorWording(
            r"Only text, image and image_url chunks are supported|Only text and thinking chunks are supported in",
            ("M17", "M12"),
            _UNKNOWN_PART,
        ),
    ),
    "mistral-small": (
        ErrorWording(
            r"Tool call IDs should be alphanumeric strings with length 9",
            ("K4", "K3", "R1"),
            ErrorExplanations.ILLEGAL_ID,
        ),
        ErrorWording(r"conversation roles must alternate user/assistant", ("M15", "M2", "M3"), _ALTERNATION),
        ErrorWording(
            r"Only text and image blocks are supported in (message|assistant) content",
            ("M17", "M12"),
            _UNKNOWN_PART,
        ),
        ErrorWording(
            r"Only (system, user, assistant, and tool|user and assistant) roles are supported",
            ("M13", "M12"),
            _UNKNOWN_ROLE,
        ),
    ),
}
