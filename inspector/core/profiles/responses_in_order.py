"""OpenAI Responses on servers that want every output right behind its call: DeepSeek's.

OpenAI pairs calls and outputs by `call_id`, wherever the output stands; this server looks at what comes next. A message
of a developer or the user, or an item of reasoning, between the two makes it refuse the request: Codex puts the context
of a hook there (deepseek-ai/DeepSeek-V3#1588, fish2lab/DSCodex#9, deepseek-ai/awesome-deepseek-integration#740). It
does not ask how an item's own id begins, nor for reasoning that OpenAI's server has kept.
"""

from msgspec import structs

from inspector.core.profiles.openai_responses import PROFILE as OPENAI_RESPONSES

_OF_OPENAI = frozenset({"K10", "T4", "T5", "T7"})
_UNANSWERED_IN_ORDER = "No tool output found for tool call {id}"

IN_ORDER_PROFILE = structs.replace(
    OPENAI_RESPONSES,
    name="responses-in-order",
    label="OpenAI Responses (outputs right behind their calls)",
    refusals={
        **{key: text for key, text in OPENAI_RESPONSES.refusals.items() if key.partition(" ")[0] not in _OF_OPENAI},
        **dict.fromkeys(("R3", "R4"), _UNANSWERED_IN_ORDER),
    },
    models="deepseek",
    source="the issues named above",
)
