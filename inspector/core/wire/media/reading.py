"""Images and documents as a wire spells them, with their data, and where they stand in a parsed value."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from inspector.core.bytes.json_text import value_at
from inspector.core.wire.spelling.rows import BlockSchema

_DEEPEST_IN_A_BLOCK, _DEEPEST = 3, 6  # no provider nests them further


class Media(Struct, frozen=True):
    """An image, document or sound: its base64 text, or the address it lies at ("" where there is none).

    `type` is its media type, or the kind of the block where that is not told.
    """

    type: str
    data: str = ""
    url: str = ""
    name: str = ""

    @property
    def is_image(self) -> bool:
        return self.type.startswith("image")

    @property
    def media_type(self) -> str:
        """Its media type; where it is not told, the likeliest one."""
        return {"image": "image/png", "document": "application/pdf"}.get(self.type, self.type)

    @property
    def label(self) -> str:
        size = f", {len(self.data) * 3 // 4:,} bytes" if self.data else ""
        return f"[{self.type or 'media'}{size}]"


def parse_media(part: Any, spelling: BlockSchema) -> Media | None:
    """The media that a parsed part is, None when it is something else."""
    row = next((row for row in spelling.media if row.matches(part)), None)
    if row is None:
        return None
    form = _first(part, row.media_type) or row.default_type or str(part["type"])
    data, url, name = (_first(part, places) for places in (row.data, row.url, row.name))
    if url.startswith("data:"):
        head, _, data = url.partition(",")
        form, url = head[len("data:") :].partition(";")[0] or form, ""
    return Media(row.type_prefix + form, data, url, name)


def _first(part: Any, places: tuple[str, ...]) -> str:
    """The first text at some places, "" for none."""
    found = (value_at(part, place) for place in places)
    return next((text for text in found if isinstance(text, str) and text), "")


def text_and_media_parts(content: Any, spelling: BlockSchema) -> tuple[str | Media, ...] | None:
    """The texts and media of a parsed content in order, None where it is no list of such parts."""
    if isinstance(content, str):
        return (content,)
    if not isinstance(content, list):
        alone = parse_media(content, spelling)
        return None if alone is None else (alone,)
    found: list[str | Media] = []
    for part in content:
        text = part if isinstance(part, str) else part.get("text") if isinstance(part, dict) else None
        media = parse_media(part, spelling)
        if media is not None:
            found.append(media)
        elif isinstance(text, str):
            found.append(text)
        else:
            return None
    return tuple(found)


def find_media(value: Any, spelling: BlockSchema) -> list[Media]:
    """All media in a parsed result, whatever an agent keeps around them, in order."""
    holders = (*spelling.media_keys, *spelling.kept_in)
    return [media for _, media in _placed(value, "", spelling, holders, _DEEPEST)]


def locate_media(block: Any, spelling: BlockSchema) -> Iterator[tuple[str, Media]]:
    """The media in a parsed block or result with the pointer to each, in order."""
    return _placed(block, "", spelling, spelling.media_keys, _DEEPEST_IN_A_BLOCK)


def _placed(
    value: Any, at: str, spelling: BlockSchema, holders: tuple[str, ...], deepest: int
) -> Iterator[tuple[str, Media]]:
    if isinstance(value, list):
        for number, item in enumerate(value):
            if isinstance(item, dict):
                yield from _placed(item, f"{at}/{number}", spelling, holders, deepest)
    elif isinstance(value, dict):
        found = parse_media(value, spelling)
        if found is not None:
            yield at, found
            return
        for key in holders if deepest else ():
            if isinstance(value.get(key), list | dict):
                yield from _placed(value[key], f"{at}/{key}", spelling, holders, deepest - 1)
