"""`python -m tests.interop.agents.members`: each member of each item of a rollout, put to the real Codex.

One rollout holds every item of ITEMS, with each of its members in turn missing, null, or of other values. Codex
resumes it once, and what it sends is compared with what `sent` shows of the same rollout, case by case. A case that
Codex skips, or sends in a shape that the published types do not allow, must not be called healthy. The exit code is 1
for a disagreement that KNOWN does not name.
"""

import json
import re
import sys
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import click

from tests.core.formats.codex import FILE, OUTPUT_OF, THREAD, message, responses, rollout
from tests.interop.agents.drivers import AGENTS
from tests.interop.agents.install import CACHE
from tests.interop.agents.provider import Provider
from tests.interop.agents.refused import png
from tests.interop.agents.workplace import AgentFailed, Workplace
from tests.interop.third_party.environments import NotInstalled
from tests.robustness.fuzz.published_requests import violation
from tests.support import product

Item = dict[str, Any]
Place = tuple[str | int, ...]

METADATA = "internal_chat_message_metadata_passthrough"
TEXT: Item = {"type": "input_text", "text": "hi"}
PICTURE = b64encode(png(1)).decode()
IMAGE: Item = {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}", "detail": "auto"}
SEALED: Item = {"type": "encrypted_content", "encrypted_content": "gAAA"}
SAID: Item = {"type": "output_text", "text": "said", "annotations": [], "logprobs": []}
FOUND: Item = {"status": "completed", "execution": "client", "tools": []}
SUMMARY: Item = {"type": "summary_text", "text": "s"}
CALL: Item = {"type": "function_call", "id": "fc_1", "call_id": "C", "name": "shell", "arguments": "{}"}
CUSTOM: Item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "C", "name": "apply_patch", "input": "x"}
SEARCH: Item = {"type": "tool_search_call", "id": "tsc_1", "call_id": "C", "execution": "client", "arguments": {}}
ACTIONS: list[Item] = [
    {"type": "search", "query": "q", "queries": ["q"]},
    {"type": "open_page", "url": "u"},
    {"type": "find_in_page", "url": "u", "pattern": "p"},
]
RUN: Item = {
    "type": "exec",
    "command": ["ls"],
    "timeout_ms": 5,
    "working_directory": "/",
    "env": {"A": "b"},
    "user": "u",
}
ITEMS: list[Item] = [
    {"type": "message", "id": "msg_1", "role": "user", "content": [TEXT, IMAGE]},
    {"type": "message", "id": "msg_1", "role": "developer", "content": [TEXT]},
    {"type": "message", "id": "msg_1", "role": "assistant", "phase": "commentary", "content": [SAID]},
    {"type": "agent_message", "id": "amsg_1", "author": "/root/a", "recipient": "/root", "content": [TEXT, SEALED]},
    {"type": "reasoning", "id": "rs_1", "summary": [SUMMARY], "encrypted_content": "gAAA"},
    {"type": "local_shell_call", "id": "lsh_1", "call_id": "C", "status": "completed", "action": RUN},
    CALL,
    {"type": "function_call_output", "id": "fco_1", "call_id": "C", "output": [TEXT, IMAGE, SEALED]},
    CUSTOM,
    {"type": "custom_tool_call_output", "id": "ctco_1", "call_id": "C", "output": "o"},
    SEARCH,
    {"type": "tool_search_output", "id": "tso_1", "call_id": "C", **FOUND, "tools": [{"type": "function"}]},
    *({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": action} for action in ACTIONS),
    {"type": "image_generation_call", "id": "ig_1", "status": "completed", "revised_prompt": "p", "result": PICTURE},
    {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"},
    {"type": "context_compaction", "id": "cmp_1", "encrypted_content": "gAAA"},
    {"type": "additional_tools", "id": "at_1", "role": "developer", "tools": [{"type": "function"}]},
]  # fmt: skip
CALLS = {OUTPUT_OF[str(call["type"])]: call for call in (CALL, CUSTOM, SEARCH)}
ANSWERS: dict[str, Item] = {
    call: {"type": output} | (FOUND if output == "tool_search_output" else {"output": "done"})
    for call, output in OUTPUT_OF.items()
}
# Members that an item may have beside those of its own.
BESIDE: Item = {
    "status": "completed", "caller": {"type": "direct"}, "async": False, "name": "n", "namespace": "n",
    "encrypted_function_args": ["message"], METADATA: {"turn_id": "t", "create_time": 1.5}, "robot": 1,
}  # fmt: skip
MISSING = object()
VALUES: list[Any] = [MISSING, None, 7, True, "words", "", [], [7], ["words"], [{}], {}, {"type": "words"}]

# Disagreements that are left, by the path and the value of a case, and why.
KNOWN: tuple[tuple[str, str], ...] = (
    (rf'{METADATA} (\[\]|\["words"\])', "serde reads an object from a list as well"),
    (r"content \[\]|content/0 missing", "a message without content is reported as such (M7)"),
    (r'output/0/text ""', "Codex leaves out an empty text of an output"),
    (r"action/type .*|action (\[7\]|\[\"words\"\]|\{.*)", 'an unknown action goes out as {"type": "other"} (M12)'),
    (r'id ("words"|"")', "an own id without a prefix is not sent (the desktop app sends it: K10)"),
    (r'(role|call_id|name) ".*', "an empty or unknown word is reported by a rule of its own"),
)


class Case(NamedTuple):
    """An item, and where it differs from the sound one."""

    item: Item
    place: Place = ()
    value: Any = MISSING

    def __str__(self) -> str:
        value = "missing" if self.value is MISSING else json.dumps(self.value)
        return f"{'/'.join(map(str, self.place))} {value}"

    def numbered(self, number: int) -> list[Item]:
        """The item with ids of its own, and the call that it answers, or its answer."""
        kind = self.item["type"]
        before = [CALLS[kind]] if kind in CALLS else []
        behind = [ANSWERS[kind] | {"call_id": self.item.get("call_id")}] if kind in ANSWERS else []
        return [_numbered(item, number) for item in (*before, self.item, *behind)]


def _numbered(item: Item, number: int) -> Item:
    call_id, own = item.get("call_id"), item.get("id")
    item = item | {"call_id": f"C{number}"} if call_id == "C" else item
    return item | {"id": own.replace("_1", f"_{number}")} if isinstance(own, str) else item


def cases() -> Iterator[Case]:
    for sound in ITEMS:
        yield Case(sound)
        whole = sound | {key: value for key, value in BESIDE.items() if key not in sound}
        for place in _places(whole):
            if place == ("type",):
                continue
            base = sound if place[0] in sound else sound | {str(place[0]): whole[str(place[0])]}
            yield from (Case(_changed(base, place, value), place, value) for value in VALUES)


def _places(value: Any, at: Place = ()) -> Iterator[Place]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in members:
        yield (*at, key)
        yield from _places(inner, (*at, key))


def _changed(item: Item, place: Place, value: Any) -> Item:
    changed: Any = deepcopy(item)
    holder = changed
    for key in place[:-1]:
        holder = holder[key]
    if value is MISSING:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    return dict(changed)


def as_rollout(all_cases: list[Case], **meta: Any) -> bytes:
    """All cases, each behind a message with its number."""
    items = [
        item
        for number, case in enumerate(all_cases)
        for item in (message("user", f"case {number}."), *case.numbered(number))
    ]
    return rollout(*responses([*items, message("assistant", "case end.")]), cli_version="0.169.0", **meta)


def by_case(sent: list[Item]) -> dict[str, list[Item]]:
    """What was sent behind each number."""
    groups: dict[str, list[Item]] = {}
    number = ""
    for item in sent:
        parts = item.get("content") if item.get("type") == "message" else None
        text = parts[0].get("text") if isinstance(parts, list) and parts and isinstance(parts[0], dict) else None
        if isinstance(text, str) and (marker := re.fullmatch(r"case (\w+)\.", text)):
            number = marker[1]
            groups[number] = []
        else:
            groups.setdefault(number, []).append(item)
    return groups


def _plain(value: Any) -> Any:
    """What is compared of an item: not what only OpenAI gets, and no id that the agent makes."""
    if isinstance(value, dict):
        made = str(value.get("id")).startswith(("fco_", "ctco_", "tso_"))
        left_out = {METADATA, "encrypted_function_args", *(("id",) if made else ())}
        return {key: _plain(inner) for key, inner in value.items() if inner is not None and key not in left_out}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def resumed(place: Workplace, all_cases: list[Case]) -> list[Item]:
    """What the agent sends."""
    place.clear()
    log = place.home / ".codex/sessions/2026/01/01" / FILE
    log.parent.mkdir(parents=True)
    log.write_bytes(as_rollout(all_cases, cwd=str(place.project), model_provider="fake", source="exec"))
    turns = place.resume(THREAD)
    if not turns:
        raise AgentFailed("it sent nothing")
    return turns[0].messages


def disagreements(all_cases: list[Case], sent: list[Item], folder: Path) -> Iterator[str]:
    path = folder / FILE
    path.write_bytes(as_rollout(all_cases))
    ours, theirs = by_case(product.sent(path).report["input"]), by_case(sent)
    for number, case in enumerate(all_cases):
        expected, found = ours.get(str(number), []), theirs.get(str(number), [])
        if _plain(expected) != _plain(found):
            yield f"{case.item['type']} {case}: predicted was {expected}, sent was {found}"
        item = next((each for each in found if each.get("type") == case.item["type"]), None)
        refused = "skipped" if item is None else violation("openai-responses", [item])
        path.write_bytes(as_rollout([case]))
        if refused and product.check(path).session["verdict"] == "healthy":
            yield f"{case.item['type']} {case}: healthy, but {refused}"


def is_known(disagreement: str) -> bool:
    said = disagreement.partition(" ")[2].partition(": ")[0]
    return any(re.fullmatch(words, said) for words, _ in KNOWN)


@click.command()
@click.option("--cache", type=click.Path(path_type=Path), default=CACHE, help="Where the agents are installed.")
def main(cache: Path) -> None:
    """Compare what Codex does with the members of items with what is said of them."""
    agent = next(agent for name, agent in AGENTS.items() if name.startswith("codex"))
    all_cases = list(cases())
    try:
        command = agent.program.installed(cache)
    except NotInstalled as error:
        sys.exit(f"{agent.name}: not here: {error}")
    with tempfile.TemporaryDirectory(prefix="agents-") as root, Provider() as provider:
        sent = resumed(Workplace(agent, command, provider, Path(root)), all_cases)
        found = list(disagreements(all_cases, sent, Path(root)))
    unknown = [each for each in found if not is_known(each)]
    for each in unknown:
        click.echo(each)
    click.echo(f"{len(all_cases)} cases, {len(found) - len(unknown)} known disagreements, {len(unknown)} others")
    sys.exit(bool(unknown))


if __name__ == "__main__":
    main()
