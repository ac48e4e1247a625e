"""The child process: it owns the Engine, answers requests over a pipe, and imports no Qt."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.core.repair.choices import Choices
from inspector.core.showing.answers import Opened
from inspector.core.trim.wish import Trimming
from inspector.gui.answers.big_answers import (
    ConvertBody,
    Kind,
    OpenBody,
    Request,
    SaveBody,
    SaveConvertedBody,
    SaveSentBody,
    SaveTrimmedBody,
    SentBody,
    send,
    unpack,
)
from inspector.gui.answers.opened_log import as_array
from inspector.gui.answers.packing import pack_open_calls, pack_opened, pack_preview, pack_sent, worst_first
from inspector.gui.process.child_loop import ChildLoop

if TYPE_CHECKING:
    from inspector.core.engine.engine import Engine

_NICE = 5
_SENT = ("sent", "sent-as-json", "save-sent")
# Of several that wait, only the newest one is worked out.
_PLANS = ("preview", "trim", "convert", "sent")


def serve(pipe: Connection, make_engine: Callable[[], Engine]) -> None:
    """Answer requests until the window closes the pipe."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    _EngineChild(pipe, make_engine()).run()


class _EngineChild(ChildLoop):
    def __init__(self, pipe: Connection, engine: Engine) -> None:
        super().__init__(pipe, engine)
        self._newest: dict[str, int] = {}
        self._ids: list[str] = []

    def announced(self, request: Request) -> None:
        if request.name in _PLANS:
            self._newest[request.name] = request.serial

    def answer(self, request: Request) -> None:
        if request.serial < self._newest.get(request.name, -1):
            return
        if request.name == "open":
            self._open(request.serial, unpack(request.body, OpenBody))
        elif request.name == "preview":
            preview = self.engine.preview(unpack(request.body, Choices))
            summary, columns = pack_preview(preview, self._ids)
            send(self.pipe, Kind.PREVIEW, request.serial, summary, columns)
        elif request.name == "save":
            save: SaveBody = unpack(request.body, SaveBody)
            send(self.pipe, Kind.SAVED, request.serial, self.engine.save(save.choices, save.mode, save.target))
        elif request.name == "explain":
            send(self.pipe, Kind.EXPLAINED, request.serial, self.engine.explain(unpack(request.body, str)))
        elif request.name == "accept":
            send(self.pipe, Kind.ACCEPTED, request.serial, self.engine.accepted())
        elif request.name == "page":
            send(self.pipe, Kind.PAGE, request.serial, self.engine.rule_page(unpack(request.body, str)))
        elif request.name == "open-calls":
            calls = pack_open_calls(self.engine.open_calls(), self._ids)
            send(self.pipe, Kind.OPEN_CALLS, request.serial, None, calls)
        elif request.name == "offers":
            found = self.engine.offers(unpack(request.body, tuple[str, ...]))
            send(self.pipe, Kind.OFFERS, request.serial, found)
        elif request.name == "backup":
            send(self.pipe, Kind.BACKUP, request.serial, self.engine.backup_at(unpack(request.body, str)))
        elif request.name == "restore":
            send(self.pipe, Kind.RESTORED, request.serial, self.engine.restore(unpack(request.body, str)))
        elif request.name in _SENT:
            self._answer_on_sent(request)
        else:
            self._answer_on_copies(request)

    def _answer_on_sent(self, request: Request) -> None:
        """What the agent will send: to look at, to copy, to save."""
        if request.name == "save-sent":
            save: SaveSentBody = unpack(request.body, SaveSentBody)
            self.engine.save_sent(save.wish.repairs, save.wish.session, save.target)
            send(self.pipe, Kind.SENT_SAVED, request.serial, save.target)
            return
        wish: SentBody = unpack(request.body, SentBody)
        if request.name == "sent-as-json":
            data = self.engine.sent_as_json(wish.repairs, wish.session)
            send(self.pipe, Kind.SENT_AS_JSON, request.serial, None, {"json": data})
        else:
            head, columns = pack_sent(self.engine.sent(wish.repairs, wish.session))
            send(self.pipe, Kind.SENT, request.serial, head, columns)

    def _answer_on_copies(self, request: Request) -> None:
        """Trimming and converting: what it comes to, and the writing of it."""
        if request.name == "trim":
            send(self.pipe, Kind.TRIMMED, request.serial, self.engine.trim(unpack(request.body, Trimming)))
        elif request.name == "save-trimmed":
            trimmed: SaveTrimmedBody = unpack(request.body, SaveTrimmedBody)
            saved = self.engine.save_trimmed(trimmed.trimming, trimmed.target)
            send(self.pipe, Kind.SAVED, request.serial, saved)
        elif request.name == "convert":
            wish: ConvertBody = unpack(request.body, ConvertBody)
            converted = self.engine.convert(wish.to, wish.session, wish.repairs)
            send(self.pipe, Kind.CONVERTED, request.serial, converted)
        elif request.name == "save-converted":
            body: SaveConvertedBody = unpack(request.body, SaveConvertedBody)
            saved = self.engine.save_converted(body.wish.to, body.wish.session, body.wish.repairs, body.target)
            send(self.pipe, Kind.SAVED, request.serial, saved)

    def _open(self, serial: int, body: OpenBody) -> None:
        self.log = body.path
        progress = self.progress_of(serial)
        opened = self.engine.open(body.path, body.format_name, progress, lambda: self.is_cancelled(serial))
        order = worst_first(opened.findings)
        self._ids = [opened.findings[number].id for number in order]
        small, columns = pack_opened(opened, order, _lines(opened))
        send(self.pipe, Kind.OPENED, serial, small, columns)


def _lines(opened: Opened) -> array[int]:
    """The line of each record, or nothing where lines are no places in the log. Reads the log once, in pieces."""
    overview = opened.overview
    starts, path = as_array(opened.starts), Path(overview.bytes_at or overview.path)
    lines = array("q")
    if not overview.has_lines or not path.is_file():
        return lines
    with path.open("rb") as file:
        line, before = 1, 0
        piece, base = b"", 0
        for start in starts:
            while start > base + len(piece):
                line += piece.count(b"\n", before - base)
                base += len(piece)
                before = base
                file.seek(base)
                piece = file.read(4 << 20)
                if not piece:
                    return lines
            line += piece.count(b"\n", before - base, start - base)
            before = start
            lines.append(line)
    return lines
