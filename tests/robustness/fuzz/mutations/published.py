"""Messages and blocks of the types that the providers' SDKs publish: put in, and broken in the members that they have.

What a log's own messages are is told by the names of their members and types, not by its format, so that an agent's log
gets what its provider takes, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any, NamedTuple

from tests.robustness.fuzz.mutations.picking import Place, Unfit, places
from tests.robustness.fuzz.published_types import PROVIDERS, Published, Schema, published
from tests.robustness.fuzz.tree import Tree

_ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function", "model"})
_OTHER_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    7.5,
    "",
    "a text",
    [],
    ["a text"],
    {},
    {"text": "in an object"},
    [{}],
    [[]],
)
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_DEEP = 4


class _Found(NamedTuple):
    """A value of a published type in a log: where it is, and the type."""

    place: Place
    schema: Schema

    @property
    def value(self) -> dict[str, Any]:
        holder, key = self.place
        value: dict[str, Any] = holder[key]
        return value


def published_message(random: Random, tree: Tree) -> None:
    """A message or item of any published type, beside one of the log's."""
    known = _provider_of(random, tree)
    holder, key = random.choice(_messages(tree))
    made = Maker(random, tree, known).make(known.message)
    _put_beside(random, tree, (holder, key), made)


def published_block(random: Random, tree: Tree) -> None:
    """A block of any published type into a message of any role."""
    known = _provider_of(random, tree)
    holder, key = random.choice([each for each in _messages(tree) if _content(each) is not None] or [(None, None)])
    if holder is None:
        raise Unfit
    blocks = _content((holder, key))
    types = [schema for schema in _block_types(known) if schema]
    if blocks is None or not types:
        raise Unfit
    maker = Maker(random, tree, known)
    made = maker.make(random.choice(types))
    at = random.randint(0, len(blocks))
    blocks[at:at] = [*_call_of(made, maker, known), made]


def without_a_required_member(random: Random, tree: Tree) -> None:
    found = _pick(
        random,
        tree,
        _provider_of(random, tree),
        lambda found: any(key in found.value for key in found.schema.get("required", ())),
    )
    del found.value[random.choice([key for key in found.schema["required"] if key in found.value])]


def another_type(random: Random, tree: Tree) -> None:
    """A member of a published type gets a value of another type, be it there or not."""
    found = _pick(random, tree, _provider_of(random, tree), lambda found: bool(found.schema.get("properties")))
    found.value[random.choice([*found.schema["properties"]])] = deepcopy(random.choice(_OTHER_VALUES))


def outside_the_enumeration(random: Random, tree: Tree) -> None:
    known = _provider_of(random, tree)
    found = _pick(random, tree, known, lambda found: bool(_words(found.schema, known)))
    found.value[random.choice(_words(found.schema, known))] = random.choice(("", "none_of_them", "TEXT", "text ", "é"))


def optional_member(random: Random, tree: Tree) -> None:
    """A member that a published type may have, of the type that it says."""
    known = _provider_of(random, tree)
    found = _pick(random, tree, known, lambda found: bool(found.schema.get("properties")))
    key = random.choice([*found.schema["properties"]])
    found.value[key] = Maker(random, tree, known).make(found.schema["properties"][key], key)


def block_of_an_id_again(random: Random, tree: Tree) -> None:
    """What has an id, once more: as it is, or as another type of the same id."""
    known = _provider_of(random, tree)
    found = _pick(random, tree, known, lambda found: bool(_id_keys(found.value)))
    holder, key = found.place
    if not isinstance(holder, list):
        _put_beside(random, tree, found.place, deepcopy(found.value))
        return
    again = deepcopy(found.value)
    if random.random() < 0.5:
        other = Maker(random, tree, known).make(random.choice(_block_types(known) or [known.message]))
        if isinstance(other, dict):
            again = other | {name: found.value[_id_keys(found.value)[0]] for name in _id_keys(other)}
    holder.insert(random.choice((key, key + 1, len(holder))), again)


def blocks_in_another_order(random: Random, tree: Tree) -> None:
    messages = _messages(tree)
    calls = [holder[key].get("tool_calls") for holder, key in messages]
    lists = [each for each in [*calls, *(_content(place, make=False) for place in messages)] if _is_long(each)]
    if not lists:
        raise Unfit
    random.shuffle(random.choice(lists))


def _is_long(blocks: Any) -> bool:
    return isinstance(blocks, list) and len(blocks) > 1


def block_to_another_message(random: Random, tree: Tree) -> None:
    """A block under another role: reasoning into the words of the user, a result into an answer."""
    lists = [blocks for each in _messages(tree) if (blocks := _content(each)) is not None]
    full = [blocks for blocks in lists if blocks]
    source = random.choice(full) if full else None
    targets = [blocks for blocks in lists if blocks is not source]  # an earlier mutation may have put a list twice
    if source is None or not targets:
        raise Unfit
    target = random.choice(targets)
    target.insert(random.randint(0, len(target)), source.pop(random.randrange(len(source))))


class Maker:
    """Makes values of published types; ids are mostly those of the log."""

    def __init__(self, random: Random, tree: Tree, known: Published) -> None:
        self.random, self.known = random, known
        self.ids: list[str] = sorted(
            {
                holder[key]
                for holder, key in places(tree.values)
                if isinstance(key, str) and key.lower().endswith("id") and isinstance(holder[key], str)
            }
        )

    def make(self, schema: Schema, key: str = "", deep: int = 0) -> Any:
        choices = [*self.known.alternatives(schema)]
        if deep > _DEEP:
            choices = [each for each in choices if "$ref" not in each] or choices
        resolved = self.known.resolved(self.random.choice(choices))
        if "const" in resolved:
            return resolved["const"]
        if "enum" in resolved:
            return self.random.choice(resolved["enum"])
        kind = resolved.get("type")
        if kind == "object":
            return self._object(resolved, deep)
        if kind == "array":
            return [
                self.make(resolved.get("items", {}), key, deep + 1) for _ in range(self.random.choice((0, 1, 1, 2)))
            ]
        if kind == "string":
            return self._text(key)
        values = {"integer": 3, "number": 1.5, "boolean": self.random.random() < 0.5, "null": None}
        return values.get(kind or "", {"a": "value"})

    def _object(self, schema: Schema, deep: int) -> dict[str, Any]:
        members, needed = schema.get("properties", {}), schema.get("required", ())
        made = {
            key: self.make(member, key, deep + 1)
            for key, member in members.items()
            if key in needed or self.random.random() < 0.15
        }
        if "data" in made and ("media_type" in made or "mimeType" in made):
            made["data"] = _PIXEL
            made |= {key: "image/png" for key in ("media_type", "mimeType") if str(made.get(key)).startswith("image")}
        return made

    def _text(self, key: str) -> str:
        if key.lower().endswith("id"):
            return self.random.choice([*self.ids, "srvtoolu_01A", "new_1"])
        if key == "arguments":
            return '{"a": 1}'
        return {"name": "a_tool", "role": "user", "url": "https://example.org/a.png"}.get(key, "words of a block")


def _provider_of(random: Random, tree: Tree) -> Published:
    """The provider whose types the log's messages have, mostly; seldom another one."""
    signs = Counter(sign for holder, key in _messages(tree) for sign in _signs(holder[key]))
    is_foreign = not signs or random.random() < 0.06
    return published()[random.choice(PROVIDERS) if is_foreign else signs.most_common(1)[0][0]]


def _signs(message: dict[str, Any]) -> Iterator[str]:
    if isinstance(message.get("parts"), list):
        yield "gemini"
    if "tool_calls" in message or "tool_call_id" in message or message.get("role") == "tool":
        yield from ("openai-chat",) * 3
    if _is_item(message):
        yield from ("openai-responses",) * 3
    content = message.get("content")
    if isinstance(content, list):
        kinds = {str(block.get("type")) for block in content if isinstance(block, dict)}
        if kinds & {"input_text", "output_text"}:
            yield from ("openai-responses",) * 3
        elif kinds & {"image_url", "input_audio", "file", "refusal"}:
            yield from ("openai-chat",) * 3
        else:
            yield "anthropic"
    elif isinstance(content, str):
        yield "openai-chat"


def _item_types() -> frozenset[str]:
    known = published()["openai-responses"]
    schemas = map(known.resolved, known.alternatives(known.message))
    return frozenset(_type_of(schema) for schema in schemas) - {"", "message"}


def _messages(tree: Tree) -> list[Place]:
    """The places of messages and of items."""
    found = [(holder, key) for holder, key in places(tree.values) if _is_message(holder[key])]
    if not found:
        raise Unfit
    return found


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if _is_item(value):
        return True
    says = any(isinstance(value.get(key), list | str) for key in ("content", "parts")) or "tool_calls" in value
    return says and isinstance(value.get("role"), str) and value["role"] in _ROLES


def _is_item(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and kind in _item_types() and len(value) > 1


def _content(place: Place, make: bool = True) -> list[Any] | None:
    """The blocks of a message; words alone become a block."""
    holder, key = place
    message = holder[key]
    for name in ("content", "parts"):
        if isinstance(message.get(name), list):
            blocks: list[Any] = message[name]
            return blocks
    if make and isinstance(message.get("content"), str) and message.get("role") != "tool":
        message["content"] = [{"type": "text", "text": message["content"]}]
        made: list[Any] = message["content"]
        return made
    return None


def _block_types(known: Published) -> list[Schema]:
    """The types of what a list of blocks in a message may hold."""
    found: list[Schema] = []
    for each in known.alternatives(known.message):
        message = known.resolved(each)
        for name in ("content", "parts", "tool_calls"):
            for member in known.alternatives(message.get("properties", {}).get(name, {})):
                found += known.alternatives(member.get("items", {}))
    return [each for each in found if "$ref" in each]


def _call_of(made: Any, maker: Maker, known: Published) -> list[Any]:
    """The call of the provider's own tool that a result answers, mostly: without it only the pair would be judged."""
    kind = str(made.get("type")) if isinstance(made, dict) else ""
    if not kind.endswith("_tool_result") or maker.random.random() < 0.2:
        return []
    call = {"mcp_tool_result": "BetaMCPToolUseBlockParam"}.get(kind, "BetaServerToolUseBlockParam")
    before = maker.make(known.types.get(call, {}))
    if not isinstance(before, dict) or "id" not in before:
        return []
    names = known.types[call]["properties"]["name"].get("enum", ())
    before["name"] = next((name for name in names if kind.startswith(name)), before["name"])
    before["id"] = made["tool_use_id"] = f"srvtoolu_{maker.random.randrange(1000)}"
    return [before]


def _pick(random: Random, tree: Tree, known: Published, fits: Callable[[_Found], bool]) -> _Found:
    """A message, a block, or what is inside them, of a published type. Raises Unfit."""
    found: list[_Found] = []
    for place in _messages(tree):
        found += _typed(place, known.message, known, 0)
    found = [each for each in found if fits(each)]
    if not found:
        raise Unfit
    return random.choice(found)


def _typed(place: Place, schema: Schema, known: Published, deep: int) -> Iterator[_Found]:
    """A value with the published type that its `type` or `role` says, and the values in it."""
    holder, key = place
    value = holder[key]
    for each in known.alternatives(schema):
        resolved = known.resolved(each)
        if isinstance(value, dict) and resolved.get("type") == "object" and _says(value, resolved):
            yield _Found(place, resolved)
            for name, member in resolved.get("properties", {}).items():
                if name in value and deep <= _DEEP:
                    yield from _typed((value, name), member, known, deep + 1)
            return
        if isinstance(value, list) and resolved.get("type") == "array":
            for number in range(len(value)):
                yield from _typed((value, number), resolved.get("items", {}), known, deep + 1)
            return


def _says(value: dict[str, Any], schema: Schema) -> bool:
    members = schema.get("properties", {})
    told = [(key, members[key]) for key in ("type", "role") if key in members]
    words = [(key, each.get("enum", [each["const"]] if "const" in each else None)) for key, each in told]
    return all(value.get(key) in allowed for key, allowed in words if allowed is not None and key in value)


def _type_of(schema: Schema) -> str:
    return str(schema.get("properties", {}).get("type", {}).get("const", ""))


def _words(schema: Schema, known: Published) -> list[str]:
    """The members that have one of a few values."""
    members = schema.get("properties", {})
    choices = {key: [known.resolved(each) for each in known.alternatives(member)] for key, member in members.items()}
    return [key for key, found in choices.items() if any("enum" in each or "const" in each for each in found)]


def _id_keys(value: dict[str, Any]) -> list[str]:
    return [key for key, each in value.items() if key.lower().endswith("id") and isinstance(each, str)]


def _put_beside(random: Random, tree: Tree, place: Place, made: Any) -> None:
    """Into the list that the message is in; where a record holds one message, in a record like it."""
    holder, key = place
    if isinstance(holder, list):
        holder.insert(key + random.choice((0, 1)), made)
        return
    for number, record in enumerate(tree.records):
        if any(each is holder for each, _ in [(record, None), *places(record)]):
            before, holder[key] = holder[key], made
            copied = deepcopy(record)
            holder[key] = before
            tree.records.insert(number + random.choice((0, 1)), copied)
            return
    raise Unfit


TABLE = {
    each.__name__: each
    for each in (
        published_message,
        published_block,
        without_a_required_member,
        another_type,
        outside_the_enumeration,
        optional_member,
        block_of_an_id_again,
        blocks_in_another_order,
        block_to_another_message,
    )
}
