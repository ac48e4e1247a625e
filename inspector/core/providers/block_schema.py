"""The schema of the blocks of a wire: one row for each form of a block, and access to its members by that row.

A row names members by pointers into the block (RFC 6901). Where a format keeps a call or a result as a whole record,
the pointers start at the record.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct

from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import result_text
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import dump_json, parse_json, pretty_json, value_at

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
    """A form of blocks: blocks of one of the `types`, or of any type, that have a value at `has`.

    Every object that is to contain the id, the name or the data must be there.
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
        """The members whose containing objects must be there."""
        return ()


class ToolBlockSpec(BlockSpec, frozen=True):
    """The common part of calls and results: the id that binds them, and the tool name, "" where it has none.

    Where `wants_name` is set, a missing name is added.
    """

    id: str = "/id"
    name: str = ""
    wants_name: bool = True

    @property
    def required_members(self) -> tuple[str, ...]:
        return self.id, self.name


class CallSpec(ToolBlockSpec, frozen=True):
    """A call.

    Its `input` is at the first of these places that is there. It is an object, or with `as_text` a text with JSON.
    `shown` formats it for a person. `alternative_ids` are places of further ids by which a result may name the call.
    """

    name: str = "/name"
    input: tuple[str, ...] = ("/input",)
    as_text: bool = False
    shown: TextFormatter = pretty_json
    alternative_ids: tuple[str, ...] = ()


class ResultSpec(ToolBlockSpec, frozen=True):
    """A result.

    `told` writes a text as its content, None where no text can replace it (the picture of a screen). `shown` reads the
    content as text. `failed` decides by the value at `status` whether the tool failed.
    """

    content: str = "/content"
    told: TextEncoder | None = encode_string
    shown: TextFormatter = result_text
    status: str = ""
    failed: Callable[[Any], bool] = bool


class MediaSpec(BlockSpec, frozen=True):
    """An image, a document or a sound: its base64 text, or its address, which may be a `data:` URL.

    Of each list of places the first with a text counts. The media type is at `media_type`, or it is `default_type`, or
    the type of the block where that is "". `type_prefix` is put before it. A source of one of the
    `excluded_source_types` is a text, not media.
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


def split_type_names(names: str) -> frozenset[str]:
    """Return the types that a text names, divided by spaces."""
    return frozenset(names.split())


# Media in the form of each API. Histories move between providers with their parts unchanged, so all forms are known.

_ANTHROPIC = MediaSpec(
    split_type_names("image document"),
    data=("/source/data",),
    url=("/source/url",),
    media_type=("/source/media_type",),
    excluded_source_types=split_type_names("text content"),
)
_OPENAI = (
    MediaSpec(split_type_names("image_url input_image"), url=("/image_url/url", "/image_url"), default_type="image"),
    MediaSpec(
        split_type_names("file input_file"),
        url=tuple(f"{holder}/{key}" for holder in ("/file", "") for key in ("file_data", "url", "file_url")),
        media_type=("/mime",),
        name=("/file/filename", "/filename"),
        default_type="application/pdf",
    ),
)
# The forms of the Model Context Protocol, which agents keep from tools, and of LangChain.
_PROTOCOL = tuple(
    MediaSpec(split_type_names("image audio file"), has, data=(has,), media_type=("/mimeType", "/mime_type"))
    for has in ("/data", "/base64")
)
GEMINI_MEDIA_SPECS = (
    *(
        MediaSpec(data=(f"/{key}/data",), media_type=(f"/{key}/mime_type", f"/{key}/mimeType"), default_type="media")
        for key in ("inlineData", "inline_data")
    ),
    *(
        MediaSpec(
            data=(f"/{key}/data",),
            url=(f"/{key}/fileUri", f"/{key}/file_uri"),
            media_type=(f"/{key}/mimeType", f"/{key}/mime_type"),
            default_type="media",
        )
        for key in ("fileData", "file_data")
    ),
)
_CONVERSE = tuple(
    MediaSpec(
        data=(f"/{key}/source/bytes",),
        media_type=(f"/{key}/format",),
        name=(f"/{key}/name",),
        default_type="unknown",
        type_prefix=family,
    )
    for key, family in (("image", "image/"), ("document", "application/"))
)
ALL_MEDIA_SPECS = (_ANTHROPIC, *_OPENAI, *_PROTOCOL, *GEMINI_MEDIA_SPECS, *_CONVERSE)


class BlockSchema(Struct, frozen=True):
    """The table of a wire. The first row that fits a block is used, or the first of all where none fits.

    `kinds` maps types of blocks to kinds. The type is at `type_key`, or if that is "", it is the member that a block
    has. A type with the suffix `served` is the result of a tool that the provider runs. `text_pointers` and
    `reasoning_pointers` are the places of the text of a block. `redacted_text` is shown for reasoning without text. A
    text with a value at `thought_pointer` is reasoning as well. `media_label_pointers` are the places of the label of
    media.

    `assistant_role` is the role of the assistant. `results_in_call_order`: the results of a turn are in the order of
    its calls. `text` makes a block of a text that can replace another block, None where blocks are alone. `media_keys`
    are the members that contain media in what is sent to a provider. `kept_in` are those that an agent puts around them
    in addition.
    """

    kinds: dict[str, BlockKind] = {}
    type_key: str = "type"
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
        """Return the type of a block, or the member that stands for its type."""
        if self.type_key:
            return str(block.get(self.type_key, ""))
        return next((key for key in self.kinds if block.get(key) is not None), next(iter(block), ""))

    def block_kind(self, form: str) -> BlockKind:
        """Return the kind of a block by its type."""
        served = self.served is not None and form.endswith(self.served)
        return self.kinds.get(form, BlockKind.SERVER_RESULT if served else BlockKind.OTHER)

    def tool_specs(self, kind: int) -> tuple[ToolBlockSpec, ...]:
        """Return the rows of calls or of results."""
        return self.calls if kind == BlockKind.CALL else self.results


_OfRow = TypeVar("_OfRow", bound=BlockSpec)


def matching_spec(rows: tuple[_OfRow, ...], block: Any) -> _OfRow | None:
    """Return the row that fits a parsed block, None where the wire has none for its kind."""
    return next((row for row in rows if row.matches(block)), rows[0] if rows else None)


def alternative_call_ids(call: Any, spelling: BlockSchema) -> list[str]:
    """Return the further ids of a parsed call, by which a result may name it."""
    row = matching_spec(spelling.calls, call)
    ids = (value_at(call, pointer) for pointer in row.alternative_ids) if row is not None else ()
    return [value for value in ids if isinstance(value, str) and value]


def update_tool_block(
    raw: bytes,
    at: str,
    specs: tuple[ToolBlockSpec, ...],
    new_id: str | None,
    input_json: bytes | None,
    name: str | None,
) -> bytes:
    """Set the id, the input and the name of the call or result at `at`; None leaves a value as it is.

    `input_json` is JSON. Raises PointerNotFound where nothing is at `at`.
    """
    if new_id is None and input_json is None and name is None:
        return raw
    block = parse_json(raw_json_at(raw, at))
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
