"""Servers that look at nothing: what any of the known local ones takes, this takes.

llama.cpp, Ollama and LM Studio give the messages to the model's chat template as they are; most templates render calls
without results, results without calls and any order of roles. What is left is what no server can read: half of a
surrogate pair is no JSON to llama.cpp's parser (ggml-org/llama.cpp uses nlohmann/json), nor to any other.
"""

from inspector.core.index.columns import Role
from inspector.core.profiles.profile import Profile

LAX_PROFILE = Profile(
    name="lax",
    label="a lax local server",
    merged_roles=frozenset({Role.TOOL}),
    result_role=Role.TOOL,
    refusals={
        "F7": "[json.exception.parse_error.101] parse error: syntax error while parsing value - invalid string: "
        "surrogate U+D800..U+DBFF must be followed by U+DC00..U+DFFF"
    },
    source="ggml-org/llama.cpp tools/server; chat templates of the models",
)
