"""Forty tickets as people send them: logs of real agents, each in another wrapper, with the truth beside them.

The logs lie beside the checkout and are read there: those of `agents/logs`, which are named after what was done to
them, and those of the corpus of real logs. A ticket holds what it is packed in and, of each log in it, the rules that
name what is wrong with it.
"""

import bz2
import gzip
import json
import lzma
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from inspector.core.storage.compression import zstd_library
from tests.support.archives import locked, tar_of, zip_of, zip_with_names, zipped
from tests.support.paths import SHARED
from tests.system.corpus.index import CORPUS

AGENT_LOGS = SHARED / "agents" / "logs"
SESSION = "0b6e2c1e-8f0e-4a3c-9d5b-7f2a1c3d4e5f"


class Ticket(NamedTuple):
    """A ticket at `path`.

    `truth` holds, of each log, a part of its path in the ticket ("" where there is one log) and the codes of the rules
    that name its cause, the most telling first; "" for a sound log. `says` is what the answer says of the wrapper, or
    why there is no log.
    """

    path: Path
    truth: dict[str, str]
    says: str = ""


class _Row(NamedTuple):
    name: str
    write: Callable[[Path], object]
    truth: dict[str, str] | str
    says: str = ""


def is_available() -> bool:
    """Whether the logs are there of which the tickets are made."""
    return AGENT_LOGS.is_dir() and CORPUS.is_dir()


def write_tickets(folder: Path) -> list[Ticket]:
    """Write the forty tickets into a folder."""
    tickets = []
    for row in _ROWS:
        path = folder / row.name
        row.write(path)
        truth = {"": row.truth} if isinstance(row.truth, str) else row.truth
        tickets.append(Ticket(path, truth, row.says))
    return tickets


# The logs.


def agent_log(name: str) -> bytes:
    return (AGENT_LOGS / name).read_bytes()


def real_log(name: str) -> bytes:
    (path,) = CORPUS.glob(name)
    return path.read_bytes()


def _claude(name: str) -> bytes:
    return agent_log(f"claude-code/{name}-2.1.112.jsonl")


def _codex(name: str) -> bytes:
    return agent_log(f"codex/{name}-0.169.0.jsonl")


def _cline(name: str) -> bytes:
    return agent_log(f"cline/{name}-3.0.65.json")


def _kimi(name: str) -> bytes:
    return agent_log(f"kimi-cli/{name}-1.49.0.jsonl")


def _gemini(name: str) -> bytes:
    return agent_log(f"gemini-cli/{name}-0.61.0.jsonl")


# The wrappers.


def quoted(log: bytes, mark: bytes = b"> ") -> bytes:
    """A log in the answer to a mail."""
    lines = b"\r\n".join(mark + line for line in log.splitlines())
    return b"Hi,\r\n\r\nhere it is again. On Tue, 24 Nov 2026 at 10:02, Support wrote:\r\n\r\n" + lines + b"\r\n"


def fenced(log: bytes, fence: str = "```", word: str = "json") -> bytes:
    """A log in an issue, after the error and the settings in fences of their own."""
    return (
        (
            "### Describe the bug\r\n\r\nResume fails with\r\n\r\n"
            f"{fence}\r\nAPI Error: 400 messages.4: tool_use ids were found\r\n{fence}\r\n\r\n"
            f'Settings:\r\n\r\n{fence}json\r\n{{"model": "opus"}}\r\n{fence}\r\n\r\n'
            f"<details><summary>Log</summary>\r\n\r\n{fence}{word}\r\n"
        ).encode()
        + log.rstrip(b"\r\n").replace(b"\n", b"\r\n")
        + f"\r\n{fence}\r\n\r\n</details>\r\n".encode()
    )


def folded(log: bytes, width: int, prompt: str = "", trimmed: bool = False) -> bytes:
    """A log as it is copied from a terminal: broken at a width, with spaces at line ends lost where `trimmed`."""
    lines = [prompt] if prompt else []
    for record in log.decode("utf-8", "replace").splitlines():
        line, taken = "", 0
        for sign in record:
            columns = 2 if unicodedata.east_asian_width(sign) in "WF" else 1
            if taken + columns > width:
                lines.append(line)
                line, taken = "", 0
            line, taken = line + sign, taken + columns
        lines.append(line)
    return "".join((line.rstrip(" ") if trimmed else line) + "\n" for line in lines).encode()


def har(refused: object, sound: object, url: str) -> bytes:
    """The traffic of a browser or a proxy: a page, a request that was accepted, and one that was refused."""
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": "messages.4: tool_use ids …"}}

    def entry(body: object | None, status: int, answer: object) -> object:
        request: dict[str, object] = {"method": "POST" if body else "GET", "url": url, "headers": []}
        if body:
            request["postData"] = {"mimeType": "application/json", "text": json.dumps(body)}
        response = {"status": status, "content": {"mimeType": "application/json", "text": json.dumps(answer)}}
        return {"startedDateTime": "2026-11-24T10:00:00Z", "request": request, "response": response}

    entries = [entry(None, 200, {}), entry(sound, 200, {"id": "msg_1"}), entry(refused, 400, error)]
    return json.dumps({"log": {"version": "1.2", "creator": {"name": "mitmproxy"}, "entries": entries}}).encode()


def anthropic_request(claude_log: bytes) -> object:
    """A request with the messages of a session of Claude Code."""
    records = [json.loads(line) for line in claude_log.splitlines()]
    messages = [{key: each["message"][key] for key in ("role", "content")} for each in records if "message" in each]
    return {"model": "claude-opus-4-7", "max_tokens": 8192, "messages": messages}


def chat_request(kimi_log: bytes) -> object:
    """The request that kimi-cli sends with the messages of a log."""
    records = [json.loads(line) for line in kimi_log.splitlines()]
    return {"model": "kimi-k2.6", "messages": [each for each in records if not each["role"].startswith("_")]}


def parts_of(log: bytes, number: int, folder: str = f"mirror/-home-u-app/{SESSION}") -> dict[str, bytes]:
    """A session of Claude Code as the Agent SDK mirrors it: in parts, of which each repeats the last two records."""
    lines = log.splitlines(keepends=True)
    size = max(1, -(-len(lines) // number))
    parts = {}
    for at in range(0, len(lines), size):
        rand = f"{0xABC123 - at * 7919:06x}"
        parts[f"{folder}/part-{1764000000000 + at}-{rand}.jsonl"] = b"".join(lines[max(0, at - 2) : at + size])
    return parts


def _file(data: Callable[[], bytes]) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data())


def _folder(members: Callable[[], dict[str, bytes]]) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        for name, data in members().items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(data)

    return write


def _locked(path: Path) -> None:
    locked(zipped(path.parent, {"log.jsonl": _claude("killed")}, path.name))


_SOUND = "healthy"
_REAL_BROKEN = "claude-code/*0eda269a*.jsonl"  # of its index: two lines that are no JSON
_REAL_SOUND = "claude-code/*tool_heavy.jsonl"

_ROWS: tuple[_Row, ...] = (
    # Compressed logs, and archives in archives.
    _Row("t01.jsonl", _file(lambda: _claude("killed")), "D1"),
    _Row("t02.jsonl.gz", _file(lambda: gzip.compress(_codex("lost-result"))), "D2", "gzip"),
    _Row("t03.jsonl.xz", _file(lambda: lzma.compress(_claude("lost-result"))), "D2", "xz"),
    _Row("t04.jsonl.zst", _file(lambda: zstd_library().compress(_kimi("orphan"))), "R1"),
    _Row("t05.json.bz2", _file(lambda: bz2.compress(_cline("both-late"))), "R4", "bzip2"),
    _Row("t06.zip", _file(lambda: zip_of({"logs/a.jsonl.gz": gzip.compress(_claude("del-result"))})), "D2 G1", "gzip"),
    _Row(
        "t07.zip",
        _file(
            lambda: zip_of(
                {"a.zip": zip_of({"x/a.jsonl": _claude("conflict")}), "b.zip": zip_of({"b.jsonl": _codex("del-call")})}
            )
        ),
        {"a.jsonl": "R7", "b.jsonl": "R1"},
    ),
    _Row(
        "t08.zip",
        _file(lambda: zip_of({"day.zip": zip_of({"hour.zip": zip_of({"log.json": _cline("early")})})})),
        "R2",
    ),
    _Row("t09.tar.xz", _file(lambda: lzma.compress(tar_of({"a/log.jsonl": _claude("compacted-killed")}))), "D3"),
    _Row("t10.zip", _file(lambda: zip_of({"empty.json": b"[]", "log.jsonl": _claude("killed-twice")})), "D1 D3"),
    _Row(
        "t11.tar.gz",
        _file(
            lambda: gzip.compress(
                tar_of({"a.jsonl": _kimi("both-late"), "b.jsonl": _codex(_SOUND), "c.jsonl": _kimi("swapped-ids")})
            )
        ),
        {"a.jsonl": "R4", "b.jsonl": "", "c.jsonl": ""},
    ),
    _Row(
        "t12.tar.zst", _file(lambda: zstd_library().compress(tar_of({"log.jsonl": _codex("second-output-gone")}))), "D3"
    ),
    # Mail and Markdown.
    _Row("t13.txt", _file(lambda: quoted(_claude("moved-late"))), "R4", "mail"),
    _Row("t14.eml.txt", _file(lambda: quoted(_cline("orphan"), b"> > ")), "R1", "mail"),
    _Row("t15.txt", _file(lambda: quoted(_claude("refused-killed"), b">> ")), "D3", "mail"),
    _Row("t16.md", _file(lambda: fenced(_claude("early2"))), "R2", "Markdown"),
    _Row("t17.md", _file(lambda: fenced(_cline("moved-late"), "~~~~")), "R4", "Markdown"),
    _Row("t18.md", _file(lambda: fenced(_kimi("dup-result"), word="jsonl")), "R5", "Markdown"),
    _Row("t19.txt", _file(lambda: quoted(fenced(_codex("orphan")))), "R1", "Markdown"),
    _Row("t20.md", _file(lambda: fenced(real_log(_REAL_BROKEN))), "F6 G1", "Markdown"),
    # Copies from terminals.
    _Row("t21.txt", _file(lambda: folded(_kimi("lost-result"), 80)), "D2", "terminal"),
    _Row("t22.txt", _file(lambda: folded(_claude("orphan"), 120, "$ cat session.jsonl")), "R1", "terminal"),
    _Row("t23.txt", _file(lambda: folded(_gemini("lost-result"), 100, trimmed=True)), "D2", "terminal"),
    # Encodings.
    _Row(
        "t24.jsonl",
        _file(lambda: b"\xff\xfe" + _claude("killed-par3").replace(b"\n", b"\r\n").decode().encode("utf-16-le")),
        "D3",
        "UTF-16",
    ),
    _Row("t25.jsonl", _file(lambda: b"\xfe\xff" + _kimi("early").decode().encode("utf-16-be")), "R2", "UTF-16"),
    _Row("t26.jsonl", _file(lambda: _claude("alien-id").decode().encode("utf-16-le")), "R8 D3", "UTF-16"),
    _Row("t27.jsonl", _file(lambda: b"\xef\xbb\xbf" + _codex("early").replace(b"\n", b"\r\n")), "R2 F8 G1"),
    # Traffic of a browser or a proxy.
    _Row(
        "t28.har",
        _file(
            lambda: har(
                anthropic_request(_claude("lost-result")),
                anthropic_request(_claude(_SOUND)),
                "https://api.anthropic.com/v1/messages",
            )
        ),
        "D2",
        "HAR",
    ),
    _Row(
        "t29.har",
        _file(
            lambda: har(
                chat_request(_kimi("call-of-pair-gone")),
                chat_request(_kimi(_SOUND)),
                "https://api.moonshot.ai/v1/chat/completions",
            )
        ),
        "R1",
        "HAR",
    ),
    # Names of members in old encodings.
    _Row(
        "t30.zip",
        _file(lambda: zip_with_names({"日志/会话记录.jsonl": _claude("pair-results-gone")}, "cp936")),
        {"日志/会话记录.jsonl": "D2"},
    ),
    _Row(
        "t31.zip",
        _file(
            lambda: zip_with_names(
                {"ログ/セッション.jsonl": _codex("dup-call"), "ログ/メモ.jsonl": _gemini(_SOUND)}, "cp932"
            )
        ),
        {"ログ/セッション.jsonl": "K2", "ログ/メモ.jsonl": ""},
    ),
    # Stores of the Claude Agent SDK.
    _Row(
        "t32",
        _folder(
            lambda: (
                parts_of(_claude("first-result-gone-raw"), 4)
                | parts_of(_claude(_SOUND), 3, "mirror/-home-u-app/1f7f3d2f-901f-4b4d-8e6c-803b2d4e5f60")
            )
        ),
        {SESSION: "D2 G1", "1f7f3d2f": ""},
    ),
    _Row(
        "t33.zip",
        _file(
            lambda: zip_of(
                parts_of(_claude("cut-after-calls"), 5)
                | parts_of(_claude("torn-last"), 2, "mirror/-home-u-app/2a804e30-a12f-4c5e-9f7d-914c3e5f6071")
            )
        ),
        {SESSION: "D1", "2a804e30": "F1"},
    ),
    # What is no log, and what cannot be read.
    _Row("t34.zip", _locked, {}, "password"),
    _Row("t35.zip", _file(lambda: zip_of({"log.jsonl": _claude("killed")})[:900]), {}, "cut off"),
    _Row("t36.7z", _file(lambda: b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(range(200))), {}, "7z"),
    # Sound logs.
    _Row("t37.tar.gz", _file(lambda: gzip.compress(tar_of(parts_of(_claude(_SOUND), 6)))), ""),
    _Row("t38.md", _file(lambda: fenced(real_log(_REAL_SOUND))), "", "Markdown"),
    _Row("t39.txt", _file(lambda: folded(_codex(_SOUND), 132)), "", "terminal"),
    _Row("t40.json", _file(lambda: _cline(_SOUND).decode().encode("utf-16")), "", "UTF-16"),
)


def planted(tickets: Iterable[Ticket]) -> list[tuple[Ticket, str, str]]:
    """The causes that were planted: the ticket, a part of the log's path, and the rules that name the cause."""
    return [(ticket, log, rules) for ticket in tickets for log, rules in ticket.truth.items() if rules]
