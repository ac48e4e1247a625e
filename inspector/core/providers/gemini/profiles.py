"""The profile of Gemini `contents`, and its error wordings.

Sources: the reports named at the profile; csells/dartantic#86, manthanabc/paws#103 and
Wei-Shaw/claude-relay-service#967 (thought signatures), 54xzh/FLIT#70, genkit-ai/genkit#3690,
googleapis/python-genai#81, vellum-ai/vellum-assistant#39495 (parts beside responses),
google-gemini/deprecated-generative-ai-js#301 (a response that is a list).
"""

from inspector.core.model.columnar_index import Role
from inspector.core.providers.profile import UNANSWERED_CALL_RULES, ErrorExplanations, ErrorWording, Profile
from inspector.core.translation import tr

# The profile.
#
# Error texts as users pasted them: google-gemini/gemini-cli #5443, #11814, #16415, langchain-ai/langchain#27799,
# vercel/ai#3775, cloudwego/eino-ext#571 (the responses of one turn split over contents), vercel/ai#15550 (signatures),
# vellum-ai/vellum-assistant#39495 (parts beside responses), archestra-ai/archestra#7583 (names; the answer is bare).
# A call turn must follow a user or response turn, so neighbouring turns of the model are not read as one. Ids are
# optional, and unique within a turn.

_COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn. (contents[{message}])"
)
_NOT_AFTER_CALL = (
    "Please ensure that function response turn comes immediately after a function call turn. (contents[{message}])"
)

PROFILE = Profile(
    name="gemini",
    label="Gemini",
    merged_roles=frozenset({Role.USER}),
    result_role=Role.USER,
    requires_results_alone=True,
    refusals={
        **dict.fromkeys((*UNANSWERED_CALL_RULES, "C1", "C3", "G5"), _COUNT),
        **dict.fromkeys(("K2", "R5", "R6", "R7", "R8", "R9", "R10"), _COUNT),
        **dict.fromkeys(("R1", "R2", "R3", "R4", "R5 late", "R12", "K5", "C2"), _NOT_AFTER_CALL),
        "R11": "Please ensure that function call turn contains at least one function_call part which can not be mixed "
        "with function_response parts. (contents[{message}])",
        "K6": "Invalid value at 'contents[{message}].parts[{block}].function_call.args' "
        "(type.googleapis.com/google.protobuf.Struct)",
        "K7": "GenerateContentRequest.contents[{message}].parts[{block}].function_response.name: Name cannot be empty.",
        "K13": "Request contains an invalid argument. (contents[{message}])",
        "M2": "Please ensure that function call turn comes immediately after a user turn or after a function response "
        "turn. (contents[{message}])",
        "M4": "Please ensure that function call turn comes immediately after a user turn or after a function response "
        "turn. (contents[{message}])",
        "M6": "Unable to submit request because it must have a text parameter. Add a text parameter and try again.",
        "M7": "GenerateContentRequest.contents[{message}].parts: contents.parts must not be empty",
        "M12": "Invalid JSON payload received. Unknown or invalid value at 'contents[{message}].parts[{block}]'",
        "M12 role": "Please use a valid role: user, model.",
        "T6": "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
        "correctly, and missing thought_signature may lead to degraded model performance. (contents[{message}])",
        "F7": "Invalid JSON payload received. Invalid unicode surrogate",
    },
    tool_name_pattern="(?s:.+)",
    source="google-genai SDK types.py; the issues named above",
)


ERROR_WORDINGS = (
    ErrorWording(
        r"Request contains an invalid argument",
        ("K13", "K7", "T6"),
        tr("Gemini reports that the request is invalid, but does not explain why."),
    ),
    ErrorWording(
        r"number of function response parts is equal to the number of function call parts",
        (*UNANSWERED_CALL_RULES, "R1", "R5", "R6", "R7", "R8", "R9", "R10", "K2", "C1", "C3", "G5"),
        tr("The number of calls in a turn differs from the number of responses."),
    ),
    ErrorWording(
        r"Requests ending with a model turn are not supported",
        ("R9", "M5"),
        tr("The request ends with a model message, or its last message mixes function responses with other parts."),
    ),
    ErrorWording(
        r"function response turn comes immediately after a function call",
        ("R1", "R2", "R3", "R4", "R5", "R12", "C2", "D2", "K5"),
        ErrorExplanations.ORPHAN,
    ),
    ErrorWording(
        r"function call turn comes immediately after a user turn",
        ("M2", "M4", "D2", "D4"),
        ErrorExplanations.ROLE_ORDER,
    ),
    ErrorWording(
        r"can not be mixed with function_response", ("R11",), tr("A content entry contains both calls and responses.")
    ),
    ErrorWording(r"missing a thought_signature", ("T6",), tr("The first call in a turn is missing its signature.")),
    ErrorWording(
        r"(Corrupted thought signature|Thought signature is not valid|thought_signature is invalid)",
        ("T1",),
        ErrorExplanations.REASONING,
    ),
    ErrorWording(
        r"parts must not be empty|must include at least one parts field|must have a text parameter",
        ("M6", "M7"),
        ErrorExplanations.EMPTY,
    ),
    ErrorWording(r"required oneof field data must have one initialized field", ("M6", "M7"), ErrorExplanations.EMPTY),
    ErrorWording(r"First content should be with role user", ("M4",), ErrorExplanations.FIRST_NOT_USER),
    ErrorWording(r"multiturn requests alternate between user and model", ("M2", "M3"), ErrorExplanations.ROLE_ORDER),
    ErrorWording(
        r"(multiturn|single turn) requests ends? with a user role", ("M5",), ErrorExplanations.LAST_IS_ASSISTANT
    ),
    ErrorWording(r"function_call\.args .*protobuf\.Struct", ("K6",), ErrorExplanations.INPUT_NOT_OBJECT),
    ErrorWording(r"function_(call|response)\.name: Name cannot be empty", ("K7",), ErrorExplanations.ILLEGAL_NAME),
    ErrorWording(r"Unable to process input image|Provided image is not valid", ("V1",), ErrorExplanations.MEDIA),
    ErrorWording(r"Invalid unicode surrogate", ("F7",), tr("A string contains half of a surrogate pair.")),
    ErrorWording(
        r"Please use a valid role: user, model|nvalid value at contents\[\d+\]\.parts\[\d+\](?!\.)"
        r"|at contents\[\d+\]\.parts\[\d+\]\S*: Proto field is not repeating",
        ("M12",),
        ErrorExplanations.MALFORMED_MESSAGE,
    ),
)
