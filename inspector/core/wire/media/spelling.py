"""Images and documents in the spelling of any provider, with their data, and where they stand in a parsed value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from inspector.core.wire.fields import string_in

# Members that media stand in. In a block that goes to a provider: what a result of a tool holds; else also what agents
# keep around it.
_OF_A_BLOCK = ("content", "toolResult", "functionResponse", "parts")
_OF_AN_AGENT = (
    "content", "output", "llmContent", "parts", "attachments", "result", "toolResult", "functionResponse",
    "function_response", "state", "event", "message", "data",
)  # fmt: skip
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
    def words(self) -> str:
        size = f", {len(self.data) * 3 // 4:,} bytes" if self.data else ""
        return f"[{self.type or 'media'}{size}]"


def media_of(part: Any) -> Media | None:
    """The media that a parsed part is, None when it is something else."""
    if not isinstance(part, dict):
        return None
    kind = part.get("type")
    source = part.get("source")
    if kind in ("image", "document") and isinstance(source, dict) and source.get("type") not in ("text", "content"):
        form = string_in(source, "media_type") or str(kind)
        return Media(form, string_in(source, "data") or "", string_in(source, "url") or "")
    if kind in ("image_url", "input_image"):
        url = part.get("image_url")
        return _of_url("image", url.get("url") if isinstance(url, dict) else url)
    if kind in ("file", "input_file"):
        held = part.get("file")
        inner = held if isinstance(held, dict) else part
        name = string_in(inner, "filename") or string_in(part, "filename") or ""
        form = string_in(part, "mime") or "application/pdf"
        return _of_url(form, inner.get("file_data") or inner.get("url") or inner.get("file_url"), name)
    if kind in ("image", "audio", "file") and isinstance(part.get("data") or part.get("base64"), str):
        form = string_in(part, "mimeType") or string_in(part, "mime_type") or str(kind)
        return Media(form, part.get("data") or part.get("base64") or "")
    return _untyped(part)


def _untyped(part: dict[str, Any]) -> Media | None:
    """Gemini's and Bedrock's parts, which have no type."""
    for key, name in (("inlineData", "mimeType"), ("inline_data", "mime_type")):
        inner = part.get(key)
        if isinstance(inner, dict):
            return Media(str(inner.get(name) or inner.get("mimeType") or "media"), string_in(inner, "data") or "")
    for key in ("fileData", "file_data"):
        inner = part.get(key)
        if isinstance(inner, dict):
            form = str(inner.get("mimeType") or inner.get("mime_type") or "media")
            return Media(form, "", str(inner.get("fileUri") or inner.get("file_uri") or ""))
    for key in ("image", "document"):
        inner = part.get(key)
        source = inner.get("source") if isinstance(inner, dict) else None
        if isinstance(inner, dict) and isinstance(source, dict):
            family = "image" if key == "image" else "application"
            form = f"{family}/{inner.get('format') or 'unknown'}"
            return Media(form, string_in(source, "bytes") or "", "", str(inner.get("name") or ""))
    return None


def _of_url(form: str, url: Any, name: str = "") -> Media:
    if not isinstance(url, str):
        return Media(form, name=name)
    if not url.startswith("data:"):
        return Media(form, "", url, name)
    head, _, data = url.partition(",")
    return Media(head[len("data:") :].partition(";")[0] or form, data, "", name)


def pieces_of(content: Any) -> tuple[str | Media, ...] | None:
    """The texts and media of a parsed content in order, None where it is no list of such parts."""
    if isinstance(content, str):
        return (content,)
    if not isinstance(content, list):
        alone = media_of(content)
        return None if alone is None else (alone,)
    found: list[str | Media] = []
    for part in content:
        text = part if isinstance(part, str) else part.get("text") if isinstance(part, dict) else None
        media = media_of(part)
        if media is not None:
            found.append(media)
        elif isinstance(text, str):
            found.append(text)
        else:
            return None
    return tuple(found)


def media_within(value: Any) -> list[Media]:
    """All media in a parsed result, whatever an agent keeps around them, in order."""
    return [media for _, media in _placed(value, "", _OF_AN_AGENT, _DEEPEST)]


def placed_media(block: Any) -> Iterator[tuple[str, Media]]:
    """The media in a parsed block or result with the pointer to each, in order."""
    return _placed(block, "", _OF_A_BLOCK, _DEEPEST_IN_A_BLOCK)


def _placed(value: Any, at: str, holders: tuple[str, ...], deepest: int) -> Iterator[tuple[str, Media]]:
    if isinstance(value, list):
        for number, item in enumerate(value):
            if isinstance(item, dict):
                yield from _placed(item, f"{at}/{number}", holders, deepest)
    elif isinstance(value, dict):
        found = media_of(value)
        if found is not None:
            yield at, found
            return
        for key in holders if deepest else ():
            if isinstance(value.get(key), list | dict):
                yield from _placed(value[key], f"{at}/{key}", holders, deepest - 1)
