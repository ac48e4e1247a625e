"""The main window: it puts panes and actions together, and knows nothing of logs."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from inspector.gui.basics.actions import Action, Actions
from inspector.gui.basics.gate import caption, set_title
from inspector.gui.basics.settings import Settings
from inspector.gui.details.copying import Copy
from inspector.gui.document.document import Document, Phase
from inspector.gui.document.pasted_text import PastedText
from inspector.gui.document.survey import Survey
from inspector.gui.flows.copy_flow import CopyFlow
from inspector.gui.flows.mend_flow import MendFlow
from inspector.gui.flows.obstacles import Obstacles
from inspector.gui.flows.paste_flow import PasteFlow
from inspector.gui.flows.restore_flow import RestoreFlow
from inspector.gui.flows.save_flow import SAVE_MODES, SaveFlow
from inspector.gui.main_window.menus import fill_menus, make_toolbar
from inspector.gui.main_window.mouse_keys import MouseKeys
from inspector.gui.main_window.status_line import StatusLine
from inspector.gui.models.logs_model import LogsModel
from inspector.gui.panels.acceptance_window import AcceptanceWindow
from inspector.gui.panels.findings_panel import FindingsPanel
from inspector.gui.panels.logs_page import LogsPage, title_of
from inspector.gui.panels.message_bar import MessageBar
from inspector.gui.panels.outline_panel import OutlinePanel
from inspector.gui.panels.pasted_strip import PastedStrip
from inspector.gui.panels.questions import Questions
from inspector.gui.panels.rule_page import RulePageWindow
from inspector.gui.panels.sent_window import SentWindow
from inspector.gui.panels.sessions_panel import SessionsPanel
from inspector.gui.panels.side_panel import SidePanel
from inspector.gui.panels.verdict_panel import VerdictPanel
from inspector.gui.panels.welcome_page import WelcomePage
from inspector.gui.process.backend import Backend


class MainWindow(QMainWindow):
    """One window on one log, and on the list that it was chosen from."""

    def __init__(self, backend: Backend, settings: Settings, questions: Questions | None = None) -> None:
        super().__init__()
        self.settings = settings
        self.questions = questions or Questions(self)
        self._holds_logs = backend.holds_logs
        self.document = Document(backend, self)
        self.survey = Survey(backend, self)
        self.pasted = PastedText(backend, self.document, self)
        self.pasted.open_wanted.connect(self._show_log)
        self._listing = False
        self._pastes = PasteFlow(self.pasted, self.questions, self.open, self._shows_log)
        self._saves = SaveFlow(self.document, self.questions)
        self._copies = CopyFlow(self.document, self.questions, self, self._show_repair)
        self._mending = MendFlow(self.document, self.questions, self, self._show_repair)
        self._restoring = RestoreFlow(self.document, self.questions, self.show_path, self)
        flows = self._saves, self._copies, self._mending, self._restoring
        self._obstacles = Obstacles(self.document, self.survey, self.pasted, *flows)
        self.actions_table = Actions(self._slots(), self)
        self._make_panes()
        self._lay_out()
        recent, columns = QMenu(self.tr("Open &recent"), self), self.outline.view.column_menu(self)
        recent.aboutToShow.connect(lambda: self._fill_recent(recent))
        fill_menus(self, self.actions_table, recent, columns, settings)
        self.addToolBar(make_toolbar(self, self.actions_table))
        self.setStatusBar(StatusLine(self.document, self.actions_table, self))
        MouseKeys(self.actions_table, self)
        self.setAcceptDrops(True)
        self.resize(1280, 820)
        self._restore_arrangement()
        for signal in (self.document.log_changed, self.document.place_changed, self.document.state_changed):
            signal.connect(self._refresh)
        self.document.repair.plan_changed.connect(self._refresh)
        self.document.repair.undo_stack.indexChanged.connect(self._refresh)
        self.survey.changed.connect(self._refresh)
        self.pasted.changed.connect(self._refresh)
        self._refresh()

    def open(self, path: str) -> None:
        """Open a log, or list those in a folder, and remember it among the recent ones."""
        self.settings.add_recent(path)
        self.settings.folder = str(Path(path).absolute().parent)
        self.show_path(path)

    def show_path(self, path: str) -> None:
        """Open a log, or list those in a folder."""
        if self._holds_logs(path):
            self._show_list((str(Path(path).absolute()),))
        else:
            self._listing = False
            self.document.open(path)

    # slots of the actions

    def _slots(self) -> dict[Action, Callable[[], object]]:
        return {
            Action.OPEN: lambda: self._ask_and_open(),
            Action.OPEN_FOLDER: lambda: self._ask_and_list(),
            Action.SHOW_STORES: lambda: self._show_list(()),
            Action.SHOW_LIST: lambda: self._go_back_to_list(),
            Action.RELOAD: lambda: self.survey.again() if self._listing else self.document.reload(),
            Action.CANCEL: self._stop,
            Action.QUIT: self.close,
            Action.UNDO: lambda: self.document.repair.undo_stack.undo(),
            Action.REDO: lambda: self.document.repair.undo_stack.redo(),
            Action.REVERT: lambda: self.document.repair.revert(),
            Action.COPY_TEXT: lambda: self.side.details.copy(Copy.TEXT),
            Action.COPY_JSON: lambda: self.side.details.copy(Copy.JSON),
            Action.COPY_BYTES: lambda: self.side.details.copy(Copy.BYTES),
            Action.REJECT_CHANGE: lambda: self.document.repair.reject(self.document.selection.change),
            Action.ACCEPT_CHANGE: lambda: self.document.repair.accept(self.document.selection.change),
            Action.FIND: lambda: self.outline.find_strip.ask(),
            Action.FIND_NEXT: lambda: self.outline.find_strip.enter(True),
            Action.FIND_PREVIOUS: lambda: self.outline.find_strip.enter(False),
            Action.FILTER: lambda: self.outline.filter_strip.ask(),
            Action.GO_TO: lambda: self.outline.go_to_strip.ask(),
            Action.BACK: lambda: self._travel(False),
            Action.FORWARD: lambda: self._travel(True),
            Action.NEXT_FINDING: lambda: self.document.step_finding(True),
            Action.PREVIOUS_FINDING: lambda: self.document.step_finding(False),
            Action.FOLLOW_PAIR: lambda: self.document.follow_pair(),
            Action.PASTE: lambda: self._pastes.paste(),
            Action.PASTE_ERROR: lambda: self._pastes.ask(),
            Action.WHAT_IS_THIS: lambda: self.findings.ask_for_page(),
            Action.WHO_ACCEPTS: lambda: self.acceptance.ask(),
            Action.WHAT_IS_SENT: lambda: self.sent.ask(),
            Action.EXPAND_BELOW: lambda: self.outline.expand_below(),
            Action.COLLAPSE_ALL: lambda: self.outline.collapse_all(),
            Action.SHOW_DETAILS: lambda: self.side.show_tab(self.side.details),
            Action.SHOW_RAW: lambda: self.side.show_tab(self.side.raw),
            Action.SHOW_REPAIR: self._show_repair,
            Action.NEXT_PANE: lambda: self._focus_next_pane(),
            Action.RESTORE: lambda: self._restoring.choose(self.settings.folder),
            Action.TRIM: self._copies.trim,
            Action.CONVERT: self._copies.convert,
            Action.UNDO_PLACEHOLDERS: self._mending.undo_placeholders,
            Action.RESULTS_FROM: self._mending.take_results,
            **{action: partial(self._saves.save, mode) for action, mode in SAVE_MODES.items()},
        }

    def _ask_and_open(self, path: str = "") -> None:
        path = path or self.questions.log_to_open(self.settings.folder)
        if path:
            self.open(path)

    def _ask_and_list(self) -> None:
        folder = self.questions.folder_to_list(self.settings.folder)
        if folder:
            self.open(folder)

    def _show_list(self, folders: tuple[str, ...]) -> None:
        """List the logs in folders, or in the stores of this machine."""
        self._listing = True
        self.document.history.visit_list()
        self.survey.look(folders)
        self.logs.setFocus()

    def _go_back_to_list(self) -> None:
        self.document.history.visit_list()
        self._listing = True
        self._refresh()
        self.logs.setFocus()

    def _travel(self, forward: bool) -> None:
        self._listing = not self.document.travel(forward)
        self._refresh()
        (self.logs if self._listing else self.outline).setFocus()

    def _stop(self) -> None:
        if self.pasted.searching:
            self.pasted.stop()
        elif self._listing:
            self.survey.stop()
        else:
            self.document.cancel()

    def _shows_log(self) -> bool:
        """Whether a log is open in this window, or being read."""
        return not self._listing and self.document.phase in (Phase.LOADING, Phase.READY)

    def _show_log(self, path: str) -> None:
        """Show a log in which a place is wanted; one that is open already is not read again."""
        if path == self.document.path and self.document.phase in (Phase.LOADING, Phase.READY):
            self._listing = False
            self._refresh()
        else:
            self.open(path)

    def _show_repair(self) -> None:
        self.side.show_tab(self.side.repair)

    def _repair_for(self, profile: str) -> None:
        self.document.repair.choose_profile(profile)
        self._show_repair()
        self.activateWindow()

    def _focus_next_pane(self) -> None:
        lists = (self.strip.view, self.logs.filter, self.logs.table)
        everything = (*lists, self.sessions, self.outline, self.findings, self.side)
        panes = [pane for pane in everything if pane.isVisible()]
        focus = QApplication.focusWidget()
        current = next((n for n, pane in enumerate(panes) if focus and pane.isAncestorOf(focus)), -1)
        if panes:
            pane = panes[(current + 1) % len(panes)]
            (pane.currentWidget() if isinstance(pane, SidePanel) else pane).setFocus(Qt.FocusReason.TabFocusReason)

    def _fill_recent(self, menu: QMenu) -> None:
        menu.clear()
        for path in self.settings.recent:
            menu.addAction(caption(path)).triggered.connect(lambda _=False, path=path: self.open(path))
        menu.addSeparator()
        menu.addAction(self.tr("Forget these")).triggered.connect(self.settings.forget_recent)

    # state

    def _refresh(self) -> None:
        document = self.document
        for action, obstacle in self._obstacles.now(self._listing).items():
            self.actions_table.enable(action, obstacle)
        self.actions_table.name(Action.UNDO, document.repair.undo_stack.undoText())
        self.actions_table.name(Action.REDO, document.repair.undo_stack.redoText())
        # A log whose first rows could not be shown at once shows the panes, too: they say that it is being read.
        busy = document.phase in (Phase.LOADING, Phase.READY)
        self._stack.setCurrentWidget(self.logs if self._listing else self._workspace if busy else self.welcome)
        self._bar.setVisible(document.notice is not None and busy)
        self.statusBar().setVisible(not self._listing)
        name = title_of(self.survey) if self._listing else Path(document.path).name
        set_title(self, f"{name} – Transcript Inspector" if name else "Transcript Inspector")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationPaletteChange and hasattr(self, "_stack"):
            self.actions_table.repaint()
            self.strip.refresh()
            self.verdict.refresh()
            self.welcome.refresh()
            self.side.repair.panel.outcome.refresh()

    # dropping files and texts

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self._pastes.takes(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if self._pastes.takes(event.mimeData()):
            event.acceptProposedAction()
            self._pastes.take(event.mimeData())

    # arrangement

    def _make_panes(self) -> None:
        document, settings = self.document, self.settings
        self.welcome = WelcomePage(document, settings, self)
        self.welcome.open_wanted.connect(self._ask_and_open)
        self.welcome.folder_wanted.connect(self._ask_and_list)
        self.welcome.stores_wanted.connect(lambda: self._show_list(()))
        logs_model = LogsModel(self.survey, self)
        self.logs = LogsPage(self.survey, logs_model, self)
        self.logs.open_wanted.connect(self.open)
        self._bar = MessageBar(document, self)
        self.strip = PastedStrip(self.pasted, self)
        self.verdict = VerdictPanel(document, self)
        self.sessions = SessionsPanel(document, logs_model, self.actions_table, self)
        self.sessions.open_wanted.connect(self.open)
        self.outline = OutlinePanel(document, settings, self.actions_table, self)
        self.findings = FindingsPanel(document, self)
        self.page = RulePageWindow(document.process, self)
        self.findings.page_wanted.connect(self.page.ask)
        self.acceptance = AcceptanceWindow(document, self)
        self.acceptance.page_wanted.connect(self.page.ask)
        self.acceptance.repair_wanted.connect(self._repair_for)
        self.sent = SentWindow(document, self.questions, self)
        self.side = SidePanel(document, self.actions_table, settings, self.questions, self)
        self.side.repair.saved.restore_wanted.connect(self._restoring.restore)

    def _lay_out(self) -> None:
        self._middle = QSplitter(Qt.Orientation.Vertical, self)
        self._middle.addWidget(self.outline)
        self._middle.addWidget(self.findings)
        self._middle.setSizes([480, 230])
        self._across = QSplitter(Qt.Orientation.Horizontal, self)
        for pane in (self.sessions, self._middle, self.side):
            self._across.addWidget(pane)
        for place, stretch in enumerate((0, 3, 2)):
            self._across.setStretchFactor(place, stretch)
        self._across.setSizes([200, 760, 480])
        for splitter in (self._middle, self._across):
            splitter.setHandleWidth(1)
            splitter.setChildrenCollapsible(False)
        self._workspace = QWidget(self)
        column = QVBoxLayout(self._workspace)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._bar)
        column.addWidget(self.verdict)
        column.addWidget(self._across, 1)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.welcome)
        self._stack.addWidget(self.logs)
        self._stack.addWidget(self._workspace)
        whole = QWidget(self)
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip)
        column.addWidget(self._stack, 1)
        self.setCentralWidget(whole)

    def _restore_arrangement(self) -> None:
        self.restoreGeometry(self.settings.state("geometry"))
        self._middle.restoreState(self.settings.state("middle"))
        self._across.restoreState(self.settings.state("across"))

    def closeEvent(self, event: QCloseEvent) -> None:
        self.settings.set_state("geometry", self.saveGeometry())
        self.settings.set_state("middle", self._middle.saveState())
        self.settings.set_state("across", self._across.saveState())
        self.document.close()
        self.survey.close()
        self.pasted.close()
        super().closeEvent(event)
