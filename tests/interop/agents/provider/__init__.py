"""A fake provider on the loopback address: strict as the real ones, scripted, and it records what it is sent.

One server speaks all WIRES, and tells them apart by path. What the real API refuses is refused here in the same words.
"""

import gzip
import json
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.interop.agents.provider.anthropic import Anthropic
from tests.interop.agents.provider.gemini import Gemini
from tests.interop.agents.provider.openai_chat import OpenAIChat
from tests.interop.agents.provider.openai_responses import OpenAIResponses
from tests.interop.agents.provider.script import ASIDE, DONE, Say
from tests.interop.agents.provider.wire import Body, Refused, Wire, refuse_if

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

WIRES: dict[str, Wire] = {wire.name: wire for wire in (Anthropic(), OpenAIChat(), OpenAIResponses(), Gemini())}
MODELS = ("fake-model", "gpt-5-mini", "claude-sonnet-4-5")
PAUSE = 0.05  # seconds until it sees that it shall stop
HALF_PAIR = "The request body is not valid JSON: no low surrogate in string"
CHARACTERS_PER_TOKEN = 4
LONGEST_SILENCE = 300.0  # seconds that an answer is held back at most
UNPACKERS: dict[str, Callable[[bytes], bytes]] = {"": bytes, "gzip": gzip.decompress, "zstd": zstd.decompress}


@dataclass(frozen=True)
class Request:
    """One request as it came; `refused` is what was answered with a 400, "" for none."""

    wire: Wire
    body: Body
    refused: str

    @property
    def messages(self) -> list[Body]:
        return self.body.get(self.wire.history) or []


@dataclass
class Provider:
    """A running server. `play` begins a new script, and forgets what was recorded.

    With a `window`, it counts the tokens of each request, at four characters a token, says so in its answer, and
    refuses a longer request as the real APIs do.
    `refuses` is what one server refuses beside what its wire does: it returns the text, "" to accept.
    """

    script: list[Say] = field(default_factory=list)
    turns: list[Request] = field(default_factory=list)
    window: int = 0
    refuses: Callable[[Body], str] | None = None

    def __enter__(self) -> "Provider":
        self._lock, self._gone = threading.Lock(), threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"provider": self}))
        threading.Thread(target=self._server.serve_forever, args=(PAUSE,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._gone.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def play(self, script: Sequence[Say]) -> None:
        with self._lock:
            self._gone.set()
            self._gone = threading.Event()
            self.script, self.turns = [*script], []

    def reply(self, wire: Wire, body: Body) -> Say | str:
        """What to say to a request, or why it is refused."""
        tokens = len(json.dumps(body)) // CHARACTERS_PER_TOKEN if self.window else Say.read
        too_long = wire.too_long.format(tokens=tokens, window=self.window) if 0 < self.window < tokens else ""
        request = Request(wire, body, too_long or _refusal(wire, body) or (self.refuses(body) if self.refuses else ""))
        with self._lock:
            if not wire.is_turn(body):
                return request.refused or ASIDE
            self.turns.append(request)
            if request.refused:
                return request.refused
            say, gone = (self.script.pop(0) if self.script else DONE), self._gone
        if say.never:
            gone.wait(LONGEST_SILENCE)
        return replace(say, read=tokens)


def _refusal(wire: Wire, body: Body) -> str:
    try:
        refuse_if(_holds_half_pair(body), HALF_PAIR)
        messages = body.get(wire.history) or []
        wire.judge(messages if isinstance(messages, list) else [])
    except Refused as refused:
        return str(refused)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        return f"The request has not the shape of {wire.name}: {error!r}"
    return ""


def _holds_half_pair(body: Body) -> bool:
    """Whether a text of the request holds half of a surrogate pair. Python reads one, the real APIs do not."""
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


class _Handler(BaseHTTPRequestHandler):
    """HTTP, as far as agents need it."""

    provider: Provider
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""

    def handle_one_request(self) -> None:
        """An agent that is killed closes nothing."""
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True

    def do_HEAD(self) -> None:
        self._send(200, {})

    def do_GET(self) -> None:
        if not self._path.endswith("/models"):
            return self._send(404, {"error": {"message": f"not found: {self._path}"}})
        data = [{"id": name, "object": "model", "owned_by": "fake", "context_length": 200_000} for name in MODELS]
        return self._send(200, {"object": "list", "data": data, "has_more": False})

    def do_POST(self) -> None:
        data, path = self._body(), self._path
        if path.endswith(("/count_tokens", ":countTokens")):
            return self._send(200, {"input_tokens": 100, "totalTokens": 100})
        wire = next((wire for wire in WIRES.values() if wire.serves(path)), None)
        if wire is None:
            return self._send(404, {"error": {"message": f"not found: {path}"}})
        body = json.loads(data)
        say = self.provider.reply(wire, body)
        if isinstance(say, str):
            return self._send(400, wire.failure(say))
        answer = wire.answer(body, say)
        if wire.streams(path, body):
            return self._send(200, wire.stream(answer), "text/event-stream")
        return self._send(200, answer)

    @property
    def _path(self) -> str:
        return self.path.partition("?")[0]

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            data = b"".join(iter(self._chunk, b""))
        else:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
        return UNPACKERS[self.headers.get("content-encoding") or ""](data)

    def _chunk(self) -> bytes:
        data = self.rfile.read(int(self.rfile.readline(), 16))
        self.rfile.readline()
        return data

    def _send(self, code: int, body: Body | bytes, kind: str = "application/json") -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
