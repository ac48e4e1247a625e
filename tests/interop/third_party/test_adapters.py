"""The adapters of `frameworks.md`, as far as that is possible without the frameworks; Pydantic AI is here.

With all frameworks: `python -m tests.interop.third_party`.
"""

import asyncio
import sys
from collections.abc import Callable
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest

from tests.core.formats import langchain
from tests.interop.agents.provider import WIRES
from tests.interop.third_party.adapters import ADAPTERS, ENVIRONMENT, Adapter, tried
from tests.interop.third_party.environments import PROGRAMS
from tests.interop.third_party.judges import HISTORIES
from tests.interop.third_party.shapes import SHAPES
from tests.support.judges import openai_error
from tests.support.notation import parse

BY_NAME = {adapter.name: adapter for adapter in ADAPTERS}


def names_of(adapter: str, **stand_ins: Any) -> dict[str, Any]:
    """What the code of the page defines, run with stand-ins for all that it imports from the framework."""
    lines = BY_NAME[adapter].blocks[0].splitlines()
    exec("\n".join(line for line in lines if not line.startswith(("from ", "import litellm"))), stand_ins)
    return stand_ins


def nothing(*_: Any, **__: Any) -> None: ...


def in_langgraph(messages: list[Any]) -> list[Any]:
    names = names_of(
        "LangGraph",
        RemoveMessage=SimpleNamespace,
        REMOVE_ALL_MESSAGES="all",
        convert_to_messages=list,
        **dict.fromkeys(("create_agent", "before_model"), nothing),
        **dict.fromkeys(("model", "tools", "checkpointer")),
    )
    state = {"messages": [message["data"] for message in messages]}
    update = names["repair_state"](state).get("messages", [None, *state["messages"]])
    return list(update[1:])


def in_agents_sdk(messages: list[Any]) -> list[Any]:
    class Session:
        def __init__(self, *_: Any) -> None: ...

        async def get_items(self, limit: int | None) -> list[Any]:
            return messages[-(limit or 0) :]

    names = names_of(
        "OpenAI Agents SDK",
        SQLiteSession=Session,
        Runner=SimpleNamespace(run_sync=lambda agent, prompt, session: session),
        **dict.fromkeys(("agent", "prompt", "session_id", "path")),
    )
    session = names["result"]
    assert asyncio.run(session.get_items(1)) == messages[-1:]
    return list(asyncio.run(session.get_items()))


def in_litellm(messages: list[Any]) -> list[Any]:
    library = SimpleNamespace()
    names_of("LiteLLM", CustomLogger=object, CallTypes=SimpleNamespace(acompletion="acompletion"), litellm=library)
    (hook,) = library.callbacks
    assert asyncio.run(hook.async_pre_call_deployment_hook({"input": "text"}, "aembedding")) == {"input": "text"}
    return list(asyncio.run(hook.async_pre_call_deployment_hook({"messages": messages}, "acompletion"))["messages"])


@pytest.mark.parametrize("name", HISTORIES)
@pytest.mark.parametrize(
    ("shape", "adapt", "judge"),
    [
        ("langchain", in_langgraph, lambda messages: openai_error(langchain.read(messages))),
        ("responses", in_agents_sdk, WIRES["openai-responses"].judge),
        ("openai", in_litellm, WIRES["openai-chat"].judge),
    ],
)
def test_the_code_of_the_page_repairs_a_history(
    shape: str, adapt: Callable[[list[Any]], list[Any]], judge: Callable[[list[Any]], str | None], name: str
) -> None:
    messages = SHAPES[shape](parse(HISTORIES[name]))
    repaired = adapt(messages)
    assert judge(repaired) is None
    if name.startswith("S"):
        assert all(one is each.get("data", each) for one, each in zip(repaired, messages, strict=True))


@pytest.mark.parametrize("adapter", ADAPTERS, ids=BY_NAME)
def test_the_page_names_the_versions_that_are_tried(adapter: Adapter) -> None:
    pins = dict(package.split("==") for package in ENVIRONMENT.packages)
    named = [f"{name} {version}" for name, version in pins.items() if name.split("[")[0] in adapter.packages.split()]
    assert len(named) == len(adapter.packages.split())
    words = " ".join(adapter.section.split())
    assert [each for each in named if each.replace("[openai]", "") not in words] == []


@pytest.mark.thorough
@pytest.mark.parametrize("adapter", ADAPTERS, ids=BY_NAME)
def test_an_adapter_answers_every_history_with_the_real_package(adapter: Adapter) -> None:
    assert (PROGRAMS / adapter.program).is_file()
    if find_spec(adapter.module) is None:
        pytest.skip(f"{adapter.name} is not installed; `python -m tests.interop.third_party` installs it")
    assert [trial for trial in tried(adapter, sys.executable) if trial.wrong] == []
