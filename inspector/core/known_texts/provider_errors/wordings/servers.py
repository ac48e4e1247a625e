"""What in a text gives away who passed it on, or whose server speaks another provider's language."""

SERVERS = (
    ("Azure", r"azure"),
    ("OpenRouter", r"openrouter|Provider returned error"),
    ("LiteLLM", r"litellm|Missing corresponding tool call for tool response"),
    ("Vertex AI", r"_vrtx_|vertex|aiplatform"),
    ("Bedrock", r"bedrock|ValidationException|toolResult blocks|toolUse blocks|\btooluse_|_bdrk_"),
    ("Qwen (DashScope)", r"InternalError\.Algo|dashscope"),
    ("DeepSeek", r"deepseek|insufficient tool messages"),
    ("Moonshot", r"moonshot|kimi|tool_call_id +is not found"),
    ("Zhipu", r"zhipu|bigmodel|\bglm\b|参数非法|messages parameter is illegal"),
    (
        "Mistral",
        r"mistral|invalid_request_message_order|Not the same number of function calls|Unexpected role \w+ after",
    ),
    ("vLLM", r"vllm"),
    ("llama.cpp", r"llama|Jinja Exception|While executing CallExpression|Failed to parse tool call arguments"),
    ("MiniMax", r"minimax|\(2013\)"),
    ("Groq", r"groq|the following must be satisfied"),
    ("GitHub Copilot", r"copilot|CAPIError"),
)
