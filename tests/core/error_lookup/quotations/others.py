"""The errors of Gemini, Bedrock, and of programs, as people pasted them.

Each is from the public report named first, shortened where it goes on.
"""

from tests.core.error_lookup.quotations.quotation import Quotation

QUOTATIONS = (
    Quotation(
        "archestra-ai/archestra#7583",
        '{"error":{"code":400,"message":"Request contains an invalid argument.","status":"INVALID_ARGUMENT"}}',
        "K13",
        "gemini",
    ),
    Quotation(
        "google-gemini/deprecated-generative-ai-js#301",
        "Invalid JSON payload received. Unknown name \"response\" at 'contents[2].parts[0].function_response': "
        "Proto field is not repeating, cannot start list.",
        "M12",
        "gemini",
        places="2.0",
    ),
    Quotation(
        "google-gemini/gemini-cli#4504",
        "Please ensure that the number of function response parts is equal to the number of function call \n  p"
        "arts of the function call turn.",
        "D3",
        "gemini",
    ),
    Quotation(
        "langchain-ai/langchain#27799",
        "Please ensure that function response turn comes immediately after a function call turn.",
        "R3",
        "gemini",
    ),
    Quotation(
        "google-gemini/gemini-cli#11814",
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
        "M4",
        "gemini",
    ),
    Quotation(
        "googleapis/python-genai#81",
        "400 INVALID_ARGUMENT. {'error': {'code': 400, 'message': 'Please ensure that function call turn contai"
        "ns at least one function_call part which can not be mixed with function_response parts.'}}",
        "R11",
        "gemini",
    ),
    Quotation(
        "Wei-Shaw/claude-relay-service#967",
        "function call `Bash` in the 3. content block is missing a `thought_signature`",
        "T6",
        "gemini",
        places="2",
    ),
    Quotation(
        "google-gemini/gemini-cli#7410",
        '✕ [API Error: [{\n    "error": {\n      "code": 400,\n      "message": "Please ensure that the number '
        "of function response parts is equal to \n  the number of function call parts of the function call turn"
        '.",\n      "errors": [',
        "D3",
        "gemini",
    ),
    Quotation(
        "google-gemini/gemini-cli#16972",
        '│          \'    "message": "Please ensure that the number of function response parts is equal to the '
        'number of function call parts of the function call turn.",\\n\' +      │\n│          \'    "errors": ['
        "\\n' +",
        "D3",
        "gemini",
    ),
    Quotation(
        "csells/dartantic#86",
        "StatusException: Function call is missing a thought_signature in functionCall parts. This is required "
        "for tools to work correctly, and missing thought_signature may lead to degraded model performance. Add"
        "itional data, function call `default_api:string_tool` , position 2. Please refer to",
        "T6",
        "gemini",
        places="1",
    ),
    Quotation(
        "nearai/ironclaw#1510",
        "Error: LLM error: Provider gemini-3.1-flash-lite-preview request failed: HttpError: Invalid status cod"
        'e 400 Bad Request with message: [{ "error": { "code": 400, "message": "Function call is missing a thou'
        "ght_signature in functionCall parts. Additional data, function call default_api:memory_write , positio"
        "n 16. Please",
        "T6",
        "gemini",
        places="15",
    ),
    Quotation(
        "chatboxai/chatbox#3308",
        '使用gemini 3.0调用联网工具时提示“"Function call is missing a thought_signature in functionCall parts. '
        "This is required for tools to work correctly”",
        "T6",
        "gemini",
    ),
    Quotation(
        "54xzh/FLIT#70",
        '"message": "* ***.contents[2].parts[1].data: required oneof field \'data\' must have one initialized f'
        'ield\\n",',
        "M6",
        "gemini",
        places="2.1",
    ),
    Quotation(
        "genkit-ai/genkit#3690",
        "[400 Bad Request] Unable to submit request because it must include at least one parts field, which des"
        "cribes the prompt input.",
        "M6",
        "gemini",
    ),
    Quotation(
        "camel-ai/camel#3954",
        "ValidationException: Expected toolResult blocks at messages.2.content for the following Ids: tooluse_Ab",
        "D2",
        "bedrock-converse",
        ids="tooluse_Ab",
        places="2",
        through=("Bedrock",),
    ),
    Quotation(
        "Just-Curieous/Curie#16",
        "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.",
        "R1",
        "bedrock-converse",
        places="2",
        through=("Bedrock",),
    ),
    Quotation(
        "BerriAI/litellm#20047",
        "litellm.BadRequestError: BedrockException - The toolResult blocks at messages.4.content contain duplic"
        "ate Ids: tooluse_x",
        "R5",
        "bedrock-converse",
        ids="tooluse_x",
        places="4",
        through=("LiteLLM", "Bedrock"),
    ),
    Quotation(
        "langchain-ai/langchain-aws#141",
        "Conversation blocks and tool result blocks cannot be provided in the same turn.",
        "R9",
        "bedrock-converse",
    ),
    Quotation(
        "langgenius/dify#12340",
        "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
        "M4",
        "bedrock-converse",
    ),
    Quotation(
        "aws-samples/bedrock-engineer#8",
        "The text field in the ContentBlock object at messages.0.content.0 is blank.",
        "M6",
        "bedrock-converse",
        places="0.0",
    ),
    Quotation(
        "agno-agi/agno#6698",
        "ERROR    Unexpected error calling Bedrock API: An error occurred (ValidationException) when calling th"
        "e ConverseStream operation: Expected\n         toolResult blocks at messages.2.content for the followi"
        "ng Ids: tooluse_jQ912rboYgzgLULQpRxWot, tooluse_sX1A7q9kipz4qAW36LUR1H,   \n         tooluse_mnUeKx1nq"
        "beU7vWccDvS7a",
        "D3",
        "bedrock-converse",
        ids="tooluse_jQ912rboYgzgLULQpRxWot tooluse_sX1A7q9kipz4qAW36LUR1H tooluse_mnUeKx1nqbeU7vWccDvS7a",
        places="2",
    ),
    Quotation(
        "strands-agents/harness-sdk#1223",
        "An error occurred (ValidationException) when calling the Converse operation: messages.4.content: Conve"
        "rsation blocks and tool result blocks cannot be provided in the same turn.",
        "R9",
        "bedrock-converse",
        places="4",
    ),
    Quotation(
        "langgenius/dify#17545",
        '[bedrock] Error: PluginInvokeError: {"args":{"description":"[models] Error: ValidationException: The t'
        'oolConfig field must be defined when using toolUse and toolResult content blocks."},"error_type":"Invo'
        'keError"',
        "K8",
        "bedrock-converse",
    ),
    Quotation(
        "aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15",
        "The content field at messages.3.content.0.toolResult cannot be empty when status value is error.",
        "M6",
        "bedrock-converse",
        places="3.0",
    ),
    Quotation(
        "langchain-ai/langgraph#4289",
        "Found AIMessages with tool_calls that do not have a corresponding ToolMessage.",
        "D2",
        "",
    ),
    Quotation(
        "ATH-MaaS/ComfyUI-Copilot#72",
        "I apologize, but an error occurred: Found AIMessages with tool_calls that do not have a corresponding "
        "ToolMessage. Here are the first few of those tool calls: [{'name': 'recall_workflow', 'args': {'keywor"
        "ds': ['basketball']}, 'id': 'call_kqwrQvj71ikqobSHImr2KE49', 'type': 'tool_call'}, {'name': 'gen_workf"
        "low', 'args': {}, 'id': 'call_2U5MVmelFtpzbx5voxsogZk6', 'type': 'tool_call'}].",
        "D2",
        "",
        ids="call_kqwrQvj71ikqobSHImr2KE49 call_2U5MVmelFtpzbx5voxsogZk6",
    ),
    Quotation(
        "langchain-ai/langgraph-swarm-py#105",
        "ValueError: Found AIMessages with tool_calls that do not have a corresponding ToolMessage. Here are th"
        "e first few of those tool calls: [{'name': 'transfer_to_hansel', 'args': {}, 'id': 'call_6V2Ijs8KRkgPZ"
        "jyflWtViuA4', 'type': 'tool_call'}].\nDuring task with name 'agent' and id '58ef3fc6-0250-910f-03d0-c8"
        "9147ed0647'",
        "D2",
        "",
        ids="call_6V2Ijs8KRkgPZjyflWtViuA4",
    ),
    Quotation(
        "op7418/CodePilot#529",
        'Error: {"userMessage":"AI_MissingToolResultsError: Tool results are missing for tool calls call_functi'
        'on_8a1u5cwh68s5_1, call_function_v78j5ipdomb3_1."}',
        "D3",
        "",
        ids="call_function_8a1u5cwh68s5_1 call_function_v78j5ipdomb3_1",
    ),
    Quotation(
        "getnao/nao#852",
        "tool result is missing for tool call",
        "D2",
        "",
    ),
    Quotation(
        "vercel/ai#4584",
        "ToolInvocation must have a result",
        "D2",
        "",
    ),
    Quotation(
        "anthropics/claude-code#60394",
        "API Error: 400 The request body is not valid JSON: no low surrogate in string: line 1 column 195621 (c"
        "har 195620)",
        "F7",
        "",
    ),
    Quotation(
        "openai/codex#35746",
        "thread history projection expected ordinal 690, got 689",
        "G8",
        "",
    ),
    Quotation(
        "github/copilot-cli#2649",
        "Unterminated string in JSON at position 8038",
        "F4",
        "",
    ),
    Quotation(
        "songquanpeng/one-api#1385",
        '"message":"Please use a valid role: user, model. (request id: 2024042802193772510846373438869)"',
        "M12",
        "gemini",
    ),
)
