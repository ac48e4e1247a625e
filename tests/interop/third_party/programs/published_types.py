"""Print, for each line of standard input, the JSON Schema of a provider's messages, from the types of its SDK.

A line names the provider: `{"provider": "anthropic"}`. Of the types that say the same in two ways, as a request sends
it and as an answer holds it, the first is kept. The definitions of tools are left out: they are no part of a message.
"""

import json
import sys
from importlib.metadata import version
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

WORDS = frozenset({"title", "description", "default", "format", "discriminator", "examples"})
TOOLS = frozenset({"tools", "tool", "tool_changes"})


class Lenient(GenerateJsonSchema):
    """Marks a value that JSON cannot hold, such as an open file; it is left out of the alternatives."""

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> dict[str, Any]:
        return {"not": {}}


def message_type(provider: str) -> tuple[str, Any]:
    if provider == "anthropic":
        from anthropic.types.beta import BetaMessageParam  # noqa: PLC0415 - one SDK a run is enough

        return "anthropic", BetaMessageParam
    if provider == "openai-chat":
        from openai.types.chat import ChatCompletionMessageParam  # noqa: PLC0415

        return "openai", ChatCompletionMessageParam
    if provider == "openai-responses":
        from openai.types.responses import ResponseInputItemParam  # noqa: PLC0415

        return "openai", ResponseInputItemParam
    from google.genai.types import Content  # noqa: PLC0415

    return "google-genai", Content


def published(provider: str) -> dict[str, Any]:
    package, kind = message_type(provider)
    schema = TypeAdapter(kind).json_schema(schema_generator=Lenient)
    defined = schema.pop("$defs", {})
    root = plain(schema, defined)
    kept: dict[str, Any] = {}
    waiting = [root]
    while waiting:
        for name in names_in(waiting.pop()):
            if name not in kept:
                kept[name] = plain(defined[name], defined)
                waiting.append(kept[name])
    return {"sdk": f"{package} {version(package)}", "message": root, "types": kept}


def plain(schema: Any, defined: dict[str, Any]) -> Any:
    """Return a schema without its words, and without what repeats another alternative."""
    if isinstance(schema, list):
        return [plain(each, defined) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties":
            found[key] = {name: tools(name, plain(each, defined)) for name, each in value.items()}
        elif key in ("anyOf", "oneOf"):
            found["anyOf"] = plain(alternatives(value, defined), defined)
        elif key not in WORDS and key != "additionalProperties":
            found[key] = sorted(value) if key == "required" else plain(value, defined)
    return found


def tools(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a member; one that defines tools is a list or an object of any."""
    if name not in TOOLS:
        return schema
    return {"items": {"type": "object"}, "type": "array"} if schema.get("type") == "array" else {}


def alternatives(schemas: list[Any], defined: dict[str, Any]) -> list[Any]:
    """Return the alternatives without those of an answer where the one of a request has the same type."""
    sent = {kind_of(each, defined) for each in schemas if is_sent(each)}
    return [each for each in schemas if "not" not in each and (is_sent(each) or kind_of(each, defined) not in sent)]


def is_sent(schema: dict[str, Any]) -> bool:
    return str(schema.get("$ref", "Param")).endswith("Param")


def kind_of(schema: dict[str, Any], defined: dict[str, Any]) -> Any:
    held = defined.get(schema.get("$ref", "").rpartition("/")[2], {})
    return held.get("properties", {}).get("type", {}).get("const", schema.get("$ref"))


def names_in(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for each in schema for name in names_in(each)]
    if not isinstance(schema, dict):
        return []
    own = [schema["$ref"].rpartition("/")[2]] if isinstance(schema.get("$ref"), str) else []
    return own + [name for each in schema.values() for name in names_in(each)]


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(published(json.loads(line)["provider"])))
