"""Anthropic's errors, as people pasted them.

Each is from the public report named first, shortened where it goes on.
"""

from tests.core.error_lookup.quotations.quotation import Quotation

QUOTATIONS = (
    Quotation(
        "Kilo-Org/kilocode#5163",
        '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.33: `tool_use` ids wer'
        "e found without `tool_result` blocks immediately after: toolu_vrtx_01KKMxh6V7Kx6g5tZbQBfQ9b. Each `too"
        'l_use` block must have a corresponding `tool_result` block in the next message."},"request_id":"req_vr'
        'tx_011CXDA6q3bAL"}',
        "D2",
        "anthropic",
        ids="toolu_vrtx_01KKMxh6V7Kx6g5tZbQBfQ9b",
        places="33",
        through=("Vertex AI",),
    ),
    Quotation(
        "OpenHands/OpenHands#7512",
        'litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error",'
        '"message":"messages.66: tool_use ids were found without tool_result blocks immediately after: toolu_01'
        'Me5"}}',
        "D2",
        "anthropic",
        ids="toolu_01Me5",
        places="66",
        through=("LiteLLM",),
    ),
    Quotation(
        "continuedev/continue#4493",
        '400 litellm.BadRequestError: VertexAIException BadRequestError - b\'{"type":"error","error":{"type":"i'
        'nvalid_request_error","message":"messages.10: Did not find 1 `tool_result` block(s) at the beginning o'
        "f this message.",
        "R9",
        "anthropic",
        places="10",
        through=("LiteLLM", "Vertex AI"),
    ),
    Quotation(
        "anthropics/claude-code#18947",
        "messages.0.content.0: unexpected `tool_use_id` found in \n    `tool_result` blocks: toolu_01FfCGddPyWs"
        "q3gCLq. Each `tool_result` block must have a corresponding `tool_use` block in the previous \n    mess"
        "age.",
        "R1",
        "anthropic",
        ids="toolu_01FfCGddPyWsq3gCLq",
        places="0.0",
    ),
    Quotation(
        "anthropics/claude-code#21317",
        "messages.1.content.1: `tool_use` ids must be unique",
        "K1",
        "anthropic",
        places="1.1",
    ),
    Quotation(
        "anomalyco/opencode#1279",
        "messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        "K3",
        "anthropic",
        places="1.1",
    ),
    Quotation(
        "anthropics/anthropic-sdk-python#1339",
        "messages.1: `web_search` tool use with id `srvtoolu_01` was found without a corresponding `web_search_"
        "tool_result` block",
        "X1",
        "anthropic",
        ids="srvtoolu_01",
        places="1",
    ),
    Quotation(
        "anthropics/claude-code#64383",
        "unexpected `tool_use_id` found in `advisor_tool_result` blocks: srvtoolu_01. Each `advisor_tool_result"
        "` block must have a corresponding `server_tool_use` block before it.",
        "X2",
        "anthropic",
        ids="srvtoolu_01",
    ),
    Quotation(
        "anthropics/claude-code#3512",
        'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.5: `tool_us'
        "e`     \n     ids were found without `tool_result` blocks immediately after: toolu_01SWBkC2GPGhoSfEqTZ"
        '6y91b. Each\n    `tool_use` block must have a corresponding `tool_result` block in the next message."}'
        "}",
        "D2",
        "anthropic",
        ids="toolu_01SWBkC2GPGhoSfEqTZ6y91b",
        places="5",
    ),
    Quotation(
        "lbjlaq/Antigravity-Manager#654",
        '{\n  "error": {\n    "code": 400,\n    "message": "{\\"type\\":\\"error\\",\\"error\\":{\\"type\\":\\"'
        'invalid_request_error\\",\\"message\\":\\"messages.243: `tool_use` ids were found without `tool_result'
        "` blocks immediately after: bash-uOQIdN0O. Each `tool_use` block must have a corresponding `tool_resul"
        't` block in the next message.\\"},\\"request_id\\":\\"req_vrtx_011CX8LKNqFusFUVvygN5vEH\\"}",\n    "st'
        'atus": "INVALID_ARGUMENT"\n  }\n}',
        "D2",
        "anthropic",
        ids="bash-uOQIdN0O",
        places="243",
    ),
    Quotation(
        "anthropics/claude-code#5375",
        '[{"error":"Error: 400 {\\"type\\":\\"error\\",\\"error\\":{\\"type\\":\\"invalid_request_error\\",\\"m'
        'essage\\":\\"messages.33: `tool_use` ids were found without `tool_result` blocks immediately after: to'
        "olu_01WQfwh7MJKmV9YfsFiJ4zxx. Each `tool_use` block must have a corresponding `tool_result` block in t"
        'he next message.\\"}}\\n    at A6.generate (file:///C:/Users/ranay/AppData/Roaming/npm/node_modules/@a'
        "nthropic-ai/claude-code/cli.js:1021:2303)\\n    at gP.makeStatusError (file:///C:/Users/ranay/",
        "D2",
        "anthropic",
        ids="toolu_01WQfwh7MJKmV9YfsFiJ4zxx",
        places="33",
    ),
    Quotation(
        "anthropics/claude-code#5989",
        "messages.22: `tool_use` \n    ids were found without `tool_result` blocks immediately after: toolu_01H"
        "qfLWiAKQLsniF2fBGF2KD, \n    toolu_01SJzDkeAZER935cpGFptTNk. Each `tool_use` block must have a",
        "D3",
        "anthropic",
        ids="toolu_01HqfLWiAKQLsniF2fBGF2KD toolu_01SJzDkeAZER935cpGFptTNk",
        places="22",
    ),
    Quotation(
        "Wei-Shaw/claude-relay-service#61",
        '麻烦大佬看下这个API报错是哪里的原因？\n\n```\n> Please commit these changes\n  ⎿ API Error: 400 {"type'
        '":"error","error":{"type":"invalid_request_error","message":"messages.8: `tool_use` ids\n     were fou'
        "nd without `tool_result` blocks immediately after: toolu_01BLPnEsLAX3wVCZiRbuucaK. Each `tool_use`\n  "
        "  block must",
        "D2",
        "anthropic",
        ids="toolu_01BLPnEsLAX3wVCZiRbuucaK",
        places="8",
    ),
    Quotation(
        "edison7009/EchoBird#338",
        "messages.20: `tool_use` ids were found without `tool_result` blocks immediately after: call_sS3HejVTEi"
        "GEJGwTW7bxHKh8. Each `tool_use` block must",
        "D2",
        "anthropic",
        ids="call_sS3HejVTEiGEJGwTW7bxHKh8",
        places="20",
    ),
    Quotation(
        "ravitemer/codecompanion-history.nvim#39",
        'Error 400: {"type":"error","error":{"type":"invalid_request_error","message":"messages.4: `tool_use` i'
        "ds were found without `tool_result` blocks immediately after: toolu_01NqCa3M2mE7QJEV6LfFMgBD. Each",
        "D1",
        "anthropic",
        ids="toolu_01NqCa3M2mE7QJEV6LfFMgBD",
        places="4",
    ),
    Quotation(
        "anthropics/claude-code#37",
        "messages.224: Did not find 1 `tool_result` block(s) at the beginning of this \nmessage. Messages follo"
        "wing `tool_use` blocks must begin with a matching number of `tool_result` blocks.",
        "R9",
        "anthropic",
        places="224",
    ),
    Quotation(
        "github/copilot-cli#1159",
        "✗ Execution failed: Error: Failed to get response from the AI model; retried 5 times (Request-ID 3B80:"
        "7355D) Last error: CAPIError: 400 messages.2.content.1: unexpected `tool_use_id` found in `tool_result"
        "` blocks: toolu_vrtx_015ivZnCHtX8ndKTNpHXMiuG. Each `tool_result` block must have a corresponding `too"
        "l_use` block in the previous message.",
        "R1",
        "anthropic",
        ids="toolu_vrtx_015ivZnCHtX8ndKTNpHXMiuG",
        places="2.1",
    ),
    Quotation(
        "router-for-me/CLIProxyAPI#497",
        '{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{"type\\":\\"error\\",\\"e'
        'rror\\":{"type":"invalid_request_error",\\"message":"messages.12.content.0: unexpected `tool_use_id` f'
        "ound in `tool_result` blocks: toolu_01JLpBvrkaJHBDU3z3cWqtyv. Each `tool_result`",
        "R1",
        "anthropic",
        ids="toolu_01JLpBvrkaJHBDU3z3cWqtyv",
        places="12.0",
    ),
    Quotation(
        "Coneja-Chibi/TunnelVision#6",
        'Chat completion request error: Bad Request {"error":{"message":"Provider returned error","code":400,"m'
        'etadata":{"raw":"{\\"type\\":\\"error\\",\\"error\\":{\\"type\\":\\"invalid_request_error\\",\\"messag'
        'e\\":\\"messages.0.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_bdrk_011Gy'
        "mkhV2Vncv6LCQGGDtdR. Each",
        "R1",
        "anthropic",
        ids="toolu_bdrk_011GymkhV2Vncv6LCQGGDtdR",
        places="0.1",
    ),
    Quotation(
        "vercel/eve#1246",
        "messages.6.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks wit"
        "h id: toolu_01UspA",
        "R5",
        "anthropic",
        ids="toolu_01UspA",
        places="6.1",
    ),
    Quotation(
        "tghamm/Anthropic.SDK#128",
        "`tool_result` blocks can only be in `user` messages",
        "R11",
        "anthropic",
    ),
    Quotation(
        "anthropics/claude-code#20700",
        'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.5.content.1'
        ': tool_use ids must be unique"},"request_id":"req_011CXTCxRaPDNqHNnZnGMEUb"}',
        "K1",
        "anthropic",
        places="5.1",
    ),
    Quotation(
        "musistudio/claude-code-router#593",
        'r(400): \n    {\\"error\\":{\\"message\\":\\"Provider returned error\\",\\"code\\":400,\\"metadata\\":'
        '{\\"r\n    aw\\":\\"{\\\\\\"type\\\\\\":\\\\\\"error\\\\\\",\\\\\\"error\\\\\\":{\\\\\\"type\\\\\\":\\'
        '\\\\"invalid_request\n    _error\\\\\\",\\\\\\"message\\\\\\":\\\\\\"messages.1.content.2: `tool_use` '
        'ids must be \n    unique\\\\\\"}}',
        "K2",
        "anthropic",
        places="1.2",
    ),
    Quotation(
        "tailcallhq/forgecode#1142",
        'Caused by:\n    0: 400 Bad Request Reason: {"message":"Provider returned error","metadata":{"raw":"{\\'
        '"type\\":\\"error\\",\\"error\\":{\\"type\\":\\"invalid_request_error\\",\\"message\\":\\"messages.5.c'
        'ontent.0.tool_use.id: String should match pattern \'^[a-zA-Z0-9_-]+$\'\\"}}","provider_name":"Google"}'
        "}\n    1: Invalid Status Code: 400",
        "K4",
        "anthropic",
        places="5.0",
    ),
    Quotation(
        "CommandCodeAI/command-code#323",
        "Error: 400 messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        "K4",
        "anthropic",
        places="1.1",
    ),
    Quotation(
        "anthropics/claude-code#6696",
        'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.61.content.'
        '0.tool_use.input: Input should be a valid \n     dictionary"},"request_id":"req_011CSZ9vSpZLrRWFouS5Lo'
        'MX"}',
        "K6",
        "anthropic",
        places="61.0",
    ),
    Quotation(
        "anthropics/claude-code#6695",
        '⎿ API Error: 400 {"type":"error","error":{"type":"invalid_request_error","mes\n    sage":"messages.1.c'
        'ontent.0.tool_use.input: Input should be a valid \n    dictionary"}',
        "K6",
        "anthropic",
        places="1.0",
    ),
    Quotation(
        "anthropics/claude-code#6697",
        '⎿ API Error: 400 {"type":"error","error":{"type":"invalid_request_error","messag\n    e":"messages.57.'
        'content.1.tool_use.input: Input should be a valid\n    dictionary"},"request_id":"req_011CSZDEWgLCnAZg'
        'DAECryfA"}',
        "K6",
        "anthropic",
        places="57.1",
    ),
    Quotation(
        "PostHog/code#3296",
        "messages.9.content.0.tool_use.input: Field required",
        "K6",
        "anthropic",
        places="9.0",
    ),
    Quotation(
        "anthropics/anthropic-sdk-typescript#648",
        'BadRequestError: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.3.con'
        'tent.1.tool_use.input: Input should be a valid dictionary"}}\n    at APIError.generate (file:///home/u'
        "ser/Documents/v5/server/node_modules/@anthropic-ai/sdk/error.mjs:37:20)",
        "K6",
        "anthropic",
        places="3.1",
    ),
    Quotation(
        "anthropics/anthropic-sdk-python#494",
        "Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error', 'message': 'Requests wh"
        "ich include `tool_use` or `tool_result` blocks must define `tools`.'}}",
        "K8",
        "anthropic",
    ),
    Quotation(
        "anthropics/claude-code#95406",
        "API Error: 400 messages.15.content.0: unexpected `tool_use_id` found in `advisor_tool_result` blocks: "
        "srvtoolu_01DcAD2oDB6fdQXk4XdWShsW. Each `advisor_tool_result` block must have a corresponding `server_"
        "tool_use` block before it.",
        "X2",
        "anthropic",
        ids="srvtoolu_01DcAD2oDB6fdQXk4XdWShsW",
        places="15.0",
    ),
    Quotation(
        "anthropics/claude-code#63203",
        'Error: 400 {\\"type\\":\\"error\\",\\"error\\":{\\"type\\":\\"invalid_request_error\\",\\"message\\":'
        '\\"messages.3.content.11: `thinking` or `redacted_thinking` blocks in the latest assistant message can'
        'not be modified. These blocks must remain as they were in the original response.\\"},\\"request_id\\":'
        '\\"req_011CbVJR3DSpsq426RyQ7HJ2\\"}',
        "T2",
        "anthropic",
        places="3.11",
    ),
    Quotation(
        "anthropics/claude-code#25361",
        "messages.1.content.1: `thinking` or\n     `redacted_thinking` blocks in the latest assistant message c"
        "annot be modified. These blocks must remain as they were in\n     the original response.",
        "T2",
        "anthropic",
        places="1.1",
    ),
    Quotation(
        "bastani-inc/atomic#1318",
        'Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.3.content.9: `t'
        "hinking` or `redacted_thinking` blocks in the latest\n assistant message cannot be modified.",
        "T2",
        "anthropic",
        places="3.9",
    ),
    Quotation(
        "lbjlaq/Antigravity-Manager#498",
        'API Error: 400 {"error":{"code":400,"message":"{\\"type\\":\\"error\\",\\"error\\":{\\"type\\":\\"inva'
        'lid_request_error\\",\\"message\\":\\"messages.1.content.0: Invalid `signature` in `thinking`       bl'
        'ock\\"},\\"request_id\\":\\"req_vrtx_011CWwvKgCCu3fvjASX69zqX\\"}","status":"INVALID_ARGUMENT"}}',
        "T1",
        "anthropic",
        places="1.0",
    ),
    Quotation(
        "YishenTu/claudian#250",
        'API Error: 400   \n{"error":{"code":"400","message":"messages.1.content.0:   \nInvalid signature in th'
        'inking block","type":"invalid_params"}}',
        "T1",
        "anthropic",
        places="1.0",
    ),
    Quotation(
        "ding113/claude-code-hub#518",
        '"type": "request_fail",\n    "upstream_error": {\n      "type": "error",\n      "error": {\n        "t'
        'ype": "invalid_request_error",\n        "message": "messages.1.content.0: Invalid `signature` in `thin'
        'king` block"\n      },\n      "request_id": "req_011CWkB65DcNzK2MiofhXx8b"',
        "T1",
        "anthropic",
        places="1.0",
    ),
    Quotation(
        "znlsl/Antigravity2Api#11",
        '⎿  API Error: 400 {"error":{"code":400,"message":"{\\"type\\":\\"error\\",\\"error\\":{\\"type\\":\\"i'
        'nvalid_request_error\\",\\"message\\":\\"messages.1.content.0.type: Expected `thinking` or \n     `red'
        "acted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must st"
        "art with a thinking block",
        "T5",
        "anthropic",
        places="1.0",
    ),
    Quotation(
        "mastra-ai/mastra#7799",
        "[1] Error creating stream APICallError [AI_APICallError]: messages.29.content.0.type: Expected `thinki"
        "ng` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled,",
        "T5",
        "anthropic",
        places="29.0",
    ),
    Quotation(
        "tailcallhq/forgecode#1853",
        '"message":"messages.1.content.0: When thinking is disabled, an `assistant` message in the final positi'
        'on cannot contain `thinking`. To use thinking blocks, enable `thinking` in your request."',
        "T2",
        "anthropic",
        places="1.0",
    ),
    Quotation(
        "anthropics/claude-code#55302",
        '{API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.87.content'
        '.1.text: cache_control cannot be set for empty text blocks"},"reque',
        "M6",
        "anthropic",
        places="87.1",
    ),
    Quotation(
        "anthropics/claude-code#59812",
        "⎿  API Error: 400 messages: text content blocks must be non-empty",
        "M6",
        "anthropic",
    ),
    Quotation(
        "smallmain/vscode-unify-chat-provider#249",
        'Reason: 400 {"type":"error","error":{"type":"invalid_request_error","message":"This model does not sup'
        'port assistant message prefill. The conversation must end with a user message."},"request_id":"req_011'
        'CcmtaL3xqBqxxxxxx"}: Error: 400',
        "M5",
        "anthropic",
    ),
    Quotation(
        "FlowiseAI/Flowise#2006",
        '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages: roles must alternate '
        'between \\"user\\" and \\"assistant\\", but found multiple \\"assistant\\" roles in a row"}}',
        "M2",
        "anthropic",
    ),
    Quotation(
        "modelcontextprotocol/quickstart-resources#20",
        'Error: Error code: 400 - {\'message\': \'messages: roles must alternate between "user" and "assistant"'
        ', but found multiple "user" roles in a row\'}',
        "M3",
        "anthropic",
    ),
    Quotation(
        "hyperb1iss/droidmind#15",
        "messages.3.content.318.image.source.base64.data: At least one of the image dimensions exceed max allow"
        "ed size for many-image requests: 2000 pixels",
        "V1",
        "anthropic",
        places="3.318",
    ),
    Quotation(
        "microsoft/vscode#297841",
        'Reason: Request Failed: 400 {"error":{"message":"messages.38.content.1.image.source.base64.data: At le'
        'ast one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels","code":"'
        'invalid_request_body"}}',
        "V1",
        "anthropic",
        places="38.1",
    ),
    Quotation(
        "anthropics/claude-code#49720",
        "An image in the conversation exceeds the dimension limit for many-image requests (2000px). Run /compac"
        "t to remove old images from context, or start a new\n  session.",
        "V1",
        "anthropic",
    ),
    Quotation(
        "gptme/gptme#185",
        "BadRequestError: Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error', 'messa"
        "ge': 'messages.58.content.2.image.source.base64: image exceeds 5 MB maximum: 6500712 bytes > 5242880 b"
        "ytes'}}",
        "V1",
        "anthropic",
        places="58.2",
    ),
    Quotation(
        "anthropics/claude-code#4083",
        'API Error: 400 {"type":"error","error":{"type":"i\n     nvalid_request_error","message":"Could not\n  '
        '   process image"},"request_id":"req_011CYW8FkoQBsT8\n     MAC5GZZ1C"}',
        "V1",
        "anthropic",
    ),
    Quotation(
        "anthropics/claude-code#73821",
        "API Error: 400 messages.67: role 'system' must precede an 'assistant' message or end the array",
        "M13",
        "anthropic",
        places="67",
    ),
    Quotation(
        "anthropics/claude-code#81863",
        "API Error: 400 Tool reference 'mcp__claude_ai_Indeed__get_company_data' not found in available tools",
        "X3",
        "anthropic",
    ),
    Quotation(
        "Alcova-AI/adk-anthropic-go#29",
        "messages.0.content: thinking blocks may only be in `assistant` messages",
        "T9",
        "anthropic",
        places="0",
    ),
    Quotation(
        "anthropics/claude-code#34943",
        'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.27.content.1.i'
        'mage.source.base64: image cannot be empty"},"request_id":"req_011CZ62vPp7MpuRuyU5UAYy"',
        "V1",
        "anthropic",
        places="27.1",
    ),
    Quotation(
        "anthropics/claude-code#2438",
        'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.8.content.0.too'
        "l_result.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', \n     'image"
        "/gif' or 'image/webp'\"}}",
        "V1",
        "anthropic",
        places="8.0",
    ),
    Quotation(
        "vybestack/llxprt-code#2130",
        '[API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.83.content.0.t'
        "ool_result.content.1.image.source.base64: The image was specified using the image/jpeg media type, but the "
        'image appears to be a image/png image"},"request_id":"req_011CcKUHqhoZKBxwzCeUnRxm"} (Status: 400)',
        "V1",
        "anthropic",
        places="83.0",
    ),
    Quotation(
        "anthropics/claude-code#988",
        '{"type":"error","error":{"type":"invalid_request_error","message":"messages.2.content.0.image.source.base6'
        '4.data: Image does\n    not match the provided media type image/png"}}',
        "V1",
        "anthropic",
        places="2.0",
    ),
    Quotation(
        "anthropics/claude-code#25323",
        'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.28.content.0.pd'
        'f.source.base64.data: The PDF specified was not valid."}}',
        "V1",
        "anthropic",
        places="28.0",
    ),
    Quotation(
        "anthropics/claude-code#9438",
        "API Error: 400 due to tool use concurrency issues. Run /rewind to recover the conversation.",
        "D2",
        "anthropic",
    ),
    Quotation(
        "tailcallhq/forgecode#2107",
        "⏺ [11:51:38] ERROR: POST https://api.anthropic.com/v1/messages\n    Caused by: 400 Bad Request Reason:"
        ' {"type":"error","error":{"type":"invalid_request_error","message":"messages.1: The final block in an '
        'assistant message cannot be `thinking`."},"request_id":"req_011CVzRApSTq9LqxMcT8uSxd"}',
        "M8",
        "anthropic",
        places="1",
    ),
    Quotation(
        "lbjlaq/Antigravity-Manager#653",
        '{"error":{"code":400,"message":"{"type":"error","error":{"type":"invalid_request_error","message":"mes'
        "sages.17.content.0: If an assistant message contains any thinking blocks, the first block must be thin"
        'king or redacted_thinking. Found text."},"request_id":"req_vrtx_011CX7czoyYvG8822A1LhTkV"}","',
        "T2",
        "anthropic",
        places="17.0",
    ),
    Quotation(
        "anomalyco/opencode#48637",
        "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conve"
        'rsation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
        "T3",
        "anthropic-prefix-bound",
        places="1.0",
    ),
    Quotation(
        "kirodotdev/KiroCrew#11513",
        "The `thinking` block that preceded this one when it was created is missing from this request.",
        "T3",
        "anthropic-prefix-bound",
    ),
)
