"""Error texts as people pasted them: each is known, tells its classes, whose rule it is, and who passed it on.

Every text is from the public report named beside it, shortened where it goes on.
"""

from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core.check import NOT_BUILT
from inspector.core.profiles import PROFILES
from inspector.core.provider_errors import explain, is_of_the_line
from inspector.core.rules import RULES

# report, text, a class that must be named, profile, who passed it on
REPORTS = (
    (
        "Kilo-Org/kilocode#5163",
        '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.33: `tool_use` ids were found'
        " without `tool_result` blocks immediately after: toolu_vrtx_01KKMxh6V7Kx6g5tZbQBfQ9b. Each `tool_use` block"
        ' must have a corresponding `tool_result` block in the next message."},"request_id":"req_vrtx_011CXDA6q3bAL"}',
        "D2",
        "anthropic",
        ("Vertex AI",),
    ),
    (
        "OpenHands/OpenHands#7512",
        'litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error",'
        '"message":"messages.66: tool_use ids were found without tool_result blocks immediately after: toolu_01Me5"}}',
        "D2",
        "anthropic",
        ("LiteLLM",),
    ),
    (
        "continuedev/continue#4493",
        '400 litellm.BadRequestError: VertexAIException BadRequestError - b\'{"type":"error","error":{"type":'
        '"invalid_request_error","message":"messages.10: Did not find 1 `tool_result` block(s) at the beginning of this'
        " message.",
        "R9",
        "anthropic",
        ("LiteLLM", "Vertex AI"),
    ),
    (
        "anthropics/claude-code#18947",
        "messages.0.content.0: unexpected `tool_use_id` found in \n    `tool_result` blocks: toolu_01FfCGddPyWsq3gCLq. "
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous \n    message.",
        "R1",
        "anthropic",
        (),
    ),
    (
        "anthropics/claude-code#21317",
        "messages.1.content.1: `tool_use` ids must be unique",
        "K1",
        "anthropic",
        (),
    ),
    (
        "anomalyco/opencode#1279",
        "messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        "K3",
        "anthropic",
        (),
    ),
    (
        "anthropics/anthropic-sdk-python#1339",
        "messages.1: `web_search` tool use with id `srvtoolu_01` was found without a corresponding"
        " `web_search_tool_result` block",
        "X1",
        "anthropic",
        (),
    ),
    (
        "anthropics/claude-code#64383",
        "unexpected `tool_use_id` found in `advisor_tool_result` blocks: srvtoolu_01. Each `advisor_tool_result` block"
        " must have a corresponding `server_tool_use` block before it.",
        "X2",
        "anthropic",
        (),
    ),
    (
        "talrejanikhil in Nikunj2003/LLaMa-MCP-Streamlit#1",
        "openai.BadRequestError: Error code: 400 - {'error': {'message': \"Invalid parameter: messages with role 'tool'"
        " must be a response to a preceeding message with 'tool_calls'.\", 'type': 'invalid_request_error', 'param':"
        " 'messages.[2].role', 'code': None}}",
        "R1",
        "openai-chat",
        (),
    ),
    (
        "agno-agi/agno#5116",
        "Invalid parameter: Duplicate value for 'tool_call_id' of 'call_x', in messages[7] and messages[8].",
        "R5",
        "openai-chat",
        (),
    ),
    (
        "HemulGM/DelphiOpenAI#54",
        "Azure ChatGPT 4o: Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'",
        "R1",
        "openai-chat",
        ("Azure",),
    ),
    (
        "home-assistant/core#118577",
        "Invalid 'messages[2].tool_calls': empty array. Expected an array with minimum length 1",
        "M9",
        "openai-chat",
        (),
    ),
    (
        "openclaw/openclaw#875",
        "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got 83",
        "K4",
        "openai-chat",
        (),
    ),
    (
        "diegosouzapw/OmniRoute#3044, around the text of morphic#136",
        '{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\\"error\\":{\\"message\\":'
        "\\\"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with"
        ' \'tool_calls\'.\\"}}","provider_name":"OpenAI"}}}',
        "R1",
        "openai-chat",
        ("OpenRouter",),
    ),
    (
        "alibaba/spring-ai-alibaba#914",
        '400 - {"error":{"code":"invalid_parameter_error","param":null,"message":"<400> InternalError.Algo.'
        'InvalidParameter: An assistant message with \\"tool_calls\\" must be followed by tool messages responding to'
        ' each \\"tool_call_id\\". The following tool_call_ids did not have response messages: message[15].role"}}',
        "D2",
        "openai-chat",
        ("Qwen (DashScope)",),
    ),
    (
        "google-gemini/gemini-cli#5031",
        '400 <400> InternalError.Algo.InvalidParameter: An assistant message with \n  "tool_calls" must be followed by'
        ' tool messages responding to each "tool_call_id". The following tool_call_ids \n  did not have response',
        "D2",
        "openai-chat",
        ("Qwen (DashScope)",),
    ),
    (
        "bytedance/deer-flow#2706",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
        " (insufficient tool messages following tool_calls message)",
        "D2",
        "openai-chat",
        ("DeepSeek",),
    ),
    (
        "FoundationAgents/OpenManus#227",
        "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
        "R1",
        "openai-chat",
        (),
    ),
    (
        "langbot-app/LangBot#1040",
        "Error code: 400 - {'error': {'message': 'Invalid request: tool_call_id  is not found', 'type':"
        " 'invalid_request_error'}}",
        "R1",
        "openai-chat",
        ("Moonshot",),
    ),
    (
        "mistralai/client-python#234",
        '{"object":"Error","message":"Not the same number of function calls and responses","type":'
        '"invalid_request_error","code":3230}',
        "D3",
        "openai-chat",
        ("Mistral",),
    ),
    (
        "mistralai/mistral-vibe#1114",
        '{"object":"error","message":"Unexpected role \'tool\' after role \'user\'","type":'
        '"invalid_request_message_order","param":null,"code":"3230","raw_status_code":400}',
        "R3",
        "openai-chat",
        ("Mistral",),
    ),
    (
        "mistralai/mistral-vibe#454",
        'File "/usr/local/lib/python3.12/dist-packages/vllm/renderers/mistral.py", line 34\nValueError: Unexpected role'
        " 'user' after role 'tool'",
        "M2",
        "openai-chat",
        ("Mistral", "vLLM"),
    ),
    (
        "karthink/gptel#1203",
        "Tool call id was call_0fypS1hVX but must be a-z, A-Z, 0-9, with a length of 9.",
        "K4",
        "openai-chat",
        (),
    ),
    (
        "0xPlaygrounds/rig#1130",
        "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
        "M5",
        "openai-chat",
        (),
    ),
    (
        "ggml-org/llama.cpp#19851",
        '{"error":{"code":500,"message":"\\n------------\\nWhile executing CallExpression at line 189, column 32 in'
        " source:\\nError: Jinja Exception: After the optional system message, conversation roles must alternate user"
        ' and assistant roles except for tool calls and results.","type":"server_error"}}',
        "M2",
        "openai-chat",
        ("llama.cpp",),
    ),
    (
        "vxcontrol/pentagi#313",
        "litellm.InternalServerError: InternalServerError: Custom_openaiException - Failed to parse tool call arguments"
        " as JSON: [json.exception.parse_error.101] parse error at line 1, column 131",
        "K6",
        "openai-chat",
        ("LiteLLM", "llama.cpp"),
    ),
    (
        "BerriAI/litellm#28978",
        "Missing corresponding tool call for tool response message. \nReceived - message={'role': 'tool', 'content':"
        " 'result', 'tool_call_id': 'call_good'}",
        "R1",
        "openai-chat",
        ("LiteLLM",),
    ),
    (
        "hackclub/ai#22",
        "'messages.3' : for 'role:tool' the following must be satisfied[('messages.3.tool_call_id' : property"
        " 'tool_call_id' is missing)]",
        "R1",
        "openai-chat",
        ("Groq",),
    ),
    (
        "MiniMax, in the catalogue of reports",
        "tool call result does not follow tool call (2013)",
        "D2",
        "openai-chat",
        ("MiniMax",),
    ),
    (
        "openai/openai-agents-python#673",
        "Error code: 400 - {'error': {'message': 'No tool output found for function call call_K9x.', 'type':"
        " 'invalid_request_error', 'param': 'input', 'code': None}}",
        "D2",
        "openai-responses",
        (),
    ),
    (
        "Soju06/codex-lb#1168",
        "No tool output found for custom tool call call_2b.",
        "D2",
        "openai-responses",
        (),
    ),
    (
        "microsoft/vscode#320060",
        "No tool call found for function call output with call_id call_x.",
        "R1",
        "openai-responses",
        (),
    ),
    (
        "vercel/ai#13307",
        "Duplicate item found with id fc_0a. Remove duplicate items from your input and try again.",
        "K1",
        "openai-responses",
        (),
    ),
    (
        "AnswerDotAI/fastllm#45",
        "Invalid 'input[95].call_id': string too long. Expected a string with maximum length 64",
        "K4",
        "openai-responses",
        (),
    ),
    (
        "vercel/ai#7099",
        "Item 'rs_68' of type 'reasoning' was provided without its required following item.",
        "T4",
        "openai-responses",
        (),
    ),
    (
        "continuedev/continue#10018",
        "Item 'fc_01' of type 'function_call' was provided without its required 'reasoning' item: 'rs_01'.",
        "T5",
        "openai-responses",
        (),
    ),
    (
        "google-gemini/gemini-cli#4504",
        "Please ensure that the number of function response parts is equal to the number of function call \n  parts of"
        " the function call turn.",
        "D3",
        "gemini",
        (),
    ),
    (
        "langchain-ai/langchain#27799",
        "Please ensure that function response turn comes immediately after a function call turn.",
        "R3",
        "gemini",
        (),
    ),
    (
        "google-gemini/gemini-cli#11814",
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
        "M4",
        "gemini",
        (),
    ),
    (
        "googleapis/python-genai#81",
        "400 INVALID_ARGUMENT. {'error': {'code': 400, 'message': 'Please ensure that function call turn contains at"
        " least one function_call part which can not be mixed with function_response parts.'}}",
        "R11",
        "gemini",
        (),
    ),
    (
        "Wei-Shaw/claude-relay-service#967",
        "function call `Bash` in the 3. content block is missing a `thought_signature`",
        "T6",
        "gemini",
        (),
    ),
    (
        "camel-ai/camel#3954",
        "ValidationException: Expected toolResult blocks at messages.2.content for the following Ids: tooluse_Ab",
        "D2",
        "bedrock-converse",
        ("Bedrock",),
    ),
    (
        "Just-Curieous/Curie#16",
        "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.",
        "R1",
        "bedrock-converse",
        ("Bedrock",),
    ),
    (
        "BerriAI/litellm#20047",
        "litellm.BadRequestError: BedrockException - The toolResult blocks at messages.4.content contain duplicate Ids:"
        " tooluse_x",
        "R5",
        "bedrock-converse",
        ("LiteLLM", "Bedrock"),
    ),
    (
        "langchain-ai/langchain-aws#141",
        "Conversation blocks and tool result blocks cannot be provided in the same turn.",
        "R9",
        "bedrock-converse",
        (),
    ),
    (
        "langgenius/dify#12340",
        "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
        "M4",
        "bedrock-converse",
        (),
    ),
    (
        "aws-samples/bedrock-engineer#8",
        "The text field in the ContentBlock object at messages.0.content.0 is blank.",
        "M6",
        "bedrock-converse",
        (),
    ),
    (
        "langchain-ai/langgraph#4289",
        "Found AIMessages with tool_calls that do not have a corresponding ToolMessage.",
        "D2",
        "",
        (),
    ),
)


@pytest.mark.parametrize(("report", "text", "rule", "profile", "through"), REPORTS, ids=[each[0] for each in REPORTS])
def test_text_is_known(report: str, text: str, rule: str, profile: str, through: tuple[str, ...]) -> None:
    meaning = explain(text)
    assert meaning is not None, report
    assert rule in meaning.rules
    assert (meaning.profile, meaning.through) == (profile, through)
    assert not is_of_the_line(text)
    assert set(meaning.rules) <= RULES.keys() | NOT_BUILT.keys()


@pytest.mark.parametrize("name", PROFILES)
def test_what_a_profile_would_answer_is_known(name: str) -> None:
    """The texts of the profiles themselves, with their classes; a text that no wording covers is of the transport."""
    for rule, template in PROFILES[name].refusals.items():
        if rule == "F7":
            continue
        text = PROFILES[name].refusal(rule, 3, 1, "call_x")
        meaning = explain(text or "")
        assert meaning is not None, template
        assert meaning.profile == name, template


def test_other_texts_are_not_known() -> None:
    assert explain("529 overloaded_error") is None
    assert is_of_the_line("529 overloaded_error")
    assert explain("prompt is too long: 210000 tokens > 200000 maximum") is None


def test_explain_names_the_profile_and_who_passed_it_on(tmp_path: Path) -> None:
    text = "litellm.BadRequestError: BedrockException - Expected toolResult blocks at messages.2.content"
    answer = CliRunner().invoke(main, ["explain", "--error", text])
    assert answer.exit_code == 0
    assert "Profile: bedrock-converse (Bedrock Converse, through LiteLLM, Bedrock)" in answer.output
