"""LiteLLM: a call of its own, and one of its router."""

import asyncio
import os
from collections.abc import Iterator
from typing import Any

from adapting import PROMPT, Answer, answer_each, compared

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm
from litellm.types.utils import CallTypes

litellm.suppress_debug_info = True
TOOL = {"type": "function", "function": {"name": "Read", "parameters": {"type": "object", "properties": {}}}}
MODEL = "openai/fake-model"


def ids(message: dict[str, Any]) -> Iterator[str]:
    yield from (call["id"] for call in message.get("tool_calls", ()))
    if "tool_call_id" in message:
        yield message["tool_call_id"]


async def said(history: list[Any], url: str) -> str:
    request = {"messages": [*history, {"role": "user", "content": PROMPT}], "tools": [TOOL]}
    server = {"model": MODEL, "api_base": f"{url}/v1", "api_key": "none"}
    direct = await litellm.acompletion(**request, **server, num_retries=0)
    router = litellm.Router([{"model_name": MODEL, "litellm_params": server}], num_retries=0)
    routed = await router.acompletion(MODEL, **request)
    (text,) = {direct.choices[0].message.content, routed.choices[0].message.content}
    return str(text)


def answer(history: Any, url: str, blocks: list[str]) -> Answer:
    litellm.callbacks = []
    for block in blocks:
        exec(block, {})
    told = {"answer": asyncio.run(said(history, url))}
    for callback in litellm.callbacks:
        hook = callback.async_pre_call_deployment_hook({"messages": history}, CallTypes.acompletion)
        told |= compared(history, asyncio.run(hook)["messages"], ids)
    return told


answer_each(answer)
