"""The rows of a table of spellings, and which of them a block is spelled by.

A row is one shape that a wire gives to a kind of block. It names members by pointers into the block (RFC 6901); a call
or result of a format whose blocks are told by whole records is spelled from the record on.

Merged; to be rewritten:
`told`: The forms in which a text is written where a wire wants one.
`members`: Reading and setting the members of a block by the row that spells it.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct

from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import result_text
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import json_at
from inspector.core.storage.json_text import dump_json, parse_json, pretty_json, value_at

# The forms in which a text is written where a wire wants one.

TextEncoder: TypeAlias = Callable[[str], Any]


def encode_string(text: str) -> Any:
    return text


def encode_text_object(text: str) -> Any:
    return {"text": text}


def encode_text_object_list(text: str) -> Any:
    return [{"text": text}]


def encode_output_object(text: str) -> Any:
    return {"output": text}


def typed_text_encoder(kind: str) -> TextEncoder:
    return lambda text: {"type": kind, "text": text}


def typed_text_list_encoder(kind: str) -> TextEncoder:
    return lambda text: [{"type": kind, "text": text}]


TextFormatter: TypeAlias = Callable[[Any], str]


class BlockSpec(Struct, frozen=True):
    """A shape: that of blocks of one of the `types`, or of any, which say something at `has`.

    Every object that its id, its name or its data stand in must be there.
    """

    types: frozenset[str] = frozenset()
    has: str = ""

    def matches(self, block: Any) -> bool:
        if not isinstance(block, dict) or (self.types and str(block.get("type")) not in self.types):
            return False
        if self.has and not value_at(block, self.has):
            return False
        holders = {anchor.rpartition("/")[0] for anchor in self.required_members} - {""}
        return all(isinstance(value_at(block, holder), dict) for holder in holders)

    @property
    def required_members(self) -> tuple[str, ...]:
        """The members whose holders must be there."""
        return ()


class ToolSpec(BlockSpec, frozen=True):
    """What calls and results have in common: the id that binds them, and the name of the tool ("" where it has none).

    A name that is not there is put there where the wire `wants_name`.
    """

    id: str = "/id"
    name: str = ""
    wants_name: bool = True

    @property
    def required_members(self) -> tuple[str, ...]:
        return self.id, self.name


class CallSpec(ToolSpec, frozen=True):
    """A call. Its `input` is an object, or a text with JSON (`as_text`); it stands at the first of the places.

    `shown` tells a person of it. `others` are further ids by which a result may name it.
    """

    name: str = "/name"
    input: tuple[str, ...] = ("/input",)
    as_text: bool = False
    shown: TextFormatter = pretty_json
    alternative_ids: tuple[str, ...] = ()


class ResultSpec(ToolSpec, frozen=True):
    """A result. `told` writes a text as its content, None where no text can stand for it (the picture of a screen).

    `shown` reads the content as text. What stands at `status` tells whether the tool `failed`.
    """

    content: str = "/content"
    told: TextEncoder | None = encode_string
    shown: TextFormatter = result_text
    status: str = ""
    failed: Callable[[Any], bool] = bool


class MediaSpec(BlockSpec, frozen=True):
    """An image, a document or a sound: its base64 text, or its address, which may be a `data:` one that holds the text.

    Of each the first place with a text counts. `media_type` is told there or, with `family` before it, is `form`; where
    that is "", the type of the block. A `source` of one of the types `unless` is a text and no media.
    """

    data: tuple[str, ...] = ()
    url: tuple[str, ...] = ()
    media_type: tuple[str, ...] = ()
    name: tuple[str, ...] = ()
    default_type: str = ""
    type_prefix: str = ""
    excluded_source_types: frozenset[str] = frozenset()

    def matches(self, block: Any) -> bool:
        return super().matches(block) and not (
            self.excluded_source_types and str(value_at(block, "/source/type")) in self.excluded_source_types
        )

    @property
    def required_members(self) -> tuple[str, ...]:
        return self.data[:1]


class BlockSchema(Struct, frozen=True):
    """The table of a wire. The first row that a block fits is its own, and the first of all where it fits none.

    `kinds` are those of blocks by their type, or where they are not `typed` by the member that they have; one whose
    type ends as `served` is the result of a tool that the provider runs. `texts` and `reasoning` are the places of what
    a text and reasoning say, `unsaid` stands for reasoning without words; a text that says something at `thought` is
    reasoning, too. `labels` are the places of what media are named by, before what they are.

    `model` is what it calls the assistant. `in_order`: the results of a turn stand in the order of its calls. `text`
    makes a block of a text that can take the place of another, None where blocks stand alone. `media_in` are the
    members that media stand in, in what goes to a provider; `kept_in` those that an agent puts around them besides.
    """

    kinds: dict[str, BlockKind] = {}
    has_type_key: bool = True
    served: str | None = None
    text_pointers: tuple[str, ...] = ("/text",)
    reasoning_pointers: tuple[str, ...] = ("/thinking",)
    redacted_text: str = "[redacted thinking]"
    thought_pointer: str = ""
    media_label_pointers: tuple[str, ...] = ()
    calls: tuple[CallSpec, ...] = ()
    results: tuple[ResultSpec, ...] = ()
    media: tuple[MediaSpec, ...] = ()
    assistant_role: str = "assistant"
    results_in_call_order: bool = False
    text: TextEncoder | None = None
    media_keys: tuple[str, ...] = ()
    kept_in: tuple[str, ...] = ()

    def block_type(self, block: dict[str, Any]) -> str:
        """What a block says that it is: its type, or its member."""
        if self.has_type_key:
            return str(block.get("type", ""))
        return next((key for key in self.kinds if block.get(key) is not None), next(iter(block), ""))

    def block_kind(self, form: str) -> BlockKind:
        """The kind of a block by what it says that it is."""
        served = self.served is not None and form.endswith(self.served)
        return self.kinds.get(form, BlockKind.SERVER_RESULT if served else BlockKind.OTHER)

    def tool_specs(self, kind: int) -> tuple[ToolSpec, ...]:
        """The rows of calls, or of results."""
        return self.calls if kind == BlockKind.CALL else self.results


_OfRow = TypeVar("_OfRow", bound=BlockSpec)


def matching_spec(rows: tuple[_OfRow, ...], block: Any) -> _OfRow | None:
    """The row that a parsed block is spelled by, None where the wire has none for its kind."""
    return next((row for row in rows if row.matches(block)), rows[0] if rows else None)


# Reading and setting the members of a block by the row that spells it.


def alternative_call_ids(call: Any, spelling: BlockSchema) -> list[str]:
    """The further ids that a parsed call carries, by which a result may name it."""
    row = matching_spec(spelling.calls, call)
    named = (value_at(call, pointer) for pointer in row.alternative_ids) if row is not None else ()
    return [each for each in named if isinstance(each, str) and each]


def update_tool_block(
    raw: bytes, at: str, specs: tuple[ToolSpec, ...], new_id: str | None, input_json: bytes | None, name: str | None
) -> bytes:
    """A text with the id, the input and the name set of the call or result at `at` in it; None leaves them as they are.

    `given` is JSON. Raises NothingThere where nothing stands at `at`.
    """
    if new_id is None and input_json is None and name is None:
        return raw
    block = parse_json(json_at(raw, at))
    row = matching_spec(specs, block)
    if row is None:
        return raw
    if new_id is not None:
        raw = _set(raw, at + row.id, dump_json(new_id))
    if input_json is not None and isinstance(row, CallSpec):
        raw = _set(raw, at + row.input[0], input_json)
    if name is not None and row.name and (row.wants_name or value_at(block, row.name, ...) is not ...):
        raw = _set(raw, at + row.name, dump_json(name))
    return raw


def _set(raw: bytes, pointer: str, value: bytes) -> bytes:
    holder, _, key = pointer.rpartition("/")
    return json_edits.set_member(raw, holder, key, value)
