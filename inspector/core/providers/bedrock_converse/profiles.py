"""The profile of Bedrock Converse, and its error wordings.

Error texts as users pasted them: camel-ai/camel#3954, genkit-ai/aws-bedrock-js-plugin#664 (results split over two user
messages), Just-Curieous/Curie#16, BerriAI/litellm #20047 and #20049, langchain-ai/langchain-aws#141,
langgenius/dify #12340 and #17545, Portkey-AI/gateway #748 and #995, openclaw/openclaw#12892. Ids and names:
ToolUseBlock in the API reference. Messages must alternate, so that neighbours of one role are not read as one.
"""

from inspector.core.model.columnar_index import Role
from inspector.core.providers.profile import UNANSWERED_CALL_RULES, ErrorExplanations, ErrorWording, Profile
from inspector.core.translation import tr

_UNANSWERED = "Expected toolResult blocks at messages.{after}.content for the following Ids: {id}"
_SURPLUS = (
    "The number of toolResult blocks at messages.{message}.content exceeds the number of toolUse blocks of previous "
    "turn."
)

PROFILE = Profile(
    name="bedrock-converse",
    label="Bedrock Converse",
    merged_roles=frozenset({Role.USER}),
    result_role=Role.USER,
    requires_alternation=True,
    refusals={
        **dict.fromkeys((*UNANSWERED_CALL_RULES, "C1", "C3", "G5", "R3", "R4", "R10"), _UNANSWERED),
        **dict.fromkeys(("R1", "R2", "R8", "R11", "R12", "K5", "C2"), _SURPLUS),
        **dict.fromkeys(
            ("R5", "R6", "R7"), "The toolResult blocks at messages.{message}.content contain duplicate Ids: {id}"
        ),
        **dict.fromkeys(("K1", "K2"), "The toolUse blocks at messages.{message}.content contain duplicate Ids: {id}"),
        "R9": "Conversation blocks and tool result blocks cannot be provided in the same turn.",
        "K3": "Value '' at 'messages.{message}.member.content.{block}.member.toolUse.toolUseId' failed to satisfy "
        "constraint: Member must have length greater than or equal to 1",
        "K4": "Value at 'messages.{message}.member.content.{block}.member.toolUse.toolUseId' failed to satisfy "
        "constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
        "K7": "Value at 'messages.{message}.member.content.{block}.member.toolUse.name' failed to satisfy constraint: "
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
        "K4 long": "Value at 'messages.{message}.member.content.{block}.member.toolUse.toolUseId' failed to satisfy "
        "constraint: Member must have length less than or equal to 64",
        "K7 long": "Value at 'messages.{message}.member.content.{block}.member.toolUse.name' failed to satisfy "
        "constraint: Member must have length less than or equal to 64",
        "K8": "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
        "K6": "The format of the value at messages.{message}.content.{block}.toolUse.input is invalid. "
        "Provide a json object for the field and try again.",
        **dict.fromkeys(("M2", "M3"), "A conversation must alternate between user and assistant roles."),
        "M4": "A conversation must start with a user message. Try again with a conversation that starts with a user "
        "message.",
        "M6": "The text field in the ContentBlock object at messages.{message}.content.{block} is blank.",
        "M7": "The content field in the Message object at messages.{message} is empty. Add a ContentBlock object to "
        "the content field and try again.",
        "M12": "Parameter validation failed: Invalid type for parameter messages[{message}].content[{block}]",
        "M12 role": "Value at 'messages.{message}.member.role' failed to satisfy constraint: Member must satisfy enum "
        "value set: [user, assistant]",
        "F7": "The request body is not valid JSON: no low surrogate in string",
    },
    call_id_pattern="[a-zA-Z0-9_-]{1,64}",
    tool_name_pattern="[a-zA-Z0-9_-]{1,64}",
    source="botocore bedrock-runtime service-2.json; the issues named above",
)


# The error wordings.
#
# Sources: the reports named in the module docstring; agno-agi/agno#6698, strands-agents/harness-sdk#1223,
# aws-samples/bedrock-access-gateway#239, aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15.

ERROR_WORDINGS = (
    ErrorWording(
        r"Expected toolResult blocks at",
        (*UNANSWERED_CALL_RULES, "R3", "R4", "R10", "C1", "C3", "G5"),
        ErrorExplanations.UNANSWERED,
    ),
    ErrorWording(
        r"number of toolResult blocks at .* exceeds the number of toolUse",
        ("R1", "R2", "R8", "R11", "R12", "C2", "K5"),
        ErrorExplanations.ORPHAN,
    ),
    ErrorWording(
        r"toolResult blocks at .* contain duplicate Ids", ("R5", "R6", "R7"), ErrorExplanations.SEVERAL_RESULTS
    ),
    ErrorWording(r"toolUse blocks at .* contain duplicate Ids", ("K1", "K2"), ErrorExplanations.REUSED),
    ErrorWording(
        r"tool (result|use) blocks cannot be provided in the same turn",
        ("R9",),
        tr("A message contains text alongside calls or results."),
    ),
    ErrorWording(r"conversation must alternate between user and assistant", ("M2", "M3"), ErrorExplanations.ROLE_ORDER),
    ErrorWording(r"conversation must start with a user message", ("M4",), ErrorExplanations.FIRST_NOT_USER),
    ErrorWording(r"toolResult cannot be empty when status value is error", ("M6",), tr("A failed result has no text.")),
    ErrorWording(
        r"content field in the Message object at .* is empty|ContentBlock object .* is blank",
        ("M6", "M7"),
        ErrorExplanations.EMPTY,
    ),
    ErrorWording(r"toolUse\.input is invalid", ("K6",), ErrorExplanations.INPUT_NOT_OBJECT),
    ErrorWording(r"toolUse\.toolUseId failed to satisfy", ("K3", "K4"), ErrorExplanations.ILLEGAL_ID),
    ErrorWording(r"toolUse\.name failed to satisfy", ("K7",), ErrorExplanations.ILLEGAL_NAME),
    ErrorWording(r"toolConfig field must be defined", ("K8",), ErrorExplanations.NO_TOOLS),
    ErrorWording(
        r"Invalid type for parameter messages\[\d+\]|member\.role failed to satisfy",
        ("M12",),
        ErrorExplanations.MALFORMED_MESSAGE,
    ),
)
