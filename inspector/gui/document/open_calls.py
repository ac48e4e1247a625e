"""Did the unanswered calls run? Asked of the child once a panel that shows it is seen, and after the plan."""

from PySide6.QtCore import QObject, Signal, Slot

from inspector.core.showing.outline import PairMark
from inspector.gui.answers.evidence_book import EvidenceBook
from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.document.repair_draft import RepairDraft
from inspector.gui.process import requests
from inspector.gui.process.child_process import ChildProcess

_OPEN = (PairMark.UNANSWERED, PairMark.PENDING, PairMark.RUNNING)


class OpenCalls(QObject):
    """Holds the answer, `book`, None until it came. Signals: `changed`."""

    changed = Signal()

    def __init__(self, process: ChildProcess, repair: RepairDraft, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process, self._repair = process, repair
        self._log: OpenedLog | None = None
        self._wanted = self._asked = False
        self.evidence: EvidenceBook | None = None
        process.answer_signal(requests.OPEN_CALLS).connect(self._on_known)
        repair.plan_changed.connect(self._ask)

    def set_log(self, log: OpenedLog | None) -> None:
        """Answer for this log from now on; None while it is being read."""
        self._log, self.evidence = log, None
        self._wanted = self._asked = False
        self.changed.emit()

    def request(self) -> None:
        """Somebody looks. A log without an open call has nothing to tell, and nothing is asked."""
        self._wanted = True
        self._ask()

    @Slot()
    def _ask(self) -> None:
        repair = self._repair
        # The child does one thing at a time: the plan is waited for, and comes first.
        busy = repair.judged and (repair.planning or (repair.plan is None and not repair.failure))
        if not self._wanted or self._asked or busy or self._log is None or not self._process.alive:
            return
        if len(self._log.findings) and any(mark in self._log.outline.mark for mark in _OPEN):
            self._asked = True
            self._process.ask(requests.OPEN_CALLS)

    @Slot(object)
    def _on_known(self, book: EvidenceBook) -> None:
        self.evidence = book
        self.changed.emit()
