"""Wrappers of a log: what a mail, an issue, a terminal, an editor, a browser or a compression has put around its text.

A wrapper is recognized by the first bytes, and a plain log by its first character alone. Wrappers can be in each other,
such as a Markdown fence in a quoted mail. The bytes of a wrapped log are those of the text in it, and the file is never
changed.
"""

import codecs
import io
import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.core.errors import CutOffFile, DamagedFile, UnreadableLog
from inspector.core.lazy import LazyModule, lazy_regex
from inspector.core.storage.compression import (
    MAX_EXPANSION_RATIO,
    ExpansionError,
    compression_of,
    decompressed,
    decompression_errors,
    is_truncation_error,
)
from inspector.core.storage.json_text import is_valid_json, javascript_can_parse, parse_json
from inspector.core.storage.source import BOM, FileStamp, file_stamp, starts_like_wide_text
from inspector.core.storage.temporary_files import SpooledSource, SpoolFile
from inspector.core.translation import joined, tr, tr_plural

if TYPE_CHECKING:
    from inspector.core.storage import trace_spans
else:
    trace_spans = LazyModule("inspector.core.storage.trace_spans")  # few logs are traces

MAX_WRAPPED_SIZE = 256 * 1024 * 1024  # bytes of a wrapped log, packed or not
_MAX_HAR_SIZE = 64 * 1024 * 1024  # it is parsed as a whole
_MAX_TEXT_SIZE = 16 * 1024 * 1024  # of a mail, an issue, or a copy from a terminal
WRAPPER_HEAD_SIZE = 2048
"""How many bytes of a file show whether it may be wrapped."""
_MAX_LAYERS = 5
_JSON_STARTS = (b"{", b"[")


class UnwrappedText(NamedTuple):
    """The text in a wrapper, and the name of the wrapper with the place of the text in it."""

    text: bytes
    place: str


class Wrapper(NamedTuple):
    """A kind of wrapper: whether a file with this head can be one, and the content, None if it is none after all.

    A file of more than `max_size` bytes is not looked at.
    """

    may_be: Callable[[bytes], bool]
    content: Callable[[bytes], UnwrappedText | None]
    max_size: int = _MAX_TEXT_SIZE


class UnwrappedSource(SpooledSource):
    """A log in a wrapper, as a text of its own. `read_from` names the wrappers, the innermost first."""

    def __init__(self, path: str, content: UnwrappedText, stamps: dict[str, FileStamp | None], archive: str) -> None:
        spool = SpoolFile()
        try:
            spool.write(content.text)
            super().__init__(path, spool, stamps)
        except BaseException:
            spool.close()
            raise
        self.archive = archive
        self.read_from = content.place
        first_line = content.text.removeprefix(BOM).partition(b"\n")[0]
        self._suffix = ".jsonl" if first_line != content.text and is_valid_json(first_line) else ".json"

    @property
    def copy_name(self) -> str:
        stem, suffix = os.path.splitext(os.path.basename(self.path))
        if suffix.lower() not in (".json", ".jsonl"):
            stem = stem.removesuffix(".jsonl").removesuffix(".json")
        return f"{stem}.repaired{self._suffix}"


def may_be_wrapped(head: bytes, size: int = 0) -> bool:
    """Return whether a file of this size that begins with `head`, WRAPPER_HEAD_SIZE bytes, may be a wrapped log."""
    return any(size <= wrapper.max_size and wrapper.may_be(head) for wrapper in _WRAPPERS)


def open_wrapped(path: str) -> UnwrappedSource | None:
    """Return the log in the wrapped file at `path`, None if it is not wrapped. Raises UnreadableLog."""
    try:
        with open(path, "rb") as file:
            stamp = file_stamp(file.fileno())
            if not may_be_wrapped(file.read(WRAPPER_HEAD_SIZE), stamp.size):
                return None
            file.seek(0)
            data = file.read()
    except OSError as error:
        raise UnreadableLog.from_os_error(error, path) from error
    return unwrapped_source(path, data, {path: stamp}, path)


def unwrapped_source(
    path: str, data: bytes, stamps: dict[str, FileStamp | None], archive: str
) -> UnwrappedSource | None:
    """Return the log in a wrapped file with these bytes, None if it is not wrapped. Raises UnreadableLog."""
    if not may_be_wrapped(data[:WRAPPER_HEAD_SIZE], len(data)):
        return None
    content = unwrap(data, path)
    return None if content is None else UnwrappedSource(path, content, stamps, archive)


def unwrap(data: bytes, path: str) -> UnwrappedText | None:
    """Return the text in the wrappers of a file, None if it is not wrapped. Raises UnreadableLog."""
    places: list[str] = []
    for _ in range(_MAX_LAYERS):
        found = _content(data, path)
        if found is None:
            break
        data = found.text
        places.insert(0, found.place)
    return UnwrappedText(data, joined(", in ", places)) if places else None


def _content(data: bytes, path: str) -> UnwrappedText | None:
    """Return the content of the outermost wrapper. Raises UnreadableLog."""
    head = data[:WRAPPER_HEAD_SIZE]
    try:
        for wrapper in _WRAPPERS:
            if len(data) <= wrapper.max_size and wrapper.may_be(head) and (found := wrapper.content(data)):
                return found
        return None
    except ExpansionError as error:
        raise DamagedFile(
            tr(
                "{path} was not read, because it would be more than {max_expansion_ratio} times as large when "
                "unpacked. No log compresses that well.",
                path=path,
                max_expansion_ratio=MAX_EXPANSION_RATIO,
            )
        ) from error
    except decompression_errors() as error:
        if is_truncation_error(error):
            raise CutOffFile(
                tr("{path} is cut off: its compressed data ends too early. Get a new copy.", path=path)
            ) from error
        raise DamagedFile(tr("{path} is damaged: {error}. Get a new copy.", path=path, error=error)) from error


# Compressed logs.


def _is_compressed(head: bytes) -> bool:
    return compression_of(head) is not None


def _decompressed(data: bytes) -> UnwrappedText:
    found = compression_of(data)
    assert found is not None
    with decompressed(io.BytesIO(data)) as file:
        text = file.read(MAX_WRAPPED_SIZE + 1)
    if len(text) > MAX_WRAPPED_SIZE:
        raise ExpansionError
    return UnwrappedText(text, tr("a file compressed with {name}", name=found.name))


# Encodings.

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def _decoded(data: bytes) -> UnwrappedText | None:
    """Return the UTF-8 of wide text. What is no character in it stays visible as a replacement character."""
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), "") or _wide_encoding(data)
    text = data.decode(encoding, "replace").removeprefix("\ufeff")
    if text[:1] in ("", "\ufffd"):
        return None
    return UnwrappedText(text.encode("utf-8"), tr("{encoding} text", encoding=encoding.upper()[:6]))


def _wide_encoding(data: bytes) -> str:
    """Return the encoding of wide text without a byte order mark, which begins with an ASCII character."""
    zeros = len(data) - len(data.lstrip(b"\0"))
    if zeros:
        return "utf-32-be" if zeros == 3 else "utf-16-be"
    return "utf-32-le" if data[1:4] == b"\0\0\0" else "utf-16-le"


# Mail and Markdown. Both are text that does not begin like JSON.


def _is_text_around_log(head: bytes) -> bool:
    start = head.removeprefix(BOM).lstrip()
    return bool(start) and not start.startswith(_JSON_STARTS) and b"\0" not in head


_QUOTED = lazy_regex(rb"(?m)(?:^ ?(?:> ?)+.*\n?)+")
_QUOTE_MARKS = lazy_regex(rb" ?(?:> ?)+")


def _unquoted(data: bytes) -> UnwrappedText | None:
    """Return the longest run of quoted lines, without the marks of its first line."""
    data = data.removeprefix(BOM)
    if not data.startswith(b">") and b"\n>" not in data and b"\n >" not in data:
        return None
    run = max(_QUOTED.finditer(data), key=lambda found: found.end() - found.start(), default=None)
    if run is None or _begins_before(data, run.start()):
        return None
    if _json_lines(_QUOTE_MARKS.sub(b"", run[0])) <= _json_lines(data):
        return None
    marks = _QUOTE_MARKS.match(run[0])
    assert marks is not None
    mark = re.compile(rb"(?m)^ ?(?:> ?){1,%d}" % marks[0].count(b">"))
    text, start = _without_prose(mark.sub(b"", run[0]))
    line = _line_of(data, run.start()) + start
    return UnwrappedText(text, tr("a quoted email at line {line}", line=line))


# A line that ends like a record may be the rest of one whose beginning is lost, and one that begins so may be torn.
_BLOCK_START = lazy_regex(rb"(?m)^[ \t]*(?:[{\[]|```|~~~)|^.*\}[ \t\r]*$")
_BLOCK_END = lazy_regex(rb"(?m)[}\]`~][ \t\r]*$|^[ \t]*[{\[\"].*$")


def _without_prose(text: bytes) -> tuple[bytes, int]:
    """Return the lines from the first to the last that look like JSON or a fence, and how many come before them."""
    start = _BLOCK_START.search(text)
    assert start is not None
    end = max((found.end() for found in _BLOCK_END.finditer(text, start.start())), default=len(text))
    return text[start.start() : end], text.count(b"\n", 0, start.start())


_FENCE = lazy_regex(
    rb"(?m)^[ \t]*(?P<fence>`{3,}|~{3,})[^`\r\n]*\r?\n"
    rb"(?P<text>(?s:.*?))"
    rb"(?:^[ \t]*(?P=fence)[`~]*[ \t]*\r?$|\Z)"
)
_RECORD_START = lazy_regex(rb'(?m)^\{"')


def _begins_before(data: bytes, start: int) -> bool:
    """Return whether a record begins before `start`: a terminal can break a record before a mark or a fence in it."""
    return _RECORD_START.search(data, 0, start) is not None


_JSON_LINE = lazy_regex(rb"(?m)^[ \t]*[{\[]")


def _json_lines(text: bytes) -> int:
    """Return how many lines begin like JSON."""
    return sum(1 for _ in _JSON_LINE.finditer(text))


def _fenced(data: bytes) -> UnwrappedText | None:
    """Return the longest fenced block with a line that begins like JSON."""
    data = data.removeprefix(BOM)
    if b"```" not in data and b"~~~" not in data:
        return None
    counts = {found: _json_lines(found["text"]) for found in _FENCE.finditer(data)}
    if not counts or _begins_before(data, next(iter(counts)).start()):
        return None
    block = max(
        (found for found, count in counts.items() if count),
        key=lambda found: found.end("text") - found.start("text"),
        default=None,
    )
    if block is None or counts[block] <= _json_lines(data) - sum(counts.values()):
        return None
    return UnwrappedText(
        block["text"], tr("a Markdown fence at line {line}", line=_line_of(data, block.start("fence")))
    )


def _line_of(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


# Copies from a terminal.

_MIN_WIDTH, _MAX_WIDTH = 40, 1000
_SAMPLE = 200  # lines by which it is found whether most are as wide as the terminal
_LINE_ENDS = (",", "{", "[", "}", "]", '"')  # of the lines of an indented document
_NOT_ASCII = lazy_regex(r"[^\x00-\x7f]")
_NO_PROMPT = frozenset('"{}')  # what lies between records and holds one of these is no prompt
_MAX_PARSED = 64 * 1024 * 1024  # bytes that may be parsed in vain to find the ends of records


def _may_be_folded(head: bytes) -> bool:
    """Return whether other text comes before JSON, or a line breaks off and is as wide as the next one."""
    if not head.removeprefix(BOM).startswith(_JSON_STARTS):
        return _is_text_around_log(head)
    lines = [line.rstrip("\r") for line in head.decode("utf-8", "replace").split("\n")[:-1]]
    return any(
        len(line) <= 2 * _MAX_WIDTH  # before the columns of a long line are counted
        and _MIN_WIDTH <= _columns(line) <= _MAX_WIDTH
        and (line.startswith("{") or not line.endswith(_LINE_ENDS))
        # A space at the end can be lost, and a wide character does not fit into the last column.
        and abs(_columns(line) - _columns(following)) <= 3
        and not is_valid_json(line.encode())
        for line, following in pairwise(lines)
    )


def _unfolded(data: bytes) -> UnwrappedText | None:
    """Return the lines that a terminal has broken at its width, whole again, None if this makes hardly any JSON."""
    data = data.removeprefix(BOM)
    if not data.startswith(_JSON_STARTS) and b"\n{" not in data and b"\n[" not in data:
        return None
    if is_valid_json(data):
        return None  # The lines are those of the document.
    text = data.decode("utf-8", "surrogateescape")
    lines = [line.rstrip("\r") for line in text.split("\n")]
    start = next((number for number, line in enumerate(lines) if line.startswith(("{", "["))), None)
    if start is None:
        return None
    lines, before = lines[start:], lines[:start]
    width = max(map(_columns, lines))
    if not _MIN_WIDTH <= width <= _MAX_WIDTH or any(map(_is_of_log, before)):
        return None
    whole = _whole_document(lines, width) or _whole_records(lines, width)
    if whole is None:
        return None
    place = tr("text copied from a terminal with {width} columns, at line {line}", width=width, line=start + 1)
    return UnwrappedText(whole.encode("utf-8", "surrogateescape"), place)


def _is_of_log(line: str) -> bool:
    """Return whether a line before the first record is JSON, or ends like the rest of a record, so it is no prompt."""
    return line.endswith(("}", "}]")) or javascript_can_parse(line.encode("utf-8", "replace"))


def _whole_document(lines: list[str], width: int) -> str | None:
    """Return an indented document, of which the lines were broken that are wider than the terminal."""
    *begun, last = (
        line if not _lost_columns(line, following, width) else f"{line}\n" for line, following in pairwise([*lines, ""])
    )
    text = "".join(begun) + last.removesuffix("\n")  # no line ends here that did not end in the copied text
    return text if text.count("\n") < len(begun) and is_valid_json(text.encode("utf-8", "replace")) else None


def _whole_records(lines: list[str], width: int) -> str | None:
    """Return records on a line each, also where the lines that were broken have lost the spaces at their ends."""
    sample = lines[:_SAMPLE]
    full = sum(_columns(line) >= width - 1 for line in sample)
    # Where lines were broken between words, few are as wide as the widest one.
    if full < 2 or 2 * full < sum(not line.endswith("}") for line in sample):
        return None
    whole = [*_joined_lines(lines, width)]
    sound = sum(is_valid_json(line.encode("utf-8", "surrogateescape")) for line in whole)
    # Without a line that was broken, what would be left out is no prompt, but damage of the log.
    is_joined = not set("\n".join(whole).split("\n")) <= set(lines)
    return "".join(f"{line}\n" for line in whole) if is_joined and 2 * sound >= len(whole) else None


def _joined_lines(lines: list[str], width: int) -> Iterator[str]:
    """Yield records that were broken into pieces. Only the last piece of a record is narrower than the terminal."""
    held, left = "", _MAX_PARSED
    for line, following in pairwise([*lines, ""]):
        if not held and not line.startswith(("{", "[")):
            if not _NO_PROMPT.isdisjoint(line):
                yield line
            continue
        # In a string, the quote of an object would be escaped. Before an object in a record is a colon or a comma.
        is_last = _columns(line) < width and following.startswith('{"') and not line.endswith((":", ","))
        # Some terminals fill the last piece with spaces.
        if not is_last and line.rstrip(" ").endswith(("}", "]")) and left > 0:
            left -= len(held)
            is_last = is_valid_json((held + line).encode("utf-8", "replace"))
        if is_last:
            yield held + line
            held = ""
        else:
            lost = _lost_columns(line, following, width)
            # What breaks off far from the edge was not broken by a terminal, but is damaged.
            held += line + (" " * lost if lost <= width // 4 else "\n")
    if held.strip():
        yield held.rstrip(" ")


def _lost_columns(line: str, following: str, width: int) -> int:
    """Return how many spaces a piece has lost at its end. One column stays free before a wide character."""
    lost = width - _columns(line)
    return 0 if lost == 1 and _columns(following[:1]) == 2 else max(lost, 0)


def _columns(text: str) -> int:
    """Return how many columns a terminal needs for a text."""
    columns = len(text)
    for each in _NOT_ASCII.findall(text):
        if unicodedata.combining(each):
            columns -= 1
        elif unicodedata.east_asian_width(each) in "WF":
            columns += 1
    return columns


# The traffic of a browser or a proxy, as an HTTP archive (HAR 1.2).

_HAR = re.compile(rb'\s*\{\s*"log"\s*:\s*\{\s*"(?:version|creator|browser|pages|entries|comment)"\s*:')
_HISTORY_KEYS = ("messages", "input", "contents")


def _is_har(head: bytes) -> bool:
    return _HAR.match(head.removeprefix(BOM)) is not None


def _request_in_har(data: bytes) -> UnwrappedText | None:
    """Return the body of the newest refused request that holds a history, else of the newest one."""
    with suppress(ValueError, KeyError, TypeError):
        entries = parse_json(data.removeprefix(BOM))["log"]["entries"]
        found = [(number, body, _status(each)) for number, each in enumerate(entries, 1) if (body := _history(each))]
        refused = [each for each in found if 400 <= each[2] < 500]
        if found:
            number, body, status = (refused or found)[-1]
            template = (
                tr("request {number} of {count} in a HAR file (rejected with status {status})")
                if refused
                else tr("request {number} of {count} in a HAR file")
            )
            return UnwrappedText(
                body.encode("utf-8", "replace"), tr(template, number=number, count=len(entries), status=status)
            )
    return None


def _history(entry: Any) -> str:
    """Return the body of a request if it holds a history, else ""."""
    with suppress(KeyError, TypeError, AttributeError, ValueError):
        text = entry["request"]["postData"]["text"]
        body = parse_json(text.encode("utf-8", "replace"))
        if isinstance(body, dict) and any(isinstance(body.get(key), list) for key in _HISTORY_KEYS):
            return str(text)
    return ""


def _status(entry: Any) -> int:
    with suppress(KeyError, TypeError, ValueError):
        return int(entry["response"]["status"])
    return 0


# Traces of OpenTelemetry.


_TRACE = lazy_regex(
    rb'\s*(?:\[\s*)?\{\s*"(?:name"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"context"\s*:\s*\{\s*"trace_id|resourceSpans)"\s*:'
)


def _is_trace(head: bytes) -> bool:
    return _TRACE.match(head.removeprefix(BOM)) is not None


def _requests_in_trace(data: bytes) -> UnwrappedText | None:
    found = trace_spans.requests_in_trace(data.removeprefix(BOM))
    if found is None:
        return None
    text, traces = found
    place = tr_plural(
        "the last request in an OpenTelemetry trace", "the last requests in {number:,} OpenTelemetry traces", traces
    )
    return UnwrappedText(text, place)


# In the order in which they are tried. A fence in a quotation is broken up by the marks, so the quotation comes first;
# a fence holds a copy from a terminal, and not the other way round.
_WRAPPERS = (
    Wrapper(_is_compressed, _decompressed, MAX_WRAPPED_SIZE),
    Wrapper(starts_like_wide_text, _decoded, MAX_WRAPPED_SIZE),
    Wrapper(_is_har, _request_in_har, _MAX_HAR_SIZE),
    Wrapper(_is_trace, _requests_in_trace, MAX_WRAPPED_SIZE),
    Wrapper(_is_text_around_log, _unquoted),
    Wrapper(_is_text_around_log, _fenced),
    Wrapper(_may_be_folded, _unfolded),
)
