"""The parts of a result's content as a person reads them: texts as text, media by name, everything else as JSON.

Cline keeps a list of what a tool did one after the other, without a type (@cline/core 3.0.65: run_commands, read_files,
search_codebase, web_fetch and editor return {query, result, error?, success}); such a list is read as text.
"""

from collections.abc import Iterator
from typing import Any

from inspector.core.bytes.json_text import dump_json, pretty_json

# Types of parts that hold bytes for eyes and ears, in the spellings of all providers; a text cannot stand for them.
MEDIA_TYPES = frozenset(
    "image image_url input_image image_file computer_screenshot document file input_file "
    "audio audio_url input_audio video video_url".split()
)
MEDIA_TYPES_BESIDE_TEXT = frozenset(
    {"image", "document"}
)  # of them, what may stand beside a text where messages hold any
_STEP = frozenset({"query", "result", "error", "success"})


def is_media_part(part: Any) -> bool:
    """Whether a part is an image, a document or a sound. A document that is a text is none."""
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and kind in MEDIA_TYPES and _document_text(part) is None


def parts_text(parts: list[Any]) -> str:
    """The texts of a list of parts, a line each; empty ones leave none."""
    return "\n".join(text for part in parts if (text := part_text(part)))


def part_text(part: Any) -> str:
    """One part as text. Media are named by their type: "[image]"."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return dump_json(part).decode()
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if is_media_part(part):
        return f"[{part['type']}]"
    for read in (_document_text, _step_text):
        if (text := read(part)) is not None:
            return text
    return dump_json(part).decode()


def converse_parts_text(content: Any) -> str:
    """The texts of parts that have one member and no type (Bedrock's), a line each; media are named by the member."""
    return "\n".join(text for part in (content if isinstance(content, list) else ()) if (text := _member_text(part)))


def _member_text(part: Any) -> str:
    key = next(iter(part), "") if isinstance(part, dict) else ""
    if key in ("image", "document", "video", "audio"):
        return f"[{key}]"
    return pretty_json(part["json"]) if key == "json" else part_text(part)


def function_response_text(response: Any) -> str:
    """The text of a function's response (Gemini's): that of its only member, else JSON."""
    if isinstance(response, dict) and len(response) == 1:
        (only,) = response.values()
        if isinstance(only, str):
            return only
    return response if isinstance(response, str) else pretty_json(response)


def media_parts(content: Any) -> Iterator[dict[str, Any]]:
    """The media among the parts of a content, also in Cline's lists."""
    for part in content if isinstance(content, list) else ():
        if is_media_part(part):
            yield part
        elif isinstance(part, dict) and _is_step(part):
            yield from media_parts(part["result"])


def conversion_note(content: Any, text: str) -> str:
    """What became of a content that is told as `text`: "" where it is text (with media beside it), else a sentence."""
    if content is None or isinstance(content, str):
        return ""
    if isinstance(content, dict) and list(content.values()) == [text]:  # Gemini's way to say a text
        return ""
    parts = content if isinstance(content, list) else [content]
    others = [part for part in parts if not _is_text(part) and not is_media_part(part)]
    if not others:
        return ""
    steps = all(isinstance(part, dict) and (_is_step(part) or _document_text(part) is not None) for part in others)
    return "its parts are told as one text" if steps else "it is no text: quoted as JSON"


def _is_text(part: Any) -> bool:
    return isinstance(part, str) or (isinstance(part, dict) and isinstance(part.get("text"), str))


def _document_text(part: dict[str, Any]) -> str | None:
    """The text of a document that is given as one; None for any other part."""
    source = part.get("source")
    if part.get("type") != "document" or not isinstance(source, dict):
        return None
    if source.get("type") == "text" and isinstance(source.get("data"), str):
        return str(source["data"])
    content = source.get("content")
    if source.get("type") == "content" and isinstance(content, str | list):
        return content if isinstance(content, str) else parts_text(content)
    return None


def _is_step(part: dict[str, Any]) -> bool:
    """Whether a part is one step of Cline's, and nothing in it would get lost in a text."""
    return (
        {"query", "result", "success"} <= part.keys() <= _STEP
        and isinstance(part["query"], str)
        and isinstance(part["result"], str | list)
        and isinstance(part.get("error", ""), str)
        and isinstance(part["success"], bool)
    )


def _step_text(part: dict[str, Any]) -> str | None:
    if not _is_step(part):
        return None
    result = part["result"]
    told = result if isinstance(result, str) else parts_text(result)
    error = f"error: {part['error']}" if part.get("error") else "" if part["success"] else "failed"
    return "\n".join(line for line in (f"{part['query']}:", told, error) if line)
