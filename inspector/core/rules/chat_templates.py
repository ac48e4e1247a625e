"""Rules about what only the chat templates of local servers reject. They are asked with the profile of a template."""

from collections.abc import Iterator
from typing import Any

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.unmatched_results import tool_label
from inspector.core.formats.base.writer import Writer
from inspector.core.model.columnar_index import Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import message_text
from inspector.core.rules.rule import Hits, RepairStage, RuleMatch, ThreadContext, rule
from inspector.core.storage.json_text import is_valid_json, parse_json, value_at
from inspector.core.translation import tr

_NOT_SENT = (Role.OPAQUE, Role.LINK)
_QUOTED_RESULT = ("<tool_response>", "</tool_response>")
CHANNEL_TAGS = ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>")


@rule(
    "K14",
    "arguments-no-object",
    RepairStage.CALL_FIELDS,
    ("normalise arguments", "leave"),
    preconditions=("K14",),
    by_profile=True,
)
def arguments_without_object(context: ThreadContext) -> Hits:
    """The arguments of a call are not a JSON object.

    What it finds: for the chat template of a local server (--profile), a call whose arguments are not JSON, or are
    a list, a number or null instead of an object. OpenAI's API accepts any text.
    Why it matters: local servers parse the arguments, and templates iterate over their members. The error is "Can only
    get item pairs from a mapping." A single such call makes every later request fail.
    Example:
      assistant  calls Read with arguments "[1]"
      result     of Read
    Repairs: normalise (puts the text into an object, as "_raw").

    Sources: mudler/LocalAI#10558; vllm-project/vllm entrypoints/chat_utils.py; ggml-org/llama.cpp common/chat.cpp.
    """
    if "K14" not in context.profile.refusals or not context.is_sent_unchanged:
        return
    for row in context.call_rows:
        tool = context.tool_by_block_row[row]
        record, ordinal = context.tool_location(tool)
        block = context.format.block_bytes(context.columns, record, context.raw(record), ordinal)
        arguments = value_at(parse_json(block), "/function/arguments")
        if isinstance(arguments, dict) or arguments in (None, ""):
            continue
        is_json = not isinstance(arguments, str) or is_valid_json(arguments.encode(errors="replace"))
        if is_json and (isinstance(arguments, str) and isinstance(parse_json(arguments.encode()), dict)):
            continue
        if is_json and "K14 no-object" not in context.profile.refusals:
            continue
        sentence = (
            tr("The arguments of the call to {tool_label} are not a JSON object.", tool_label=tool_label(context, tool))
            if is_json
            else tr("The arguments of the call to {tool_label} are not JSON.", tool_label=tool_label(context, tool))
        )
        yield context.match_at_tool("K14", tool, sentence, case="no-object" if is_json else "")


@rule(
    "M14",
    "no-user-message",
    RepairStage.FIRST_SPEAKER,
    ("prepend-user", "leave"),
    preconditions=("M14",),
    by_profile=True,
    in_request=True,
)
def no_user_message(context: ThreadContext) -> Hits:
    """The history contains no user message.

    What it finds: for the chat template of Qwen 3.5 (--profile), a history that contains only system, assistant and
    tool messages. A user message that is only a quoted result (`<tool_response>`) does not count.
    Why it matters: "No user query found in messages." An agent that shortens a history at its beginning can remove the
    only user message.
    Example:
      system     you are …
      assistant  calls Read
      result     of Read
    Repairs: prepend-user (adds a short note as a user message at the beginning).

    Source: tinyhumansai/openhuman#5291.
    """
    if "M14" not in context.profile.refusals:
        return
    sent = [record for record in context.thread.path if context.columns.roles[record] not in _NOT_SENT]
    if any(_asks(context, record) for record in sent):
        return
    first = next((record for record in sent if context.columns.roles[record] != Role.SYSTEM), -1)
    if first >= 0:
        severity = None if context.is_sent_unchanged else Severity.INFO  # an agent sends the next prompt with it
        text = tr("The history contains no user message.")
        yield RuleMatch(rule="M14", message=text, record=first, severity=severity)


def _asks(context: ThreadContext, record: int) -> bool:
    """Return whether a message is one of the user, and not only results."""
    columns = context.columns
    if columns.roles[record] != Role.USER:
        return False
    if not context.is_sent_unchanged:
        return any(columns.block_kinds[row] != BlockKind.RESULT for row in columns.block_rows(record))
    text = message_text(value_at(parse_json(context.raw(record)), "/content")).strip()
    return not (text.startswith(_QUOTED_RESULT[0]) and text.endswith(_QUOTED_RESULT[1]))


@rule(
    "M15",
    "roles-not-alternating",
    RepairStage.FIRST_SPEAKER,
    ("bridge roles", "leave"),
    preconditions=("M15",),
    by_profile=True,
)
def roles_not_alternating(context: ThreadContext) -> Hits:
    """User messages and answers do not alternate.

    What it finds: for the chat templates of Mistral's models (--profile), two user messages or two answers with only
    calls and results between them, or an answer that comes before the first user message.
    Why it matters: "After the optional system message, conversation roles must alternate user/assistant/user/
    assistant/..." A single interrupted turn is enough to cause this, because it leaves a user message right after a
    result.
    Example:
      user       fix it
      assistant  calls Read
      result     of Read
      user       stop
    Repairs: bridge (adds a short note with the missing role between the two messages).

    Sources: huggingface.co/mistralai chat templates, see profiles.
    """
    if "M15" not in context.profile.refusals or not context.is_sent_unchanged:
        return
    writable = isinstance(context.format, Writer) and bool(context.format.assistant_record(""))
    is_users_turn = True
    for record, is_user in _speakers(context):
        if is_user != is_users_turn:
            text = (
                tr("Two user messages appear in a row, with no answer between them.")
                if is_user
                else tr("An assistant message does not come after a user message.")
            )
            yield RuleMatch(
                rule="M15",
                message=text,
                record=record,
                strategies=() if writable else ("leave",),
                default="" if writable else "leave",
            )
        is_users_turn = not is_user


def _speakers(context: ThreadContext) -> Iterator[tuple[int, bool]]:
    """Yield the messages that must alternate, each with whether it is the user's.

    A template that does not reject a later message of the system takes it for an answer.
    """
    columns = context.columns
    counts_system = "M13 not-first" not in context.profile.refusals
    for number, record in enumerate(context.thread.path):
        role = columns.roles[record]
        if role == Role.USER:
            yield record, True
        elif role == Role.SYSTEM:
            if number and counts_system:
                yield record, False
        elif role == Role.ASSISTANT and not any(
            columns.block_kinds[row] == BlockKind.CALL for row in columns.block_rows(record)
        ):
            yield record, False


@rule(
    "M16",
    "reasoning-in-wrong-field",
    RepairStage.CONTENTS,
    ("normalise channels", "leave"),
    preconditions=("M16",),
    by_profile=True,
)
def reasoning_in_wrong_field(context: ThreadContext) -> Hits:
    """Reasoning from gpt-oss is in the wrong field.

    What it finds: for the chat template of gpt-oss (--profile), an answer whose text contains the model's channel tags,
    or a message with calls that has both `content` and `thinking`.
    Why it matters: "You have passed a message containing <|channel|> tags in the content field." Servers that do not
    parse the model's answers leave these tags in the text.
    Example:
      assistant  <|channel|>analysis<|message|>The user wants …
    Repairs: normalise (removes the tags, or the `thinking` next to the content, and reports what it removes as lost).

    Source: ggml-org/llama.cpp models/templates/openai-gpt-oss-120b.jinja.
    """
    if "M16" not in context.profile.refusals or not context.is_sent_unchanged:
        return
    for record in context.thread.path:
        if context.columns.roles[record] != Role.ASSISTANT:
            continue
        case = channel_fault(parse_json(context.raw(record)))
        if case:
            text = (
                tr("A message with calls has both content and thinking.")
                if case == "both"
                else tr("The {field} of an answer contains the model's channel tags.", field=case)
            )
            yield RuleMatch(rule="M16", message=text, record=record, case=case)


def channel_fault(message: Any) -> str:
    """Return what gpt-oss rejects in a parsed answer: "content", "thinking", "both", or "" for nothing."""
    if not isinstance(message, dict):
        return ""
    content, thinking = message_text(message.get("content")), message.get("thinking")
    thinking = thinking if isinstance(thinking, str) else ""
    for field, text in (("content", content), ("thinking", thinking)):
        if any(tag in text for tag in CHANNEL_TAGS):
            return field
    return "both" if message.get("tool_calls") and content and thinking else ""


@rule(
    "M17",
    "unsupported-part",
    RepairStage.CONTENTS,
    ("normalise parts", "leave"),
    preconditions=("M17",),
    by_profile=True,
)
def unsupported_part(context: ThreadContext) -> Hits:
    """The chat template does not support part of a message.

    What it finds: for the chat template of a local server (--profile), a message with a part that the template does not
    support, such as a tool reference, audio, or an image in a system message.
    Why it matters: "Unexpected item type in content."
    Example:
      result     tool_reference Read
    Repairs: normalise (replaces the part with a text that quotes it, and reports the part as lost).

    Source: anthropics/claude-code#77928.
    """
    if "M17" not in context.profile.refusals or not context.is_sent_unchanged:
        return
    for record in context.thread.path:
        parts = unsupported_parts(context, parse_json(context.raw(record)))
        if parts:
            _, kind = parts[0]
            text = tr("This message contains a part of type {kind}, which the template does not recognize.", kind=kind)
            yield RuleMatch(rule="M17", message=text, record=record)


def unsupported_parts(context: ThreadContext, message: Any) -> list[tuple[str, str]]:
    """Return the pointers and types of the parts of a parsed chat message that the template does not know."""
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return []
    role = "call" if message.get("tool_calls") else str(message.get("role"))
    known = context.profile.content_parts.get(role)
    kinds = [(f"/content/{number}", _type_of(part)) for number, part in enumerate(content)]
    return [] if known is None else [(pointer, kind) for pointer, kind in kinds if kind not in known]


def _type_of(part: Any) -> str:
    return str(part.get("type")) if isinstance(part, dict) else "text" if isinstance(part, str) else type(part).__name__
