"""The state of an error lookup: the pasted text, where it is searched for, and the answer."""

from enum import Enum

from PySide6.QtCore import QObject, Signal, Slot

from inspector.core.presentation.engine_results import LookupAnswer, LookupPlace
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.ui_text import tr
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Notice, Phase
from inspector.gui.worker.child_client import ChildProcess, RequestFailure
from inspector.gui.worker.core_dependencies import CoreDependencies
from inspector.gui.worker.requests import EXPLAIN_ERROR, LOOK_UP_ERROR_IN_SESSIONS

MAX_CHARS = 32_000_000


class LookupPhase(Enum):
    """How far the lookup is. WAITING: the log is still being read."""

    NOT = 0
    WAITING = 1
    IN_LOG = 2
    ON_MACHINE = 3
    DONE = 4
    STOPPED = 5
    FAILED = 6


class ErrorLookup(QObject):
    """A lookup of a pasted error.

    Signals: `changed` (any part of the state), `open_wanted` (the path of a log in which a place is to be shown).

    An answer about the open log is dropped when the log is read again, because its places may no longer exist. An
    answer about the sessions of the machine stays, so that one session after the other can be looked at.
    """

    changed = Signal()
    open_wanted = Signal(object)

    def __init__(self, core: CoreDependencies, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._search = ChildProcess(core, self)
        self._search.answer_signal(LOOK_UP_ERROR_IN_SESSIONS).connect(self._on_search_explained)
        self._search.progressed.connect(self._on_search_progressed)
        self._search.failed.connect(self._on_search_failed)
        document.process.answer_signal(EXPLAIN_ERROR).connect(self._on_process_explained)
        document.process.failed.connect(self._on_process_failed)
        document.state_changed.connect(self._on_document_state_changed)
        hiding.changed.connect(self.dismiss)
        self.text = ""
        self.phase = LookupPhase.NOT
        self.answer: LookupAnswer | None = None
        self.sentence = ""
        self.progress = (0, 0)
        self._wanted: tuple[str, LookupPlace] | None = None
        self._open_single_result = False

    def ask(self, text: str, in_log: bool) -> None:
        """Look up a text in the open log, or among the sessions of this machine."""
        self.dismiss()
        if not text.strip():
            self._fail(
                tr("The clipboard contains no text to search for. Copy all or part of the error, and then paste again.")
            )
            return
        if len(text) > MAX_CHARS:
            self._fail(tr("This text is too long to be an error or a request."))
            return
        # Characters that cannot be encoded are not part of an error.
        self.text = text.encode(errors="replace").decode()
        if in_log:
            self._go(LookupPhase.WAITING)
            self._look_in_log()
        else:
            self._open_single_result = True
            self.search()

    def search(self) -> None:
        """Search the sessions that the agents store on this machine, the newest first."""
        if self.text.strip():
            self.answer, self.progress = None, (0, 0)
            self._go(LookupPhase.ON_MACHINE)
            self._search.ask(LOOK_UP_ERROR_IN_SESSIONS, self.text)

    def stop(self) -> None:
        """Stop searching the machine."""
        if self.phase == LookupPhase.ON_MACHINE:
            self._search.cancel()
            self._go(LookupPhase.STOPPED)

    @Slot()
    def dismiss(self) -> None:
        """Forget the lookup. Answers that still arrive are ignored."""
        if self.phase == LookupPhase.ON_MACHINE:
            self._search.cancel()
        self.text, self.answer, self.sentence = "", None, ""
        self._wanted, self._open_single_result = None, False
        self._go(LookupPhase.NOT)

    def show_place(self, place: LookupPlace) -> None:
        """Go to a place, and open its log first if needed."""
        searched = self.answer is not None and self.answer.searched
        path = place.path if searched else self._document.path
        self._wanted = path, place
        self.open_wanted.emit(path)
        self._go_to_wanted()

    def close(self) -> None:
        """End the child process, because the window is closing."""
        self._search.close()

    @property
    def searching(self) -> bool:
        return self.phase == LookupPhase.ON_MACHINE

    @property
    def can_search(self) -> bool:
        """Whether a search of the machine may still find what was not found so far."""
        answer = self.answer
        if answer is not None:
            doubtful = bool(answer.remarks) or any(place.how == "class" for place in answer.places)
            return not answer.searched and (doubtful or not answer.explains)
        return self.phase in (LookupPhase.STOPPED, LookupPhase.FAILED) and bool(self.text.strip())

    def _go(self, phase: LookupPhase) -> None:
        self.phase = phase
        self.changed.emit()

    def _fail(self, sentence: str) -> None:
        self.sentence = sentence
        self._go(LookupPhase.FAILED)

    def _look_in_log(self) -> None:
        """Ask as soon as a whole log is available."""
        document = self._document
        if document.phase == Phase.LOADING:
            return
        if document.whole_log is not None:
            if document.process.alive:
                self._go(LookupPhase.IN_LOG)
                document.process.ask(EXPLAIN_ERROR, self.text)
            else:
                document.reload()
            return
        self._fail(tr("The log cannot be searched because it was not read completely."))

    def _go_to_wanted(self) -> None:
        document, target = self._document, self._wanted
        if target is None or document.whole_log is None or document.path != target[0]:
            return
        place, self._wanted = target[1], None
        if not document.navigator.go_to(place.place, place.finding):
            document.show_notice(Notice(tr("This location no longer exists in the tree.")))

    @Slot()
    def _on_document_state_changed(self) -> None:
        loading = self._document.phase == Phase.LOADING
        if self.phase == LookupPhase.IN_LOG and loading:
            self._go(LookupPhase.WAITING)
        elif self.phase == LookupPhase.WAITING:
            self._look_in_log()
        elif self.answer is not None and not self.answer.searched and loading:
            self.dismiss()
        self._go_to_wanted()

    def _set_answer(self, answer: LookupAnswer) -> None:
        self.answer = answer
        self._go(LookupPhase.DONE)

    @Slot(object)
    def _on_process_explained(self, answer: LookupAnswer) -> None:
        if self.phase == LookupPhase.IN_LOG:
            self._set_answer(answer)
            if answer.places:
                self.show_place(answer.places[0])

    @Slot(object)
    def _on_search_explained(self, answer: LookupAnswer) -> None:
        self._set_answer(answer)
        # Opening another log would lose the choices made for this one.
        is_single = answer.origins == 1 and not answer.fits
        if self._open_single_result and is_single and not self._document.repair.has_choices:
            self.show_place(answer.places[0])

    @Slot(object)
    def _on_search_progressed(self, progress: tuple[int, int]) -> None:
        self.progress = progress
        self.changed.emit()

    @Slot(object)
    def _on_process_failed(self, failure: RequestFailure) -> None:
        if self.phase == LookupPhase.IN_LOG and (failure.died or failure.request is EXPLAIN_ERROR):
            self._fail(failure.sentence)

    @Slot(object)
    def _on_search_failed(self, failure: RequestFailure) -> None:
        if self.phase == LookupPhase.ON_MACHINE:
            self._fail(failure.sentence)
