"""The messages that the SDKs of the providers publish: a table of their types, and the check of a message against it.

`published_types.json` holds, for each provider, a JSON Schema of a message of a request, as the types of its SDK have
it, and the version of the SDK. `python -m tests.robustness.fuzz.published_types --update` writes it anew; without the
option the exit code is 1 when it differs. The SDKs are installed into an environment of their own.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import click

from tests.interop.third_party.environments import ENVIRONMENTS, NotInstalled

FILE = Path(__file__).with_suffix(".json")
SDKS = ENVIRONMENTS["sdks"]
PROVIDERS = ("anthropic", "openai-chat", "openai-responses", "gemini")

Schema = Mapping[str, Any]

_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float), "object": (dict,),
    "array": (list,), "null": (type(None),),
}  # fmt: skip
_NAME = re.compile(r"^Beta|Param$|ParamParam$")
_WORD_BORDER = re.compile(r"_([a-z])")


class Wrong(NamedTuple):
    """What does not fit a published type: the type and its member, and what is wrong with the value there."""

    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.why}"


class Published(NamedTuple):
    """The messages of one provider: the version of its SDK, the schema of a message, and the types that it names."""

    sdk: str
    message: Schema
    types: Mapping[str, Schema]

    def resolved(self, schema: Schema) -> Schema:
        return self.types[self.name_of(schema)] if "$ref" in schema else schema

    @staticmethod
    def name_of(schema: Schema) -> str:
        return str(schema.get("$ref", "")).rpartition("/")[2]

    def alternatives(self, schema: Schema) -> Iterator[Schema]:
        """The schemas of which a value has to fit one; those of alternatives among them."""
        resolved = self.resolved(schema)
        if "anyOf" not in resolved:
            yield schema
        for each in resolved.get("anyOf", ()):
            yield from self.alternatives(each)


@cache
def published() -> Mapping[str, Published]:
    """By provider."""
    table = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: Published(**each) for name, each in table.items()}


def enumerated_words() -> Iterator[str]:
    """The words that the types name as values."""
    waiting: list[Any] = [known.types for known in published().values()]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            words = [*each.get("enum", ()), each.get("const")] if "properties" not in each else []
            yield from (word for word in words if isinstance(word, str))
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


def violations(provider: str, message: Any) -> list[Wrong]:
    """Where a message does not fit the published types of a provider."""
    known = published()[provider]
    return [*_violations(message, known.message, known, "message")]


def _violations(value: Any, schema: Schema, known: Published, where: str) -> Iterator[Wrong]:
    choices = [*known.alternatives(schema)]
    meant = [each for each in choices if _is_meant(value, known.resolved(each))]
    if not meant:
        yield Wrong(where, _unknown(value, any(_has_type(value, known.resolved(each)) for each in choices)))
        return
    tried = [([*_in_one(value, each, known, where)], _foreign_keys(value, known.resolved(each))) for each in meant]
    found, _ = min(
        tried, key=lambda one: (bool(one[0]), one[1], len(one[0]), any("unknown type" in each.why for each in one[0]))
    )
    yield from found


def _foreign_keys(value: Any, schema: Schema) -> int:
    """How many members of an object a type does not have: what has the fewest is likeliest meant."""
    return len(value.keys() - schema.get("properties", {}).keys()) if isinstance(value, dict) else 0


def _in_one(value: Any, schema: Schema, known: Published, where: str) -> Iterator[Wrong]:
    """What is wrong with a value of a type that is no choice of others."""
    resolved, name = known.resolved(schema), known.name_of(schema)
    if "enum" in resolved or "const" in resolved:
        if value not in resolved.get("enum", [resolved.get("const")]):
            yield Wrong(where, "a value outside the enumeration")
    elif isinstance(value, list):
        for each in value:
            yield from _violations(each, resolved.get("items", {}), known, where)
    elif isinstance(value, dict):
        yield from _in_object(value, resolved, known, _NAME.sub("", name) or where)


def _in_object(value: dict[str, Any], schema: Schema, known: Published, name: str) -> Iterator[Wrong]:
    members, needed = schema.get("properties", {}), schema.get("required", ())
    for key in needed:
        if key not in value:
            yield Wrong(f"{name}.{key}", "missing")
    for key, each in value.items():
        member = members.get(key, members.get(_WORD_BORDER.sub(lambda found: found[1].upper(), key)))
        if member is not None and (each is not None or key in needed):
            yield from _violations(each, member, known, f"{name}.{key}")


def _has_type(value: Any, schema: Schema) -> bool:
    kinds = _KINDS.get(schema.get("type", ""))
    if kinds is None:
        return True
    return isinstance(value, kinds) and not (isinstance(value, bool) and bool not in kinds)


def _is_meant(value: Any, schema: Schema) -> bool:
    """Whether a value is of the kind that a schema describes, by its type, and by the words that tell types apart."""
    if not _has_type(value, schema):
        return False
    if not isinstance(value, dict):
        return True
    members, needed = schema.get("properties", {}), schema.get("required", ())
    told = {key: _allowed(members.get(key, {})) for key in ("type", "role")}
    return all(
        value.get(key) in words
        for key, words in told.items()
        if words and (value.get(key) is not None or key in needed)
    )


def _allowed(member: Schema) -> list[Any]:
    """The only values that a member may have, [] for any."""
    choices = [each.get("enum", [each["const"]] if "const" in each else []) for each in member.get("anyOf", [member])]
    return [word for words in choices for word in words]


def _unknown(value: Any, may_be_of_its_kind: bool) -> str:
    if not (may_be_of_its_kind and isinstance(value, dict)):
        return f"{_kind(value)}, which is of no known type"
    return f"an object of an unknown type: {value.get('type', value.get('role'))!r:.60}"


def _kind(value: Any) -> str:
    return next(name for name, kinds in _KINDS.items() if type(value) in kinds)


def as_published() -> str:
    """The file as the SDKs have it now. Raises NotInstalled."""
    SDKS.install()
    answers = SDKS.ask("published_types.py", [{"provider": name} for name in PROVIDERS])
    return written(dict(zip(PROVIDERS, answers, strict=True)))


def written(table: Mapping[str, Any]) -> str:
    """A line a type, so that a newer SDK shows what changed."""
    lines = ["{"]
    for provider, each in sorted(table.items()):
        lines += [f'"{provider}":{{"sdk":{_compact(each["sdk"])},"message":{_compact(each["message"])},"types":{{']
        types = [f"{_compact(name)}:{_compact(schema)}" for name, schema in sorted(each["types"].items())]
        lines += [f"{line}," for line in types[:-1]] + [types[-1], "}},"]
    lines[-1] = "}}"
    return "\n".join([*lines, "}"]) + "\n"


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@click.command()
@click.option("--update", is_flag=True, help="Write the file anew.")
def main(update: bool) -> None:
    """Compare the file with the SDKs."""
    try:
        text = as_published()
    except NotInstalled as error:
        sys.exit(f"The SDKs could not be installed: {error}")
    is_same = FILE.is_file() and FILE.read_text(encoding="utf-8") == text
    if update:
        FILE.write_text(text, encoding="utf-8")
    click.echo("The file is that of the SDKs." if is_same else f"The file differs{' and is written' * update}.")
    sys.exit(not (is_same or update))


if __name__ == "__main__":
    main()
