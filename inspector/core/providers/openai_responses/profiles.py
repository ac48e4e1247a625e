"""The profiles of the OpenAI Responses API and of stricter servers, and their error wordings.

Error texts as users pasted them: openai/openai-agents-python#673, microsoft/vscode#320060, vercel/ai#13307,
NousResearch/hermes-agent #111443 and #55922 (empty names), openai/codex#42088, AnswerDotAI/fastllm#45 (ids of at most
64 characters), openai/codex #33176 and #40039, jlcodes99/cockpit-tools#2090, Wei-Shaw/sub2api#1505 (item ids),
continuedev/continue#8933 and mastra-ai/mastra#8738 (reasoning), openai/codex #19661 and #27005. An id may be used once
in the whole input. An output may be anywhere after its call (deepseek-ai/awesome-deepseek-integration#740 compares
servers). OUTPUT_AFTER_CALL_PROFILE is for servers that want it right after the call.
"""

from msgspec import structs

from inspector.core.model.columnar_index import Role
from inspector.core.providers.profile import (
    UNANSWERED_CALL_RULES,
    ErrorExplanations,
    ErrorWording,
    Profile,
    program_reports_sentence,
)
from inspector.core.translation import tr

_UNANSWERED = "No tool output found for function call {id}."
_ORPHAN = "No tool call found for function call output with call_id {id}."

PROFILE = Profile(
    name="openai-responses",
    label="OpenAI Responses",
    merged_roles=frozenset({Role.ASSISTANT, Role.TOOL}),
    result_role=Role.TOOL,
    refusals={
        **dict.fromkeys((*UNANSWERED_CALL_RULES, "C1", "C3", "G5"), _UNANSWERED),
        **dict.fromkeys(("R1", "R2", "R8", "R11", "R12", "K5", "C2"), _ORPHAN),
        **dict.fromkeys(("R5", "R6", "R7", "K1", "K2"), "Duplicate function_call_output for call_id {id}"),
        "K3": "Missing required parameter: 'input[{message}].call_id'.",
        "K4": "Invalid 'input[{message}].call_id': string too long. Expected a string with maximum length 64.",
        "K7 empty": "Invalid 'input[{message}].name': empty string. Expected a string with minimum length 1, but got "
        "an empty string instead.",
        "K7": "Invalid 'input[{message}].name': string does not match pattern. Expected a string that matches the "
        "pattern '^[a-zA-Z0-9_-]+$'.",
        **{
            f"K10 {begins}": f"Invalid 'input[{{message}}].id': '{{id}}'. Expected an ID that begins with '{begins}'."
            for begins in ("msg", "rs", "fc", "ctc", "ws")
        },
        "K6": "Invalid type for 'input[{message}].arguments': expected a string.",
        "M7 null": "Invalid type for 'input[{message}].content': expected one of a string or array of input items, but "
        "got null instead.",
        "M12": "Invalid type for 'input[{message}]': expected an object of a supported type.",
        "M12 role": "Invalid value for 'input[{message}].role'. Supported values are: 'assistant', 'system', "
        "'developer', and 'user'.",
        "T4": "Item '{id}' of type 'reasoning' was provided without its required following item.",
        "T7": "Duplicate item found with id {id}. Remove duplicate items from your input and try again.",
        "T8": "Invalid 'input[{message}].content': array too long. Expected an array with maximum length 0, but got an "
        "array with length 1 instead.",
        "K12": "Duplicate item found with id {id}. Remove duplicate items from your input and try again.",
        "T5": "input[{message}]: the item was provided without its required 'reasoning' item.",
        "F7": "The request body is not valid JSON: no low surrogate in string",
    },
    call_id_pattern="(?s:.{1,64})",
    tool_name_pattern="[a-zA-Z0-9_.-]{1,128}",
    source="openai SDK types/responses; the issues named above",
)


# The profile of servers that want every output right after its call: DeepSeek's.
#
# OpenAI pairs calls and outputs by `call_id`, wherever the output is; this server looks at what comes next. A message
# of a developer or the user, or an item of reasoning, between the two makes it refuse the request: Codex puts the
# context of a hook there (deepseek-ai/DeepSeek-V3#1588, fish2lab/DSCodex#9,
# deepseek-ai/awesome-deepseek-integration#740). It does not check an item's own id, nor for reasoning that
# OpenAI's server has kept.

_OF_OPENAI = frozenset({"K10", "K12", "T4", "T5", "T7", "T8"})
_UNANSWERED_IN_ORDER = "No tool output found for tool call {id}"

OUTPUT_AFTER_CALL_PROFILE = structs.replace(
    PROFILE,
    name="responses-in-order",
    label="OpenAI Responses (outputs right after their calls)",
    refusals={
        **{key: text for key, text in PROFILE.refusals.items() if key.partition(" ")[0] not in _OF_OPENAI},
        **dict.fromkeys(("R3", "R4"), _UNANSWERED_IN_ORDER),
    },
    models="deepseek",
    source="the issues named above",
)


# The error wordings of OpenAI's Responses API and of Codex.
#
# Sources: the reports named in the module docstring; openai/codex #93, #29773, #33176, #8119, #35334, #33011;
# jlcodes99/cockpit-tools#2090; continuedev/continue #8933 and #10018; AnswerDotAI/fastllm#45; VoltAgent/voltagent#1121.

ERROR_WORDINGS = (
    ErrorWording(
        r"image_url\.? Expected a valid URL, but got a value with an invalid format",
        ("V1",),
        ErrorExplanations.MEDIA,
    ),
    ErrorWording(
        r"No tool output found for",
        (*UNANSWERED_CALL_RULES, "R3", "R4", "C1", "C3", "G5"),
        ErrorExplanations.UNANSWERED,
    ),
    ErrorWording(
        r"call output is missing for call id",
        (*UNANSWERED_CALL_RULES, "C1"),
        program_reports_sentence("Codex", ErrorExplanations.UNANSWERED),
    ),
    ErrorWording(
        r"No tool call found for [\w ]*output", ("R1", "R2", "R8", "R11", "R12", "C2", "K5"), ErrorExplanations.ORPHAN
    ),
    ErrorWording(
        r"Duplicate function_call_output", ("R5", "R6", "R7", "K1", "K2"), tr("Several results have the same id.")
    ),
    ErrorWording(r"Duplicate item found with id rs_", ("T7", "K1", "K2"), tr("Two items have the same id.")),
    ErrorWording(r"Duplicate item found with id", ("K12", "K1", "K2", "T7"), tr("Two items have the same id.")),
    ErrorWording(r"Duplicate call_id", ("K1", "K2", "T7"), ErrorExplanations.REUSED),
    ErrorWording(
        r"input\[\d+\]\.content: array too long. Expected an array with maximum length 0",
        ("T8",),
        tr("A reasoning item contains plain text, which OpenAI does not accept."),
    ),
    ErrorWording(r"input\[\d+\]\.call_id: (string too long|empty string)", ("K4", "K3"), ErrorExplanations.ILLEGAL_ID),
    ErrorWording(
        r"Missing required parameter: input\[\d+\]\.call_id", ("K3", "R1"), tr("A call or an output has no call_id.")
    ),
    ErrorWording(
        r"input\[\d+\]\.name: (string does not match|empty string|string too long)",
        ("K7",),
        ErrorExplanations.ILLEGAL_NAME,
    ),
    ErrorWording(r"provided without its required following item", ("T4",), ErrorExplanations.REASONING),
    ErrorWording(r"provided without its required reasoning item", ("T5",), ErrorExplanations.REASONING_LOST),
    ErrorWording(r"input\[\d+\]\.arguments: expected a string", ("K6",), ErrorExplanations.ARGUMENTS_NOT_TEXT),
    ErrorWording(
        r"Expected an ID that (begins with|contains letters)",
        ("K10",),
        tr("The id of an item has the wrong prefix for its type."),
    ),
    ErrorWording(
        r"encrypted content .*could not be (verified|decrypted)|invalid_encrypted_content",
        ("T1",),
        ErrorExplanations.REASONING,
    ),
    ErrorWording(
        r"Missing required parameter: input\[\d+\]\.encrypted_content",
        ("T1",),
        tr("A reasoning item depends on content that is missing."),
    ),
    ErrorWording(
        r"Items are not persisted when store is set to false",
        ("T1", "K5"),
        tr("The request refers to an item that the provider did not store."),
    ),
    ErrorWording(r"Invalid type for input\[\d+\]\.content: .* got null", ("M7", "M6"), ErrorExplanations.EMPTY),
    ErrorWording(
        r"Invalid value: .{1,80}Supported values are: .{0,800}function_call_output",
        ("M12",),
        ErrorExplanations.MALFORMED_MESSAGE,
    ),
    ErrorWording(
        r"Invalid (type|value) for input\[\d+\](\.role)?(?!\.?\w)", ("M12",), ErrorExplanations.MALFORMED_MESSAGE
    ),
)
