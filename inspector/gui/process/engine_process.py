"""The child process that holds the open log: it reads it, plans its repair, and writes it."""

from typing import Any

from PySide6.QtCore import Signal

from inspector.core.repair.choices import Choices
from inspector.core.showing.answers import (
    Acceptance,
    ConvertPreview,
    OfferedResult,
    RulePage,
    Saved,
    TrimPreview,
)
from inspector.core.showing.machine_answers import Backup, PastedAnswer, Restored
from inspector.core.trim.wish import Trimming
from inspector.gui.answers.big_answers import (
    ConvertBody,
    Kind,
    OpenBody,
    SaveBody,
    SaveConvertedBody,
    SaveSentBody,
    SaveTrimmedBody,
    SentBody,
    unpack,
)
from inspector.gui.answers.packing import unpack_open_calls, unpack_opened, unpack_preview, unpack_sent
from inspector.gui.basics.plain_text import decode
from inspector.gui.process.child_process import ChildProcess

RESTORES = ("backup", "restore")
SAVES = ("save", "save-trimmed", "save-converted")


class EngineProcess(ChildProcess):
    """Signals: `opened` (OpenedLog), `previewed` (PlannedRepair), `saved` (Saved), `progressed` (done, total),
    `explained` (PastedAnswer), `acceptances_known` (of each session, an Acceptance by profile), `page_come` (RulePage),
    `open_calls_known` (EvidenceBook), `trimmed` (TrimPreview), `converted` (ConvertPreview), `offered` (of
    OfferedResult a tuple), `sending_known` (SentBook), `sent_as_json` (text), `sent_saved` (path),
    `backup_known` (Backup), `restored` (Restored).
    """

    SERVES = "inspector.gui.process.engine_child"
    DECODES = {
        Kind.OPENED: unpack_opened,
        Kind.PREVIEW: unpack_preview,
        Kind.SAVED: lambda body, columns: unpack(body, Saved),
        Kind.PROGRESS: lambda body, columns: unpack(body, tuple[int, int]),
        Kind.EXPLAINED: lambda body, columns: unpack(body, PastedAnswer),
        Kind.ACCEPTED: lambda body, columns: unpack(body, list[dict[str, Acceptance]]),
        Kind.PAGE: lambda body, columns: unpack(body, RulePage),
        Kind.OPEN_CALLS: lambda body, columns: unpack_open_calls(columns),
        Kind.TRIMMED: lambda body, columns: unpack(body, TrimPreview),
        Kind.CONVERTED: lambda body, columns: unpack(body, ConvertPreview),
        Kind.OFFERS: lambda body, columns: unpack(body, tuple[OfferedResult, ...]),
        Kind.SENT: unpack_sent,
        Kind.SENT_AS_JSON: lambda body, columns: decode(bytes(columns["json"])),
        Kind.SENT_SAVED: lambda body, columns: unpack(body, str),
        Kind.BACKUP: lambda body, columns: unpack(body, Backup),
        Kind.RESTORED: lambda body, columns: unpack(body, Restored),
    }
    PARTS = frozenset({Kind.PROGRESS})
    UNBROKEN = (*SAVES, *RESTORES)
    HEARD = RESTORES
    ORDER = (
        *SAVES, *RESTORES, "open", "preview", "explain", "accept", "page", "open-calls", "trim", "convert",
        "offers", "save-sent", "sent-as-json", "sent",
    )  # fmt: skip

    opened = Signal(object)
    previewed = Signal(object)
    saved = Signal(object)
    progressed = Signal(object)
    explained = Signal(object)
    acceptances_known = Signal(object)
    page_come = Signal(object)
    open_calls_known = Signal(object)
    trimmed = Signal(object)
    converted = Signal(object)
    offered = Signal(object)
    sending_known = Signal(object)
    sent_as_json = Signal(object)
    sent_saved = Signal(object)
    backup_known = Signal(object)
    restored = Signal(object)

    def open(self, path: str, format_name: str = "") -> None:
        self.begin("open", OpenBody(path, format_name))

    def preview(self, choices: Choices) -> None:
        self.request("preview", choices)

    def save(self, choices: Choices, mode: str, target: str = "") -> None:
        self.request("save", SaveBody(choices, mode, target))

    def explain(self, text: str) -> None:
        """What a pasted text has to do with the open log."""
        self.request("explain", text)

    def ask_who_accepts(self) -> None:
        self.request("accept", None)

    def ask_for_page(self, rule: str) -> None:
        self.request("page", rule)

    def ask_for_open_calls(self) -> None:
        self.request("open-calls", None)

    def trim(self, trimming: Trimming) -> None:
        self.request("trim", trimming)

    def save_trimmed(self, trimming: Trimming, target: str) -> None:
        self.request("save-trimmed", SaveTrimmedBody(trimming, target))

    def convert(self, wish: ConvertBody) -> None:
        self.request("convert", wish)

    def save_converted(self, wish: ConvertBody, target: str) -> None:
        self.request("save-converted", SaveConvertedBody(wish, target))

    def ask_for_offers(self, paths: tuple[str, ...]) -> None:
        """What the logs at `paths` hold for the open calls."""
        self.request("offers", paths)

    def ask_what_is_sent(self, wish: SentBody) -> None:
        self.request("sent", wish)

    def ask_for_sent_json(self, wish: SentBody) -> None:
        self.request("sent-as-json", wish)

    def save_sent(self, wish: SentBody, target: str) -> None:
        self.request("save-sent", SaveSentBody(wish, target))

    def ask_about_backup(self, path: str) -> None:
        self.request("backup", path)

    def restore(self, backup: str) -> None:
        self.request("restore", backup)

    def heard(self, kind: Kind, answer: Any) -> None:
        signals = {
            Kind.OPENED: self.opened,
            Kind.PREVIEW: self.previewed,
            Kind.SAVED: self.saved,
            Kind.PROGRESS: self.progressed,
            Kind.EXPLAINED: self.explained,
            Kind.ACCEPTED: self.acceptances_known,
            Kind.PAGE: self.page_come,
            Kind.OPEN_CALLS: self.open_calls_known,
            Kind.TRIMMED: self.trimmed,
            Kind.CONVERTED: self.converted,
            Kind.OFFERS: self.offered,
            Kind.SENT: self.sending_known,
            Kind.SENT_AS_JSON: self.sent_as_json,
            Kind.SENT_SAVED: self.sent_saved,
            Kind.BACKUP: self.backup_known,
            Kind.RESTORED: self.restored,
        }
        signals[kind].emit(answer)

    def last_words(self, request: str, code: int) -> str:
        if request == "restore":
            return (
                f"The part of the program that writes logs ended unexpectedly (exit code {code}). "
                "The backup is unchanged: restore it again."
            )
        if request not in SAVES:
            return super().last_words(request, code)
        return (
            f"The part of the program that writes logs ended unexpectedly (exit code {code}). "
            "The original is unchanged unless you saved in place; a backup exists in that case."
        )
