"""Images that a provider does not take: measured from their own bytes, and replaced by a text that says so."""

import base64
import json
import struct
from pathlib import Path
from typing import Any

import pytest

from inspector.core.providers.anthropic import schema
from inspector.core.providers.error_parser import explain_error
from inspector.core.providers.media import image_size, measure_media
from inspector.core.providers.registry import PROFILES
from tests.core.repair.logs import saved
from tests.support import product
from tests.support.notation import claude_code_records, lines, parse


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def png(width: int, height: int, more: int = 40) -> str:
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">II", width, height)
    return encoded(head + b"\x08\x06\0\0\0" + b"\0" * more)


def jpeg(width: int, height: int, profile: int = 0) -> str:
    segments = b"".join(b"\xff\xe2" + struct.pack(">H", 60_000) + b"\0" * 59_998 for _ in range(profile))
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 17, 8, height, width, 3)
    return encoded(b"\xff\xd8\xff\xe0\x00\x10" + b"\0" * 14 + segments + b"\xff" + frame + b"\0" * 20)


def gif(width: int, height: int) -> str:
    return encoded(b"GIF89a" + struct.pack("<HH", width, height) + b"\0" * 20)


def webp(form: bytes, body: bytes) -> str:
    return encoded(b"RIFF\0\0\0\0WEBP" + form + b"\0\0\0\0" + body)


def three(number: int) -> bytes:
    return struct.pack("<I", number - 1)[:3]


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (png(2560, 1440), (2560, 1440)),
        (jpeg(4032, 3024), (4032, 3024)),
        (jpeg(4032, 3024, profile=3), (4032, 3024)),
        (gif(640, 480), (640, 480)),
        (webp(b"VP8X", b"\0\0\0\0" + three(9000) + three(12)), (9000, 12)),
        (webp(b"VP8L", b"\x2f" + struct.pack("<I", (1500 - 1) | (700 - 1) << 14)), (1500, 700)),
        (webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 800, 600)), (800, 600)),
        (webp(b"ALPH", b"\0" * 20), (0, 0)),
        (jpeg(1, 1)[:12], (0, 0)),
        (encoded(b"\xff\xd8\xff\xd8\xff"), (0, 0)),
        (encoded(b"%PDF-1.7"), (0, 0)),
        ("no base64 \u00e4 at all", (0, 0)),
        ("", (0, 0)),
    ],
)
def test_an_image_tells_its_size(data: str, size: tuple[int, int]) -> None:
    assert image_size(data) == size


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        ({"type": "image", "source": {"media_type": "image/png", "data": png(3, 4)}}, " image/png 3×4"),
        ({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{png(3, 4)}"}}, " image/png 3×4"),
        ({"type": "input_image", "image_url": f"data:image/png;base64,{png(3, 4)}"}, " image/png 3×4"),
        ({"inlineData": {"mimeType": "image/png", "data": png(3, 4)}}, " image/png 3×4"),
        ({"inline_data": {"mime_type": "image/png", "data": png(3, 4)}}, " image/png 3×4"),
        ({"image": {"format": "png", "source": {"bytes": png(3, 4)}}}, " image/png 3×4"),
        ({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}, " image at a URL 0×0"),
        ({"content": [{"type": "text"}, {"type": "image", "source": {}}]}, "/content/1 image 0×0"),
        ({"content": [[{"type": "image", "source": {}}], None, 3]}, ""),
        ({"type": ["image"], "source": 3, "image_url": None, "image": {"source": None}}, ""),
        ({"type": "image", "source": {"data": 3, "media_type": [1]}}, " image 0×0"),
    ],
)
def test_media_in_the_spelling_of_any_provider(block: Any, shown: str) -> None:
    media = [
        f"{each.pointer} {each.type} {each.width}×{each.height}" for each in measure_media(block, schema.BLOCK_SCHEMA)
    ]
    assert ", ".join(media) == shown


# --- V1


def image(width: int, height: int, more: int = 40) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png(width, height, more)}}


def log(*images: dict[str, Any], result: bool = False, failed: bool = False) -> bytes:
    """Messages with images of the user, or in the result of a call."""
    text = {"type": "text", "text": "look"}
    if not result:
        return json.dumps({"messages": [{"role": "user", "content": [*images, text]}]}).encode()
    call = {"type": "tool_use", "id": "A", "name": "Read", "input": {}}
    told = {"type": "tool_result", "tool_use_id": "A", "content": [text, *images], "is_error": failed}
    messages = [("user", [text]), ("assistant", [call]), ("user", [told])]
    return json.dumps({"messages": [{"role": role, "content": content} for role, content in messages]}).encode()


def cases(path: Path) -> list[str]:
    """What was found: where, and what the default repair does."""
    found = [each for each in product.check(path).findings if each["rule"] == "V1"]
    assert {each["severity"] for each in found} <= {"error"}
    return [f"{each['pointer']} {each['default']}" for each in found]


SMALL, WIDE, LARGE = image(10, 10), image(8001, 10), image(10, 2001)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        pytest.param(log(SMALL, LARGE, image(8000, 8000)), [], id="few may be large"),
        pytest.param(log(*[LARGE] * 20), [], id="twenty may be large"),
        pytest.param(log(*[image(2000, 2000)] * 21), [], id="many of the size that many may have"),
        pytest.param(log(SMALL, WIDE), ["/content/1 replace-media"], id="too many pixels"),
        pytest.param(log(image(1, 1, 4_000_000), result=True), ["/content/0 replace-media"], id="too many bytes"),
        pytest.param(
            log(*[SMALL] * 19, LARGE, LARGE), ["/content/19 replace-media", "/content/20 leave"], id="the oldest goes"
        ),
        pytest.param(log(SMALL, result=True), [], id="in a result"),
        pytest.param(log(SMALL, WIDE, result=True), ["/content/0 replace-media"], id="too large in a result"),
        pytest.param(log(SMALL, result=True, failed=True), ["/content/0 replace-media"], id="in an error"),
    ],
)
def test_limits(data: bytes, found: list[str], tmp_path: Path) -> None:
    path = saved(tmp_path, "anthropic", data)
    out, again = tmp_path / "out.json", tmp_path / "again.json"
    assert cases(path) == found
    answer = product.repair(path, out)
    assert answer.code == 0, answer.report["reason"]
    assert cases(out) == []
    gone = sum("replace" in each for each in found)
    assert [loss["kind"] for loss in answer.losses] == ["media"] * gone
    assert out.read_bytes().count(b"image omitted: image/png") == gone
    assert found or out.read_bytes() == data
    product.repair(out, again)
    assert again.read_bytes() == out.read_bytes()


def test_the_other_images_of_a_result_keep_their_bytes(tmp_path: Path) -> None:
    path, out = saved(tmp_path, "anthropic", log(SMALL, WIDE, LARGE, result=True)), tmp_path / "out.json"
    product.repair(path, out)
    old, new = (json.loads(each.read_bytes())["messages"][2]["content"][0]["content"] for each in (path, out))
    assert [new[0], new[1], new[3]] == [old[0], old[1], old[3]]
    assert new[2] == {"type": "text", "text": "[image omitted: image/png, 8001×10 pixels, 69 bytes]"}


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (log(WIDE), "At least one of the image dimensions exceed max allowed size: 8000 pixels"),
        (log(*[LARGE] * 21), "exceed max allowed size for many-image requests: 2000 pixels"),
        (log(image(1, 1, 4_000_000), result=True), "image exceeds 5 MB maximum"),
        (log(SMALL, result=True, failed=True), "all content must be type `text` if `is_error` is true"),
    ],
)
def test_each_case_has_the_providers_own_words(data: bytes, text: str, tmp_path: Path) -> None:
    told = product.check(saved(tmp_path, "anthropic", data)).findings[0]["refused_by"]["anthropic"]
    assert text in told
    explained = explain_error(told)
    assert explained is not None
    assert explained.rules == ("V1",)


# --- media of another type

PAGE = encoded(b"<html><body>This is a page, whatever it is called.</body></html>")
PDF = encoded(b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n")


def medium(kind: str, media_type: str | None, data: str | None) -> dict[str, Any]:
    source = {"type": "base64", "media_type": media_type, "data": data}
    return {"type": kind, "source": {key: value for key, value in source.items() if value is not None}}


OTHER_TYPES = {
    "an empty image": (medium("image", "image/png", ""), "empty", "This image (image/png) is empty."),
    "a media type that is not taken": (
        medium("image", "image/svg+xml", encoded(b"<svg xmlns='http://www.w3.org/2000/svg'/>")),
        "type",
        "An image with the media type image/svg+xml cannot be sent. "
        "Accepted types: image/gif, image/jpeg, image/png, image/webp.",
    ),
    "a PNG called JPEG": (
        medium("image", "image/jpeg", png(3, 4)),
        "other-type",
        "This image is declared as image/jpeg, but its data is image/png.",
    ),
    "a text called PNG": (
        medium("image", "image/png", PAGE),
        "no-image",
        "This image is declared as image/png, but its data has a different type.",
    ),
    "a sound called WebP": (
        medium("image", "image/webp", encoded(b"RIFF\0\0\0\0WAVEfmt ")),
        "no-image",
        "This image is declared as image/webp, but its data has a different type.",
    ),
    "a PDF called PNG": (
        medium("image", "image/png", PDF),
        "no-image",
        "This image is declared as image/png, but its data is application/pdf.",
    ),
    "a document of another type": (
        medium("document", "application/msword", PAGE),
        "document-type",
        "A document with the media type application/msword cannot be sent. Accepted types: application/pdf.",
    ),
    "an empty PDF": (
        medium("document", "application/pdf", ""),
        "empty-document",
        "This document (application/pdf) is empty.",
    ),
    "a page called PDF": (
        medium("document", "application/pdf", PAGE),
        "no-document",
        "This document is declared as application/pdf, but its data has a different type.",
    ),
    "a PNG called PDF": (
        medium("document", "application/pdf", png(3, 4)),
        "no-document",
        "This document is declared as application/pdf, but its data is image/png.",
    ),
}


@pytest.mark.parametrize("in_result", [False, True])
@pytest.mark.parametrize("name", OTHER_TYPES)
def test_media_that_are_not_what_the_provider_takes(name: str, in_result: bool, tmp_path: Path) -> None:
    """In the user's message and in a result, with the provider's own words, and repaired."""
    block, case, text = OTHER_TYPES[name]
    path, out = saved(tmp_path, "anthropic", log(block, result=in_result)), tmp_path / "out.json"
    (finding,) = product.check(path).findings
    assert (finding["rule"], finding["severity"], finding["message"]) == ("V1", "error", text)
    told = finding["refused_by"]["anthropic"]
    assert told == PROFILES["anthropic"].refusals[f"V1 {case}"].format(message=2 * in_result, block=0)
    explained = explain_error(told)
    assert explained is not None
    assert explained.rules == ("V1",)
    answer = product.repair(path, out)
    retyped = finding["default"] == "normalise"
    assert retyped == (name == "a PNG called JPEG")
    assert (answer.code, [loss["kind"] for loss in answer.losses]) == (0, [] if retyped else ["media"])
    assert product.check(out).session["verdict"] == "healthy"
    assert retyped or block["source"]["data"] not in out.read_text() or not block["source"]["data"]


def test_where_the_media_type_alone_is_wrong_nothing_else_is_changed(tmp_path: Path) -> None:
    block, _, _ = OTHER_TYPES["a PNG called JPEG"]
    path, out = saved(tmp_path, "anthropic", log(block, result=True)), tmp_path / "out.json"
    assert cases(path) == ["/content/0 normalise"]
    assert product.repair(path, out).code == 0
    assert out.read_text() == path.read_text().replace("image/jpeg", "image/png")
    assert len(product.repair(path, out, strategies="V1=replace-media").losses) == 1


@pytest.mark.parametrize(
    "block",
    [
        medium("image", "image/png", png(3, 4)),
        medium("image", "image/jpeg", jpeg(3, 4)),
        medium("image", "image/gif", gif(3, 4)),
        medium("image", "image/webp", webp(b"VP8X", b"\0\0\0\0" + three(9) + three(12))),
        medium("document", "application/pdf", PDF),
        pytest.param(medium("document", "application/pdf", encoded(b"\n" * 900) + PDF), id="a header further down"),
        pytest.param(medium("image", "image/png", "[3 MB of base64 left out]"), id="no base64"),
        pytest.param(medium("image", "image/png", None), id="no data"),
        pytest.param(medium("image", None, PAGE), id="no media type"),
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.svg"}},
        {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}},
        {"type": "document", "source": {"type": "content", "content": "words"}},
    ],
)
def test_media_that_may_be_what_the_provider_takes(block: dict[str, Any], tmp_path: Path) -> None:
    assert cases(saved(tmp_path, "anthropic", log(block))) == []
    assert cases(saved(tmp_path, "anthropic", log(block, result=True))) == []


def test_all_media_of_a_result_that_are_of_another_type_go_together(tmp_path: Path) -> None:
    empty, page = (OTHER_TYPES[name][0] for name in ("an empty image", "a text called PNG"))
    path, out = saved(tmp_path, "anthropic", log(empty, SMALL, page, result=True)), tmp_path / "out.json"
    assert len(product.repair(path, out).losses) == 2
    told = json.loads(out.read_bytes())["messages"][2]["content"][0]["content"]
    assert [each["type"] for each in told] == ["text", "text", "image", "text"]


def test_media_that_the_agent_writes_in_a_form_of_its_own_are_not_judged(tmp_path: Path) -> None:
    records = claude_code_records(parse("u | a{A} | r(A=x) | a"))
    records[2]["message"]["content"][0]["content"] = [OTHER_TYPES["an empty image"][0]]
    assert cases(saved(tmp_path, "claude-code", lines(records))) == ["/message/content/0 replace-media"]
    picture = {"type": "image_url", "image_url": {"url": f"data:image/svg+xml;base64,{PAGE}"}}
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": [picture]}], "model": "gpt-4o"}))
    assert product.check(path, profile="anthropic").findings == []


def test_a_session_of_an_agent(tmp_path: Path) -> None:
    records = claude_code_records(parse("u | a{A} | r(A=x) | a"))
    records[2]["message"]["content"][0]["content"] = [WIDE]
    path = saved(tmp_path, "claude-code", lines(records))
    out = path.with_name("out.jsonl")
    assert cases(path) == ["/message/content/0 replace-media"]
    assert product.check(path).session["on_resume"]["outcome"] == "refuses"
    assert product.repair(path, out).code == 0
    assert product.check(out).session["verdict"] == "healthy"
    old, new = path.read_bytes().splitlines(), out.read_bytes().splitlines()
    assert [one == other for one, other in zip(old, new, strict=True)] == [True, True, False, True]


def test_where_no_text_can_take_its_place_an_image_is_left(tmp_path: Path) -> None:
    picture = {"type": "input_image", "image_url": f"data:image/png;base64,{png(9000, 9)}"}
    path = tmp_path / "input.json"
    path.write_text(json.dumps({"input": [{"type": "message", "role": "user", "content": [picture]}]}))
    assert product.check(path).findings == []
    (finding,) = product.check(path, profile="anthropic").findings
    assert (finding["rule"], finding["strategies"]) == ("V1", ["leave"])
