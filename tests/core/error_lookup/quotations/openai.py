"""The errors of OpenAI's two APIs and of the servers that speak them, as people pasted them.

Each is from the public report named first, shortened where it goes on.
"""

from tests.core.error_lookup.quotations.quotation import Quotation

QUOTATIONS = (
    Quotation(
        "aallam/openai-kotlin#320",
        '"error": {"message": "Invalid value: \'image\'. Supported values are: \'text\' and \'image_url\'.", "type": '
        '"invalid_request_error", "param": "messages[0].content[1].type", "code": "invalid_value"}',
        "M12",
        "openai-chat",
        places="0.1",
    ),
    Quotation(
        "openai/openai-agents-python#673",
        "Error code: 400 - {'error': {'message': 'No tool output found for function call call_K9x.', 'type': 'i"
        "nvalid_request_error', 'param': 'input', 'code': None}}",
        "D2",
        "openai-responses",
        ids="call_K9x",
    ),
    Quotation(
        "Soju06/codex-lb#1168",
        "No tool output found for custom tool call call_2b.",
        "D2",
        "openai-responses",
        ids="call_2b",
    ),
    Quotation(
        "microsoft/vscode#320060",
        "No tool call found for function call output with call_id call_x.",
        "R1",
        "openai-responses",
        ids="call_x",
    ),
    Quotation(
        "vercel/ai#13307",
        "Duplicate item found with id fc_0a. Remove duplicate items from your input and try again.",
        "K1",
        "openai-responses",
        ids="fc_0a",
    ),
    Quotation(
        "AnswerDotAI/fastllm#45",
        "Invalid 'input[95].call_id': string too long. Expected a string with maximum length 64",
        "K4",
        "openai-responses",
        places="95",
    ),
    Quotation(
        "vercel/ai#7099",
        "Item 'rs_68' of type 'reasoning' was provided without its required following item.",
        "T4",
        "openai-responses",
        ids="rs_68",
    ),
    Quotation(
        "continuedev/continue#10018",
        "Item 'fc_01' of type 'function_call' was provided without its required 'reasoning' item: 'rs_01'.",
        "T5",
        "openai-responses",
        ids="fc_01 rs_01",
    ),
    Quotation(
        "openai/codex#93",
        "⚠️  OpenAI rejected the request (request ID: req_c74acdda5bf45975a9f53c202601489d). Error details: Sta"
        "tus: 400, Code: unknown, Type: invalid_request_error, Message: 400 No tool output found for function c"
        "all\n    call_k20FunjGZouIu7PaUIAHz2G6.. Please verify your settings and try again.",
        "D2",
        "openai-responses",
        ids="call_k20FunjGZouIu7PaUIAHz2G6",
    ),
    Quotation(
        "openai/codex#46193",
        "19:08:37  Turn error: No tool output found for tool call call_dGjPbyB7dUN2jlrPS7ZwxiNp.",
        "D2",
        "openai-responses",
        ids="call_dGjPbyB7dUN2jlrPS7ZwxiNp",
    ),
    Quotation(
        "V1ki/dsh-plugin-subscriptions#45",
        'codex API error (HTTP 400): { "error": { "message": "No tool output found for function call call_5nOH8'
        'w...", "type": "invalid_request_error", "param": "input" } }',
        "D2",
        "openai-responses",
        ids="call_5nOH8w…",
    ),
    Quotation(
        "openai/codex#29773",
        "Function call output is missing for call id: call_gvk6lf6jpooc73szk0ezst3d\nFunction call output is mi"
        "ssing for call id: call_5hln5qbxp2yt3bugadxrtr3x",
        "D2",
        "openai-responses",
        ids="call_gvk6lf6jpooc73szk0ezst3d call_5hln5qbxp2yt3bugadxrtr3x",
    ),
    Quotation(
        "can1357/oh-my-pi#106",
        "Error: 400 No tool call found for function call output with call_id call_x0jSANyYfXIjJkd5ftBlNxf5.",
        "R1",
        "openai-responses",
        ids="call_x0jSANyYfXIjJkd5ftBlNxf5",
    ),
    Quotation(
        "continuedev/continue#10895",
        '{"message":"No tool call found for function call output with call_id toolu_01LUxZb3ddKJs3c1664VWiAe.",'
        '"type":"invalid_request_error","param":"input","code":null}',
        "R1",
        "openai-responses",
        ids="toolu_01LUxZb3ddKJs3c1664VWiAe",
    ),
    Quotation(
        "cline/cline#9288",
        '{"message":"400 InvalidParameter: {\\n \\"error\\": {\\n \\"message\\": \\"No tool call found for func'
        'tion call output with call_id call_1VwAGCPnkFRCzHAEGpfZRIVB.\\",\\n \\"type\\": \\"invalid_request_err'
        'or\\",\\n \\"param\\": \\"input\\"',
        "R1",
        "openai-responses",
        ids="call_1VwAGCPnkFRCzHAEGpfZRIVB",
    ),
    Quotation(
        "continuedev/continue#8933",
        "\"message\": \"Item 'rs_0c3876fcd4da19ef00692a14046bc8819eba6941c05c5ab7e7' of type 'reasoning' was p"
        'rovided without its required following item.",\n    "type": "invalid_request_error"',
        "T4",
        "openai-responses",
        ids="rs_0c3876fcd4da19ef00692a14046bc8819eba6941c05c5ab7e7",
    ),
    Quotation(
        "earendil-works/pi#5149",
        "Error: OpenAI API error (400): 400 Duplicate item found with id msg_4. Remove duplicate items from your input "
        "and try again.",
        "K12",
        "openai-responses",
        ids="msg_4",
    ),
    Quotation(
        "querymt/querymt#976",
        "Codex: Invalid 'input[2].content': array too long. Expected an array with maximum length 0, but got an array "
        "with length 1 instead.",
        "T8",
        "openai-responses",
        places="2",
    ),
    Quotation(
        "VoltAgent/voltagent#1121",
        "Duplicate item found with id rs_0d433e0424328ba80169a62fd88648819dac7337a8c792cd42. Remove duplicate i"
        "tems from your input and try again.",
        "T7",
        "openai-responses",
        ids="rs_0d433e0424328ba80169a62fd88648819dac7337a8c792cd42",
    ),
    Quotation(
        "earendil-works/pi#5165",
        'Error: Codex error:\n {"type":"error","error":{"type":"invalid_request_error","message":"Duplicate\n i'
        'tem found with id msg_1. Remove duplicate items from your input and try\n again.","param":"input"},"st'
        'atus":400}',
        "K1",
        "openai-responses",
        ids="msg_1",
    ),
    Quotation(
        "openai/codex#33176",
        "[ApiIdParam] [input[371].id] [invalid_id_prefix] Invalid 'input[371].id': '019f629b-43ee-7a82-acb1-307"
        "1dbffbdad'. Expected an ID that begins with 'msg'.",
        "K10",
        "openai-responses",
        places="371",
    ),
    Quotation(
        "jlcodes99/cockpit-tools#2090",
        "Invalid 'input[66].id': 'item_df7e40c3f04fc8ade5c3800e'. Expected an ID that begins with 'rs'.",
        "K10",
        "openai-responses",
        ids="item_df7e40c3f04fc8ade5c3800e",
        places="66",
    ),
    Quotation(
        "openai/codex#8119",
        '■ {\n  "error": {\n    "message": "The encrypted content gAAA...c90= could not be verified.",\n    "ty'
        'pe": "invalid_request_error",\n    "param": null,\n    "code": "invalid_encrypted_content"',
        "T1",
        "openai-responses",
    ),
    Quotation(
        "smallmain/vscode-unify-chat-provider#178",
        "Reason: The encrypted content for item rs_0a18166210d72b5e0069fd938e69a08193a992a58d690a224b could not"
        " be verified. Reason: Encrypted content could not be decrypted or parsed.: Error:",
        "T1",
        "openai-responses",
        ids="rs_0a18166210d72b5e0069fd938e69a08193a992a58d690a224b",
    ),
    Quotation(
        "talrejanikhil in Nikunj2003/LLaMa-MCP-Streamlit#1",
        "openai.BadRequestError: Error code: 400 - {'error': {'message': \"Invalid parameter: messages with "
        "role 'tool' must be a response to a preceeding message with 'tool_calls'.\", 'type': 'invalid_re"
        "quest_error', 'param': 'messages.[2].role', 'code': None}}",
        "R1",
        "openai-chat",
        places="2",
    ),
    Quotation(
        "agno-agi/agno#5116",
        "Invalid parameter: Duplicate value for 'tool_call_id' of 'call_x', in messages[7] and messages[8].",
        "R5",
        "openai-chat",
        ids="call_x",
        places="7 8",
    ),
    Quotation(
        "HemulGM/DelphiOpenAI#54",
        "Azure ChatGPT 4o: Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'",
        "R1",
        "openai-chat",
        through=("Azure",),
    ),
    Quotation(
        "home-assistant/core#118577",
        "Invalid 'messages[2].tool_calls': empty array. Expected an array with minimum length 1",
        "M9",
        "openai-chat",
        places="2",
    ),
    Quotation(
        "openclaw/openclaw#875",
        "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got 83",
        "K4",
        "openai-chat",
        places="2.0",
    ),
    Quotation(
        "diegosouzapw/OmniRoute#3044, around the text of morphic#136",
        '{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\\"error\\":{\\"message\\'
        "\":\\\"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with '"
        'tool_calls\'.\\"}}","provider_name":"OpenAI"}}}',
        "R1",
        "openai-chat",
        through=("OpenRouter",),
    ),
    Quotation(
        "alibaba/spring-ai-alibaba#914",
        '400 - {"error":{"code":"invalid_parameter_error","param":null,"message":"<400> InternalError.Algo.Inva'
        'lidParameter: An assistant message with \\"tool_calls\\" must be followed by tool messages responding '
        'to each \\"tool_call_id\\". The following tool_call_ids did not have response messages: message[15].ro'
        'le"}}',
        "D2",
        "openai-chat",
        places="15",
        through=("Qwen (DashScope)",),
    ),
    Quotation(
        "google-gemini/gemini-cli#5031",
        '400 <400> InternalError.Algo.InvalidParameter: An assistant message with \n  "tool_calls" must be foll'
        'owed by tool messages responding to each "tool_call_id". The following tool_call_ids \n  did not have '
        "response",
        "D2",
        "openai-chat",
        through=("Qwen (DashScope)",),
    ),
    Quotation(
        "bytedance/deer-flow#2706",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call"
        "_id'. (insufficient tool messages following tool_calls message)",
        "D2",
        "openai-chat",
        through=("DeepSeek",),
    ),
    Quotation(
        "FoundationAgents/OpenManus#227",
        "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
        "R1",
        "openai-chat",
    ),
    Quotation(
        "langbot-app/LangBot#1040",
        "Error code: 400 - {'error': {'message': 'Invalid request: tool_call_id  is not found', 'type': 'invali"
        "d_request_error'}}",
        "R1",
        "openai-chat",
        through=("Moonshot",),
    ),
    Quotation(
        "ggml-org/llama.cpp#19851",
        '{"error":{"code":500,"message":"\\n------------\\nWhile executing CallExpression at line 189, column 3'
        "2 in source:\\nError: Jinja Exception: After the optional system message, conversation roles must alte"
        'rnate user and assistant roles except for tool calls and results.","type":"server_error"}}',
        "M15",
        "ministral-3",
        through=("llama.cpp",),
    ),
    Quotation(
        "vxcontrol/pentagi#313",
        "litellm.InternalServerError: InternalServerError: Custom_openaiException - Failed to parse tool call a"
        "rguments as JSON: [json.exception.parse_error.101] parse error at line 1, column 131",
        "K6",
        "openai-chat",
        through=("LiteLLM", "llama.cpp"),
    ),
    Quotation(
        "BerriAI/litellm#28978",
        "Missing corresponding tool call for tool response message. \nReceived - message={'role': 'tool', 'cont"
        "ent': 'result', 'tool_call_id': 'call_good'}",
        "R1",
        "openai-chat",
        ids="call_good",
        through=("LiteLLM",),
    ),
    Quotation(
        "hackclub/ai#22",
        "'messages.3' : for 'role:tool' the following must be satisfied[('messages.3.tool_call_id' : property '"
        "tool_call_id' is missing)]",
        "R1",
        "openai-chat",
        places="3",
        through=("Groq",),
    ),
    Quotation(
        "MiniMax, in the catalogue of reports",
        "tool call result does not follow tool call (2013)",
        "D2",
        "openai-chat",
        through=("MiniMax",),
    ),
    Quotation(
        "RamiAwar/dataline#172",
        "BadRequestError('Error code: 400 - {\\'error\\': {\\'message\\': \"An assistant message with \\'t"
        "ool_calls\\' must be followed by tool messages responding to each \\'tool_call_id\\'. The following to"
        "ol_call_ids did not have response messages: call_i8vT76kQ8XOpe9ErYaTYRRxV\", \\'type\\': \\'invalid_"
        "request_error\\', \\'param\\': \\'messages.[14].role\\', \\'code\\': None}}')",
        "D2",
        "openai-chat",
        ids="call_i8vT76kQ8XOpe9ErYaTYRRxV",
        places="14",
    ),
    Quotation(
        "coder/aibridge#68",
        '■ unexpected status 400 Bad Request: {"error":{"code":"","message":"An assistant message with \'tool_c'
        "alls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids"
        ' did not have response messages:\ncall_Jp7zbvAXmPHRp4OZFT1DcTNM","param":"","type":"invalid_request_er'
        'ror"}}data: [DONE]',
        "D2",
        "openai-chat",
        ids="call_Jp7zbvAXmPHRp4OZFT1DcTNM",
    ),
    Quotation(
        "MoonshotAI/kimi-cli#2405",
        " Error: [provider.api_error] 400 an assistant message with 'tool_calls' must be followed by tool messa"
        "ges responding\n to each 'tool_call_id'. The following tool_call_ids did not have response messages: A"
        "gent:0",
        "D2",
        "openai-chat",
        ids="Agent:0",
    ),
    Quotation(
        "MoonshotAI/kimi-cli#1977",
        "kosong.chat_provider.APIStatusError: Error code: 400 - {'error': {'message': \"an assistant message"
        " with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following "
        "tool_call_ids did not have response messages: Shell:58\", 'type': 'invalid_request_error'}}\n\nDuri"
        "ng handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):"
        '\n  File "/Users/m',
        "D2",
        "openai-chat",
        ids="Shell:58",
    ),
    Quotation(
        "QwenLM/qwen-code#135",
        "✕ [API Error: OpenAI API error: 400 Invalid request: an assistant message with 'tool_calls' must be fo"
        "llowed by tool messages responding to each 'tool_call_id'. The following tool_call_ids\n  did not have"
        " response messages: run_shell_command:4]",
        "D2",
        "openai-chat",
        ids="run_shell_command:4",
    ),
    Quotation(
        "QwenLM/qwen-code#606",
        "│ ✖ OpenAI API Streaming Error: 400 <400> InternalError.Algo.InvalidParameter: An assistant message wi"
        'th         │\n│    "tool_calls" must be followed by tool messages responding to each "tool_call_id". T'
        "he following              │\n│    tool_call_ids did not have response messages: message[532].role     "
        "                                         │",
        "D2",
        "openai-chat",
        places="532",
    ),
    Quotation(
        "QwenLM/qwen-code#2435",
        "Internal error: 400 <400> InternalError.Algo.InvalidParameter: An assistant message with “tool_calls” "
        "must be followed by tool messages responding to each “tool_call_id”. The following tool_call_ids did n"
        "ot have response messages: message[571].role",
        "D2",
        "openai-chat",
        places="571",
    ),
    Quotation(
        "agentscope-ai/agentscope#772",
        '❌ 错误: {"status_code": 400, "request_id": "7a403520-184b-43fc-b13f-68606ddc5a1b", "code": "InvalidPa'
        'rameter", "message": "<400> InternalError.Algo.InvalidParameter: An assistant message with \\"tool_cal'
        'ls\\" must be followed by tool messages responding to each \\"tool_call_id\\". The following tool_call'
        '_ids did not have response messages: message[19].role", "output": null',
        "D2",
        "openai-chat",
        places="19",
    ),
    Quotation(
        "smallmain/vscode-unify-chat-provider#248",
        "Reason: 400 An assistant message with 'tool_calls' must be followed by tool messages responding to eac"
        "h 'tool_call_id'. (insufficient tool messages following tool_calls message): Error: 400 An assistant m"
        "essage",
        "D2",
        "openai-chat",
    ),
    Quotation(
        "labring/FastGPT#4184",
        '"message": "400 <400> InternalError.Algo.InvalidParameter: messages with role \\"tool\\" must be a res'
        'ponse to a preceeding message with \\"tool_calls\\". (aiproxy: 17421047383072982)"',
        "R1",
        "openai-chat",
    ),
    Quotation(
        "microsoft/semantic-kernel#12708",
        "ServiceResponseException: (\"<class '...AzureChatCompletion'> service failed to complete the prompt\","
        " BadRequestError('Error code: 400 - {'error': {'message': \"Invalid parameter: messages with role "
        "'tool' must be a response to a preceeding message with 'tool_calls'.\", 'type': 'invalid_request"
        "_error', 'param': 'messages.[1].role', 'code': None}}'))",
        "R1",
        "openai-chat",
        places="1",
    ),
    Quotation(
        "itmisx/deepx-code#94",
        '[Error: HTTP 400:\n{"error":{"message":"Messages with role \'tool\' must be a response to a preceding'
        '\nmessage with\n\'tool_calls\'","type":"invalid_request_error","param":null,"code":"invalid_request_er'
        '\nror"}}]',
        "R1",
        "openai-chat",
    ),
    Quotation(
        "yaogang1991/harness#392",
        "Error code: 400 - {'error': {'type': 'invalid_request_error', 'message': 'tool_call_id  is not found'}"
        ", 'type': 'error'}",
        "R1",
        "openai-chat",
    ),
    Quotation(
        "MiniMax-AI/MiniMax-M2#76",
        "HTTP 400 invalid_request_error: invalid params, tool result's tool id(call_function_g094w5htkglv_1) no"
        "t found (2013) (request_id:05db5ded497bacba57c1e30ef4778e05)",
        "R1",
        "openai-chat",
        ids="call_function_g094w5htkglv_1",
    ),
    Quotation(
        "Kilo-Org/kilocode#3967",
        "API Request Failed\nMinimax error: invalid params, tool call and result not match (2013)",
        "D2",
        "openai-chat",
    ),
    Quotation(
        "Kilo-Org/kilocode#3967, the title",
        "Minimax error: invalid params, tool call id is invalid (2013)",
        "K4",
        "openai-chat",
    ),
    Quotation(
        "earendil-works/pi#5468",
        '"message": "invalid params, invalid function arguments json string, tool_call_id: call_function_abraty'
        '2ssz2_1 (2013)",',
        "K6",
        "openai-chat",
        ids="call_function_abraty2ssz2_1",
    ),
    Quotation(
        "dnakov/anon-kode#87",
        'Error: API request failed: {"message":"Provider returned error","code":422,"metadata":{"raw":"Failed t'
        "o deserialize the JSON body into the target type: messages[5]: missing field `tool_call_id` at line 1 "
        'column 11512","provider_name":"DeepSeek"}}',
        "K3",
        "openai-chat",
        places="5",
    ),
    Quotation(
        "edison7009/EchoBird#125",
        "Failed to deserialize the JSON body into the target type: messages[62].role: unknown variant `tool`, e"
        "xpected `user` or `assistant` at line 1 column 64329",
        "R11",
        "openai-chat",
        places="62",
    ),
    Quotation(
        "pig-mesh/deepseek4j#40",
        "io.github.pigmesh.ai.deepseek.core.OpenAiHttpException: Failed to deserialize the JSON body into the t"
        "arget type: messages[1]: missing field `content` at line 8 column 5\n\tat io.github.pigmesh.ai.deepsee"
        "k.core.Utils.toException(Utils.java:19)",
        "M6",
        "openai-chat",
        places="1",
    ),
    Quotation(
        "borawong/AiMaMi#8",
        '没有返回 reasoning_content 字段，无法识别上下文。\n\n{"error":{"message":"The reasoning_content in the'
        ' thinking mode must be passed back to the API.","type":"invalid_request_error","param":null,"code":"in'
        'valid_request_error"}}',
        "T5",
        "openai-chat",
    ),
    Quotation(
        "esengine/DeepSeek-Reasonix#8902",
        "请求格式错误 (HTTP 400)：请求体被拒绝，通常是程序缺陷。若持续出现请反馈。 The `content[].thinking` in "
        "the thinking mode must be passed back to the API.",
        "T5",
        "openai-chat",
    ),
    Quotation(
        "gptme/gptme#918",
        "Error code: 400 - {'error': {'message': 'Missing `reasoning_content` field in the assistant message at"
        " message index 2. For more information, please refer to",
        "T5",
        "openai-chat",
        places="2",
    ),
    Quotation(
        "MoonshotAI/kimi-agent-sdk#169",
        '原始报错如下:\nService temporarily unavailable.\n{"jsonrpc":"2.0","id":"2_1776935426777","error":{"cod'
        "e\":-32003,\"message\":\"Error code: 400 - {'error': {'type': '<nil>', 'message': 'thinking is en"
        "abled but reasoning_content is missing in assistant tool call message at index 13 (request id: 2026",
        "T5",
        "openai-chat",
        places="13",
    ),
    Quotation(
        "CherryHQ/cherry-studio#1313",
        '"message": "400 Invalid request: the message at position 4 with role \'assistant\' must not be empty",'
        '\n  "status": 400,',
        "M6",
        "openai-chat",
        places="4",
    ),
    Quotation(
        "AstrBotDevs/AstrBot#7200",
        "[2026-03-30 21:26:16.292] [Core] [WARN] [v4.22.2] [runners.tool_loop_agent_runner:350]: Chat Model moo"
        "nshot/kimi-k2.5 request error: Error code: 400 - {'error': {'message': \"Invalid request: the messa"
        "ge at position 8 with role 'assistant' must not be empty\", 'type': 'invalid_request_error'}}",
        "M6",
        "openai-chat",
        places="8",
    ),
    Quotation(
        "BerriAI/litellm#42186",
        "400 Invalid request: text content is empty",
        "M6",
        "openai-chat",
    ),
    Quotation(
        "MetaGLM/zhipuai-sdk-python-v4#14",
        '"error":{"code":"1214","message":"messages 参数非法。请检查文档。"',
        "R1",
        "openai-chat",
    ),
    Quotation(
        "continuedev/continue#13259",
        'Invalid status code: 400 Bad Request: {"error":{"code":"1214","message":"The messages parameter is ill'
        'egal. Please check the documentation."}}',
        "D2",
        "openai-chat",
    ),
    Quotation(
        "HKUDS/nanobot#2469",
        "Error calling LLM: litellm.BadRequestError: DashscopeException - <400> InternalError.Algo.InvalidParam"
        'eter: The "function.arguments" parameter of the code model must be in JSON format.',
        "K6",
        "openai-chat",
    ),
    Quotation(
        "mcp-use/mcp-use#90",
        "Invalid 'messages[9].tool_calls[0].function.name': string does not match pattern. Expected a string th"
        "at matches the pattern '^[a-zA-Z0-9_-]+$'.\", 'type': 'invalid_request_error', 'param':\n'mess"
        "ages[9].tool_calls[0].function.name', 'code': 'invalid_value'}}",
        "K7",
        "openai-chat",
        places="9.0",
    ),
    Quotation(
        "anomalyco/opencode#12653",
        "Invalid 'messages[68].tool_calls[0].id': string too long. Expected a string with maximum length 40, bu"
        "t got a string with length 46 instead. ",
        "K4",
        "openai-chat",
        places="68.0",
    ),
    Quotation(
        "vercel/ai#2178",
        "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'. (request id: 2"
        '024070404335997779905546548020)","type":"invalid_request_error","param":"messages.[3].tool_call_id","c'
        'ode":null}}',
        "K3",
        "openai-chat",
        places="3",
    ),
    Quotation(
        "songquanpeng/one-api#784",
        "openai.BadRequestError: Error code: 400 - {'error': {'message': \"Invalid value for 'content': ex"
        "pected a string, got null. (request id: 20231206054444375592893PDWPRFyf)\", 'type': 'invalid_request"
        "_error', 'param': 'messages.[1].content', 'code': None}}",
        "M6",
        "openai-chat",
        places="1",
    ),
    Quotation(
        "carlrobertoh/ProxyAI#834",
        "Invalid assistant message: content or tool_calls must be set",
        "M6",
        "openai-chat",
    ),
    Quotation(
        "FoundationAgents/OpenManus#580",
        "API error: Error code: 400 - {'error': {'message': 'After the (optional) system message(s), user and a"
        "ssistant roles should be alternating.', 'type': 'invalid_message', 'code': 400}}",
        "M3",
        "openai-chat",
    ),
    Quotation(
        "vllm-project/vllm#6862",
        "BadRequestError: Error code: 400 - {'object': 'error', 'message': 'After the optional system message, "
        "conversation roles must \nalternate user/assistant/user/assistant/...', 'type': 'BadRequestError', 'pa"
        "ram': None, 'code': 400}",
        "M15",
        "mistral-small",
    ),
    Quotation(
        "camel-ai/owl#532",
        "Error code: 400 - {'error': {'message': \"litellm.UnsupportedParamsError: Anthropic doesn't suppor"
        "t tool calling without `tools=` param specified. Pass `tools=` param OR set",
        "K8",
        "openai-chat",
    ),
    Quotation(
        "mistralai/client-python#234",
        '{"object":"Error","message":"Not the same number of function calls and responses","type":"invalid_requ'
        'est_error","code":3230}',
        "D3",
        "mistral",
        through=("Mistral",),
    ),
    Quotation(
        "mistralai/mistral-vibe#1114",
        '{"object":"error","message":"Unexpected role \'tool\' after role \'user\'","type":"invalid_request_mes'
        'sage_order","param":null,"code":"3230","raw_status_code":400}',
        "R3",
        "mistral",
        through=("Mistral",),
    ),
    Quotation(
        "mistralai/mistral-vibe#454",
        'File "/usr/local/lib/python3.12/dist-packages/vllm/renderers/mistral.py", line 34\nValueError: Unexpec'
        "ted role 'user' after role 'tool'",
        "M2",
        "mistral",
        through=("Mistral", "vLLM"),
    ),
    Quotation(
        "karthink/gptel#1203",
        "Tool call id was call_0fypS1hVX but must be a-z, A-Z, 0-9, with a length of 9.",
        "K4",
        "mistral",
        ids="call_0fypS1hVX",
    ),
    Quotation(
        "0xPlaygrounds/rig#1130",
        "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
        "M5",
        "mistral",
    ),
    Quotation(
        "OpenHands/OpenHands#8685",
        "litellm.BadRequestError: MistralException - Assistant message must have either content or tool_calls, "
        "but not none.. Traceback: Traceback (most recent call last):",
        "M6",
        "mistral",
    ),
    Quotation(
        "nextcloud/context_agent#140",
        "Unexpected role 'tool' after role 'system'",
        "R1",
        "mistral",
    ),
    Quotation(
        "langchain-ai/langchain-azure#35",
        "Message: Missing required parameter: 'messages[2].tool_calls[0].type'.",
        "K9",
        "openai-chat",
        places="2.0",
    ),
    Quotation(
        "mark3labs/mcphost#117",
        "Missing required parameter: 'messages[1].tool_calls[1].function.arguments'",
        "K6",
        "openai-chat",
        places="1.1",
    ),
    Quotation(
        "pydantic/pydantic-ai#2653",
        "Invalid type for 'messages[1].content': expected one of a string or array of objects, but got an object "
        "instead.",
        "M12",
        "openai-chat",
        places="1",
    ),
    Quotation(
        "QwenLM/qwen-code#879",
        "400 Invalid type for 'messages.[4].content': expected one of a string or array of objects, but got an object "
        "instead.",
        "M12",
        "openai-chat",
        places="4",
    ),
)
