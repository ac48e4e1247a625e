"""The main window: it puts panes and actions together, and knows nothing of logs."""

from pathlib import Path

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QMainWindow,
    QStackedWidget,
    QWidget,
)

from inspector.gui.basics.action_table import Action
from inspector.gui.basics.actions import Actions
from inspector.gui.basics.focus import focus_further, focus_in
from inspector.gui.basics.gate import set_title
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.layouts import in_a_column
from inspector.gui.basics.screen import fit
from inspector.gui.basics.settings import Settings
from inspector.gui.document.bookmarks import Bookmarks
from inspector.gui.document.document import Document
from inspector.gui.document.pasted_text import PastedText
from inspector.gui.document.state import Phase
from inspector.gui.document.survey import Survey
from inspector.gui.main_window.commands import commands
from inspector.gui.main_window.flows import Flows
from inspector.gui.main_window.help import ShortcutsWindow
from inspector.gui.main_window.menus import (
    ON_A_CHANGE,
    ON_A_FINDING,
    ON_A_LOG,
    ON_A_ROW,
    add_actions,
    bookmarks_menu,
    fill_menus,
    make_toolbar,
    recent_menu,
)
from inspector.gui.main_window.mouse_keys import MouseKeys
from inspector.gui.main_window.obstacles import Obstacles
from inspector.gui.main_window.status_line import StatusLine
from inspector.gui.main_window.workspace import Workspace
from inspector.gui.models.logs_model import LogsModel
from inspector.gui.panels.acceptance_window import AcceptanceWindow
from inspector.gui.panels.findings_panel import FindingsPanel
from inspector.gui.panels.lists_window import ListsWindow
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
from inspector.version import NAME

_SIZE = QSize(1280, 820)


class MainWindow(QMainWindow):
    """One window on one log, and on the list that it was chosen from."""

    def __init__(self, backend: Backend, settings: Settings, questions: Questions | None = None) -> None:
        super().__init__()
        self.settings = settings
        hiding.set_enabled(settings.hide_content)
        self.prompts = questions or Questions(self)
        self._holds_logs = backend.holds_logs
        self.document = Document(backend, self)
        self.log_list = Survey(backend, self)
        self.error_lookup = PastedText(backend, self.document, self)
        self.error_lookup.open_wanted.connect(self._show_log)
        self.bookmarks = Bookmarks(self.document, settings)
        self.listing = False
        self.operations = Flows(self)
        self._availability = Obstacles(self.document, self.log_list, self.error_lookup, self.operations)
        self.window_actions = Actions(commands(self), self)
        self._make_panes()
        self._lay_out()
        recent = recent_menu(self, settings, self.open)
        marks = bookmarks_menu(self, self.document, self.bookmarks)
        fill_menus(self, self.window_actions, recent, marks, self.outline.view.column_menu(self), settings)
        self._fill_menus_of_lists()
        self.addToolBar(make_toolbar(self, self.window_actions))
        self.setStatusBar(StatusLine(self.document, self.window_actions, self))
        MouseKeys(self.window_actions, self)
        self.setAcceptDrops(True)
        self._restore_arrangement()
        document, draft = self.document, self.document.repair
        changes = (document.log_changed, document.place_changed, document.state_changed, draft.plan_changed)
        others = draft.undo_stack.indexChanged, self.log_list.changed, self.error_lookup.changed, hiding.changed
        for signal in (*changes, *others, self.logs.table.selectionModel().selectionChanged):
            signal.connect(self._refresh)
        self._refresh()

    def open(self, path: str) -> None:
        """Open a log, or list those in a folder, and remember it among the recent ones."""
        if not hiding.enabled:  # what is hidden is not remembered either
            self.settings.add_recent(path)
            self.settings.folder = str(Path(path).absolute().parent)
        self.show_path(path)

    def open_all(self, paths: list[str]) -> None:
        """Open the first of several logs, with all of them in the list beside it; or list what folders hold."""
        if len(paths) > 1:
            self.show_list(tuple(paths))
        if len(paths) == 1 or not self._holds_logs(paths[0]):
            self.open(paths[0])

    def show_path(self, path: str) -> None:
        """Open a log, or list those in a folder."""
        if self._holds_logs(path):
            self.show_list((str(Path(path).absolute()),))
        else:
            self.listing = False
            self.document.open(path)

    # what actions do

    def ask_and_open(self, path: str = "") -> None:
        path = path or self.prompts.log_to_open(self.settings.folder)
        if path:
            self.open(path)

    def ask_and_list(self) -> None:
        folder = self.prompts.folder_to_list(self.settings.folder)
        if folder:
            self.open(folder)

    def show_list(self, folders: tuple[str, ...]) -> None:
        """List the logs in folders, or in the stores of this machine."""
        self.listing = True
        self.document.navigator.history.visit_list()
        self.log_list.start(folders)
        focus_in(self.logs)

    def go_back_to_list(self) -> None:
        self.document.navigator.history.visit_list()
        self.listing = True
        self._refresh()
        focus_in(self.logs)

    def travel(self, forward: bool) -> None:
        self.listing = not self.document.navigator.travel(forward)
        self._refresh()
        focus_in(self.logs if self.listing else self.outline)

    def stop(self) -> None:
        if self.error_lookup.searching:
            self.error_lookup.stop()
        elif self.listing:
            self.log_list.stop()
        else:
            self.document.cancel()

    def shows_log(self) -> bool:
        """Whether a log is open in this window, or being read."""
        return not self.listing and self.document.phase in (Phase.LOADING, Phase.READY)

    def _show_log(self, path: str) -> None:
        """Show a log in which a place is wanted; one that is open already is not read again."""
        if path == self.document.path and self.document.phase in (Phase.LOADING, Phase.READY):
            self.listing = False
            self._refresh()
        else:
            self.open(path)

    def show_repair(self) -> None:
        self.side.show_tab(self.side.repair)

    def _repair_for(self, profile: str) -> None:
        self.document.repair.choose_profile(profile)
        self.show_repair()
        self.activateWindow()

    def focus_pane(self, step: int) -> None:
        lists = (self.error_lookup_bar, self.logs.filter, self.logs.table)
        focus_further((*lists, self.sessions, self.outline, self.findings, self.side), step)

    # state

    def _refresh(self) -> None:
        document = self.document
        for action, obstacle in self._availability.reasons(self.listing).items():
            self.window_actions.set_availability(action, obstacle)
        self.window_actions.set_checked(Action.HIDE_CONTENT, hiding.enabled)
        self.window_actions.set_checked(Action.SHOW_CONTENT, hiding.is_lifted(document.path))
        self._help.setEnabled(not self.window_actions[Action.WHAT_IS_THIS].isEnabled())
        self.window_actions.set_target(Action.UNDO, document.repair.undo_stack.undoText())
        self.window_actions.set_target(Action.REDO, document.repair.undo_stack.redoText())
        # A log whose first rows could not be shown at once shows the panes, too: they say that it is being read.
        busy = document.phase in (Phase.LOADING, Phase.READY)
        self._stack.setCurrentWidget(self.logs if self.listing else self._workspace if busy else self.welcome)
        self._bar.setVisible(document.notice is not None and self._stack.currentWidget() is self._workspace)
        self.statusBar().setVisible(not self.listing)
        name = title_of(self.log_list) if self.listing else hiding.display_name(document.path)
        set_title(self, f"{name} – {NAME}" if name else NAME)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationPaletteChange and hasattr(self, "_stack"):
            self.window_actions.refresh_icons()
            self.error_lookup_bar.refresh()
            self.verdict.refresh()
            self.welcome.refresh()
            self.side.repair.panel.outcome.refresh()

    # dropping files and texts

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.operations.paste.accepts(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if self.operations.paste.accepts(event.mimeData()):
            event.acceptProposedAction()
            self.operations.paste.insert(event.mimeData())

    # arrangement

    def _make_panes(self) -> None:
        document, settings = self.document, self.settings
        self.welcome = WelcomePage(document, settings, self)
        self.welcome.open_wanted.connect(self.ask_and_open)
        self.welcome.folder_wanted.connect(self.ask_and_list)
        self.welcome.stores_wanted.connect(lambda: self.show_list(()))
        logs_model = LogsModel(self.log_list, self)
        self.logs = LogsPage(self.log_list, logs_model, self)
        self.logs.open_wanted.connect(self.open)
        self._bar = MessageBar(document, self)
        self.error_lookup_bar = PastedStrip(self.error_lookup, self)
        self.verdict = VerdictPanel(document, self)
        self.sessions = SessionsPanel(document, logs_model, self.window_actions, self)
        self.sessions.open_wanted.connect(self.open)
        self.outline = OutlinePanel(document, settings, self.window_actions, self.bookmarks, self)
        self.findings = FindingsPanel(document, self)
        self.page = RulePageWindow(document.process, self)
        self.findings.page_wanted.connect(self.page.open)
        self.acceptance = AcceptanceWindow(document, self)
        self.acceptance.page_wanted.connect(self.page.open)
        self.acceptance.repair_wanted.connect(self._repair_for)
        self.lists = ListsWindow(document, self)
        self.sent = SentWindow(document, self.prompts, self)
        self.side = SidePanel(document, self.window_actions, settings, self.prompts, self)
        self.side.repair.saved.restore_wanted.connect(self.operations.restore.restore)

    def _fill_menus_of_lists(self) -> None:
        for view, entries in (
            (self.outline.view, ON_A_ROW),
            (self.findings.view, ON_A_FINDING),
            (self.side.repair.panel.changes.view, ON_A_CHANGE),
            (self.logs.table, ON_A_LOG),
            (self.sessions.logs_view, ON_A_LOG),
            (self.sessions.view, ON_A_FINDING),
        ):
            add_actions(view, self.window_actions, entries)
        self.shortcuts = ShortcutsWindow(self.window_actions, self)
        # Where there is nothing to ask about, the key for help tells of the keys.
        self._help = QShortcut(QKeySequence("F1"), self, self.shortcuts.ask)

    def _lay_out(self) -> None:
        middle = (self.outline, self.findings)
        self._workspace = Workspace(self.verdict, self.sessions, middle, self.side, self)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.welcome)
        self._stack.addWidget(self.logs)
        self._stack.addWidget(self._workspace)
        whole = QWidget(self)
        in_a_column(whole, self.error_lookup_bar, self._bar, self._stack, grows=self._stack)
        self.setCentralWidget(whole)

    def _restore_arrangement(self) -> None:
        fit(self, self.size() if self.restoreGeometry(self.settings.state("geometry")) else _SIZE)
        self._workspace.restore_layout(self.settings)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.settings.set_state("geometry", self.saveGeometry())
        self._workspace.save_layout(self.settings)
        self.document.close()
        self.log_list.close()
        self.error_lookup.close()
        super().closeEvent(event)
