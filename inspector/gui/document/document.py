"""The one owner of what the window shows: the open log, the place in it, and the draft of its repair."""

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from inspector.core.showing.answers import SaveResult
from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.basics import words
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.words import tr
from inspector.gui.document.filter import Filter
from inspector.gui.document.find import Find
from inspector.gui.document.following import GONE, Following
from inspector.gui.document.head import read_head
from inspector.gui.document.node_keys import NodeKey, key_of, node_of
from inspector.gui.document.open_calls import OpenCalls
from inspector.gui.document.places import Places
from inspector.gui.document.record_reader import RecordReader
from inspector.gui.document.repair_draft import RepairDraft
from inspector.gui.document.selection import Selection
from inspector.gui.document.stamp import Fate
from inspector.gui.document.state import Notice, Phase
from inspector.gui.process.backend import Backend
from inspector.gui.process.child_process import ChildProcess, Failure
from inspector.gui.process.requests import OPEN, PREVIEW, SAVE, SAVES, Q, Request

_START_MS, _NICE = 20, 5
_UNMET = 3
# What the document itself asks of the process, and the draft of the repair.
_OWN_REQUESTS = (*SAVES, OPEN, PREVIEW)


class Document(QObject):
    """Panels listen to this object and call its methods, and never to each other.

    Signals: `log_changed` (another log or another state of it), `place_changed` (something else is selected),
    `state_changed` (progress, notices, a save). What is selected is `selection`'s, the choices and the plan are
    `repair`'s, what the log shows of its unanswered calls `open_calls`', a text that is looked for `find`'s, and the
    ways from one place to another are `places`'. Who asks `process` something of its own hears the answer, and the
    failure, from there.
    """

    log_changed = Signal()
    state_changed = Signal()

    def __init__(self, backend: Backend, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._backend = backend
        self.process = ChildProcess(backend, self, nice=_NICE)
        self.process.salt = lambda: self._salt
        hiding.changed.connect(self._on_hiding_changed)
        self.process.answer_signal(OPEN).connect(self._on_process_opened)
        for each in SAVES:
            self.process.answer_signal(each).connect(self._on_process_saved)
        self.process.failed.connect(self._on_process_failed)
        self.process.progressed.connect(self._on_process_progressed)
        self._start = QTimer(self, singleShot=True, interval=_START_MS)
        self._start.timeout.connect(self._read)
        self.watcher = Following(self.process, self)
        self.watcher.log_changed.connect(self._on_following_happened)
        self.repair = RepairDraft(self.process, self)
        self.repair.plan_changed.connect(self._on_plan_changed)
        self.repair.reload_needed.connect(self.reload)
        self.open_calls = OpenCalls(self.process, self.repair, self)
        self.selection = Selection(self.repair, self)
        self.place_changed = self.selection.changed
        self.path = ""
        self.format_name = ""
        self.deep = False
        self.phase = Phase.EMPTY
        self.log: OpenedLog | None = None
        self.reader: RecordReader | None = None
        self.saving = False
        self.saved: SaveResult | None = None
        self.notice: Notice | None = None
        self.progress = (0, 0)
        self._reported_unused_choices = True
        self._salt = ""
        self._closed = False
        self._node_to_restore: NodeKey | None = None
        self.navigator = Places(self)
        self.search = Find(self)
        self.row_filter = Filter(self)

    # the log

    def open(self, path: str, format_name: str = "", at: NodeKey | None = None) -> None:
        """Show the first rows of a log now and the whole of it when it is read, with the node `at` current."""
        self._node_to_restore = at
        if path != self.path:
            hiding.reset_lifted(self.path)
        self.path, self.format_name, self.deep = str(Path(path).absolute()), format_name, False
        self.repair.reset()
        self.watcher.reset()
        self.row_filter.reset()
        self._show_head()

    def reload(self) -> None:
        """Read the log again; the place in it and the choices stay."""
        if self.path:
            self._load()

    def _show_head(self) -> None:
        """Show nothing but the first rows until the log is read."""
        self.saved, self._salt = None, hiding.salt(self.path)
        # A log that is to be read as something else is not what its head looks like.
        self.log, self.reader = (None, None) if self.format_name else read_head(self._backend, self.path)
        self.selection.set_log(None)
        self.selection.set_log(self.log)
        self._load()

    def check_deeply(self) -> None:
        """Read the log again and judge every byte of it; place and choices stay."""
        self.deep = True
        self.reload()

    def cancel(self) -> None:
        """Stop reading, or planning the repair; what is shown so far stays."""
        if self.phase == Phase.LOADING:
            self._start.stop()
            self.process.cancel()
            self._fail(tr("Reading was cancelled. Only the first records are shown."), "retry")
        elif self.repair.planning and not self.saving:
            self.process.cancel()
            self.repair.set_failure(tr("Planning was stopped, so there is no repair to look at or to save."))
            self._fail(self.repair.failure, "retry")

    def close(self) -> None:
        """End the child process; the window is closing."""
        hiding.reset_lifted(self.path)
        self._closed = True
        self._start.stop()
        self.watcher.reset()
        self.process.close()

    @property
    def whole_log(self) -> OpenedLog | None:
        """The log once it is read to its end."""
        return self.log if self.phase == Phase.READY and self.log is not None and self.log.complete else None

    @property
    def why_not_writable(self) -> str:
        """Why nothing of the log can be written now, "" when something can."""
        if self.whole_log is None:
            return tr(words.NOT_READ)
        return self.why_busy

    @property
    def why_busy(self) -> str:
        """That a save has not ended yet, "" when none is under way."""
        return tr("A save is under way.") if self.saving else ""

    @property
    def target_profiles(self) -> set[str]:
        """The profiles that a repair is for: the one that was chosen, else those of the sessions."""
        chosen, log = self.repair.choices.profile, self.log
        own = {session.profile for session in log.overview.sessions} if log else set()
        return {chosen} if chosen else own

    # the place in it

    @property
    def node(self) -> int:
        """The row of the tree that is current, 0 for none."""
        return self.selection.node

    @property
    def finding(self) -> int:
        """The position of the finding that it is about, -1 for none."""
        return self.selection.finding

    def select_node(self, node: int) -> None:
        self.selection.select_node(node)

    def select_finding(self, position: int) -> None:
        self.selection.select_findings(range(position, position + 1))

    def step_finding(self, forward: bool) -> None:
        self.selection.step(forward)

    # saving

    def save(self, mode: str, target: str = "") -> None:
        """Write the planned repair."""
        self.write(SAVE, self.repair.choices, mode, target)

    def write(self, request: Request[*Q], *question: *Q) -> None:
        """Write what one of SAVES asks for."""
        self.saving, self.notice = True, None
        self.state_changed.emit()
        self.process.ask(request, *question)

    def dismiss_saved(self) -> None:
        """Go on after a save."""
        self.saved = None
        self.state_changed.emit()

    def show_notice(self, notice: Notice) -> None:
        """Put a sentence above all panes."""
        self.notice = notice
        self.state_changed.emit()

    def dismiss_notice(self) -> None:
        if self.notice is not None and self.notice.offer == "new":
            self.watcher.mark_seen()
        self.notice = None
        self.state_changed.emit()

    # inside

    def _load(self) -> None:
        self.phase, self.progress, self.notice, self.saving = Phase.LOADING, (0, 0), None, False
        self.watcher.pause()
        self.repair.set_log(None)
        self.open_calls.set_log(None)
        self.repair.plan_changed.emit()
        self.log_changed.emit()
        self.state_changed.emit()
        self._start.start()

    @Slot()
    def _read(self, fate: Fate = Fate.SAME) -> None:
        self.watcher.begin(self.path, fate)
        self.process.ask(OPEN, self.path, self.format_name, self.deep, fate != Fate.SAME)

    def _fail(self, sentence: str, offer: str) -> None:
        self.phase = Phase.READY if self.log else Phase.FAILED
        self.notice = Notice(sentence, offer)
        self.state_changed.emit()

    @Slot()
    def _on_hiding_changed(self) -> None:
        """Show the log anew: place and choices stay, and nothing else that was told of it."""
        if self.path and not self._closed and self._salt != hiding.salt(self.path):
            log, node = self.log, self.node
            self._node_to_restore = key_of(log.outline, node) if log is not None and node > 0 else None
            self._show_head()

    @Slot(object)
    def _on_process_opened(self, log: OpenedLog) -> None:
        self.notice = self.watcher.make_notice(self.log, log) or self.notice
        before = self.reader if self.watcher.grew else None
        self.log, stamp = log, self.watcher.stamp
        self.reader = RecordReader(log, stamp, self._backend.view, hiding.make_hider(self.path), before)
        self.phase = Phase.READY
        self._reported_unused_choices = False
        self.watcher.watch(log)
        self.repair.set_log(log)
        self.open_calls.set_log(log)
        self.selection.set_log(log)
        self.log_changed.emit()
        self.row_filter.refresh()
        self.search.restart()
        self.repair.request_plan()
        self.state_changed.emit()
        wanted, self._node_to_restore = self._node_to_restore, None
        if wanted is not None:
            self.select_node(node_of(log.outline, wanted))
        self.place_changed.emit()

    @Slot(object)
    def _on_process_saved(self, saved: SaveResult) -> None:
        if not self.saving:
            self.show_notice(
                Notice(f"{tr('It is saved:')} {hiding.display_path(saved.path)}", good=True)
            )  # of a log that was left
            return
        self.saving, self.saved = False, saved
        if Path(saved.path) == Path(self.path):
            self.repair.reset()
            self.reload()
        else:
            self.state_changed.emit()

    @Slot(object)
    def _on_process_failed(self, failure: Failure) -> None:
        if failure.request not in _OWN_REQUESTS and not failure.died:
            return
        if failure.request in SAVES and not self.saving and not failure.died:
            self.show_notice(Notice(failure.sentence))  # of a log that was left
            return
        self.saving = False
        if failure.died or failure.request is PREVIEW:
            self.repair.set_failure(failure.sentence)
        if failure.request is PREVIEW and not failure.died:
            return
        self._fail(failure.sentence, "retry" if failure.died or failure.request is OPEN else "")
        if failure.request is OPEN and not failure.died:
            self.watcher.watch(self.log)

    @Slot(object)
    def _on_process_progressed(self, progress: tuple[int, int]) -> None:
        self.progress = progress
        self.state_changed.emit()

    @Slot(object)
    def _on_following_happened(self, fate: Fate) -> None:
        """Read again what changed on disk; what is shown stays until then."""
        if fate == Fate.GONE:
            self.show_notice(Notice(tr(GONE), "retry"))
        elif self.phase == Phase.READY and not self.saving:
            self._read(fate)

    @Slot()
    def _on_plan_changed(self) -> None:
        """Once a log was read again: say which of the choices no longer apply."""
        plan = self.repair.plan
        if plan is None or self._reported_unused_choices:
            return
        self._reported_unused_choices = True
        if plan.summary.unmet:
            before = self.notice or Notice("")
            self.show_notice(
                before._replace(sentence=" ".join(filter(None, (before.sentence, *plan.summary.unmet[:_UNMET]))))
            )
