"""The main window: it creates the panes, and connects the actions to the operations.

It also decides which actions are available, and why the others are not.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from inspector.core.lazy import LazyModule
from inspector.core.presentation.engine_results import LogProduct, SaveResult
from inspector.core.translation import tr_plural
from inspector.gui.common.actions import Action, WindowActions
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.qt_helpers import cycle_focus, fit_to_screen, set_focus_in, stack_vertically
from inspector.gui.common.safe_text import set_window_title
from inspector.gui.common.settings import Settings
from inspector.gui.common.ui_text import tr
from inspector.gui.details.clipboard import CopyFormat
from inspector.gui.dialogs.acceptance_window import AcceptanceWindow
from inspector.gui.dialogs.content_lists_window import ContentListsWindow
from inspector.gui.dialogs.resume_request_window import ResumeRequestWindow
from inspector.gui.dialogs.rule_window import RuleWindow
from inspector.gui.dialogs.settings_dialog import SettingsDialog
from inspector.gui.models.logs_model import LogsModel
from inspector.gui.operations.save import SAVE_MODES
from inspector.gui.panels.findings_panel import FindingsPanel
from inspector.gui.panels.logs_and_sessions_panel import LogsAndSessionsPanel
from inspector.gui.panels.logs_page import LogsPage, list_title
from inspector.gui.panels.message_bars import ErrorLookupBar, MessageBar
from inspector.gui.panels.outline_panel import OutlinePanel
from inspector.gui.panels.side_panel import SidePanel
from inspector.gui.panels.verdict_panel import VerdictPanel
from inspector.gui.panels.welcome_page import WelcomePage
from inspector.gui.state.bookmarks import Bookmarks
from inspector.gui.state.document import Document
from inspector.gui.state.error_lookup import ErrorLookup
from inspector.gui.state.kept_choices import ChoiceKeeper
from inspector.gui.state.load_status import Notice, Phase
from inspector.gui.state.log_list_loader import LogListLoader
from inspector.gui.state.log_work_marks import LogWorkMark, LogWorkMarks
from inspector.gui.state.recent_log_verdicts import RecentLogVerdicts
from inspector.gui.window.action_availability import ActionAvailability, Operations
from inspector.gui.window.command_palette import CommandPalette
from inspector.gui.window.menus import (
    CHANGE_LIST_ACTIONS,
    FINDING_ACTIONS,
    LOG_LIST_ACTIONS,
    OUTLINE_ACTIONS,
    MouseNavigation,
    ShortcutsWindow,
    add_actions,
    describe_versions,
    fill_menus,
    make_bookmarks_menu,
    make_recent_menu,
    make_toolbar,
)
from inspector.gui.window.pane_layout import DropHighlight, Workspace
from inspector.gui.window.status_bar import StatusBar
from inspector.gui.window.unavailable_shortcuts import UnavailableShortcutHandler
from inspector.gui.window.zoom import Zoom
from inspector.gui.worker.child_client import RequestFailure
from inspector.gui.worker.core_dependencies import CoreDependencies
from inspector.version import PROGRAM_NAME

if TYPE_CHECKING:
    from inspector.core.engine import stored_data
else:
    stored_data = LazyModule("inspector.core.engine.stored_data")

CommandTable: TypeAlias = dict[Action, Callable[[], object]]

_SIZE = QSize(1280, 820)


class MainWindow(QMainWindow):
    """The window that shows one log, and the list that the log was opened from."""

    def __init__(self, core: CoreDependencies, settings: Settings, prompts: DialogQuestions | None = None) -> None:
        super().__init__()
        self.settings, self.zoom = settings, Zoom(settings)
        hiding.set_enabled(settings.hide_content)
        self.prompts = prompts or DialogQuestions(self)
        self._holds_logs = core.holds_logs
        self.document = Document(core, self)
        self.log_list = LogListLoader(core, self)
        self.error_lookup = ErrorLookup(core, self.document, self)
        self.error_lookup.open_wanted.connect(self._show_log)
        self.bookmarks = Bookmarks(self.document, settings)
        self.kept_choices = ChoiceKeeper(self.document, settings)
        self.kept_choices.changed.connect(self._on_choices_kept)
        self.log_marks = LogWorkMarks(settings, self)
        self.document.may_leave = self._may_lose_choices
        self._recent_logs = RecentLogVerdicts(core, self)
        self.listing = False
        self._newly_opened = ""
        self.operations = Operations(self)
        self._availability = ActionAvailability(
            self.document, self.log_list, self.error_lookup, self.operations, self.zoom
        )
        self.window_actions = WindowActions(make_commands(self), self)
        self._make_panes()
        self._lay_out()
        recent = make_recent_menu(self, settings, self.open)
        marks = make_bookmarks_menu(self, self.document, self.bookmarks)
        fill_menus(self, self.window_actions, recent, marks, self.outline.view.column_menu(self))
        self._fill_menus_of_lists()
        self.addToolBar(make_toolbar(self, self.window_actions))
        self.setStatusBar(StatusBar(self.document, self.window_actions, self))
        MouseNavigation(self.window_actions, self)
        self.setAcceptDrops(True)
        self._restore_arrangement()
        document, draft = self.document, self.document.repair
        document_signals = (document.log_changed, document.place_changed, document.state_changed, draft.plan_changed)
        other_signals = draft.undo_stack.indexChanged, self.log_list.changed, self.error_lookup.changed, hiding.changed
        for signal in (*document_signals, *other_signals, self.logs.table.selectionModel().selectionChanged):
            signal.connect(self._refresh)
        # Connected after `_refresh`: it looks at the availability of actions.
        self._unavailable = UnavailableShortcutHandler(
            document, self.window_actions, self.show_notice, lambda: self.listing, self
        )
        document.written.connect(self._on_log_written)
        for signal in (document.log_changed, self.log_list.listed):
            signal.connect(self._remember_newly_opened)
        self._closes_when_written = False
        self._processes = self.document.process, self.log_list.process
        for process in self._processes:
            process.failed.connect(self._on_write_failed)
            process.written.connect(self._on_written)
        self._refresh()

    def open(self, path: str) -> None:
        """Open a log, or list the logs in a folder, and remember the path as a recent one if that works."""
        if not hiding.enabled:  # while content is hidden, no path is remembered either
            self.settings.folder = str(Path(path).absolute().parent)
        self.show_path(path)
        self._newly_opened = str(Path(path).absolute())

    def _remember_newly_opened(self) -> None:
        """Remember the path that was opened, once a log is read from it or found in it."""
        path, document = self._newly_opened, self.document
        is_listed = self.log_list.paths == (path,) and bool(self.log_list.logs)
        if is_listed or (document.path == path and document.whole_log is not None):
            self._newly_opened = ""
            if not hiding.enabled:
                self.settings.add_recent(path)

    def open_all(self, paths: list[str]) -> None:
        """Open the first of several logs next to a list of all of them; if it is a folder or missing, only the list."""
        if len(paths) > 1:
            self.show_list(tuple(paths))
        if len(paths) == 1 or (os.path.exists(paths[0]) and not self._holds_logs(paths[0])):
            self.open(paths[0])

    def show_path(self, path: str) -> None:
        """Open a log, or list the logs in a folder."""
        self._newly_opened = ""
        if self._holds_logs(path):
            self.show_list((str(Path(path).absolute()),))
        else:
            self.listing = False
            self.document.open(path)

    def ask_and_open(self, path: str = "") -> None:
        path = path or self.prompts.log_to_open(self.settings.folder)
        if path:
            self.open(path)

    def ask_and_list(self) -> None:
        folder = self.prompts.folder_to_list(self.settings.folder)
        if folder:
            self.open(folder)

    def show_list(self, folders: tuple[str, ...]) -> None:
        """List the logs in folders; with no folder, the sessions in the stores of this machine."""
        self.listing = True
        self.document.navigator.history.visit_list()
        self.log_list.start(folders)
        set_focus_in(self.logs)

    def go_back_to_list(self) -> None:
        self.document.navigator.history.visit_list()
        self.listing = True
        self._refresh()
        set_focus_in(self.logs)

    def travel(self, forward: bool) -> None:
        self.listing = not self.document.navigator.travel(forward)
        self._refresh()
        set_focus_in(self.logs if self.listing else self.outline)

    @cached_property
    def commands(self) -> CommandPalette:
        """The command palette, which is made when it is first shown."""
        palette = CommandPalette(self.window_actions, self)
        palette.chosen.connect(self.run)
        return palette

    def run(self, action: Action) -> None:
        """Run an action as its key does: if it is not available, say why, or run it as soon as it is."""
        if self.window_actions[action].isEnabled():
            self.window_actions[action].trigger()
        else:
            self._unavailable.answer(action)

    def stop(self) -> None:
        if self.error_lookup.searching:
            self.error_lookup.stop()
        elif self.listing:
            self.log_list.stop()
        else:
            self.document.cancel()

    def shows_log(self) -> bool:
        """Return whether a log is open in this window, or being read."""
        return not self.listing and self.document.phase in (Phase.LOADING, Phase.READY)

    def _show_log(self, path: str) -> None:
        """Show a log that contains a place to go to. A log that is already open is not read again."""
        if path == self.document.path and self.document.phase in (Phase.LOADING, Phase.READY):
            self.listing = False
            self._refresh()
        else:
            self.open(path)

    def show_notice(self, notice: Notice) -> None:
        """Show a notice above the log, or in the list of logs."""
        if self.listing:
            self.logs.show_notice(notice)
        else:
            self.document.show_notice(notice)

    def show_repair(self) -> None:
        self.side.show_tab(self.side.repair)

    def preview_repair(self) -> None:
        """Show the changes of the repair, with the focus on the button that saves it."""
        self.side.show_tab(self.side.repair)
        self.side.repair.panel.focus_save()

    def _repair_for(self, profile: str) -> None:
        self.document.repair.choose_profile(profile)
        self.show_repair()
        self.activateWindow()

    def set_zoom(self, steps: int) -> None:
        self.zoom.set(steps)
        self._refresh()

    def focus_pane(self, step: int) -> None:
        log_list_widgets = (self.error_lookup_bar, self.logs.filter, self.logs.table)
        cycle_focus((*log_list_widgets, self.sessions, self.outline, self.findings, self.side), step)

    def _refresh(self) -> None:
        document = self.document
        for action, obstacle in self._availability.reasons(self.listing).items():
            is_changed = obstacle != self.window_actions.obstacle(action)
            if is_changed and self.statusBar().currentMessage() == self.window_actions[action].statusTip():
                self.statusBar().clearMessage()  # the pointer is on the action, and what was said of it is over
            self.window_actions.set_availability(action, obstacle)
        self.window_actions.set_checked(Action.HIDE_CONTENT, hiding.enabled)
        self.window_actions.set_checked(Action.FOLD_TOOLS, document.row_filter.folds_tools)
        self.window_actions.set_checked(Action.SHOW_CONTENT, hiding.is_lifted(document.path))
        self.window_actions.set_checked(Action.SHOW_CONTEXT, self.settings.show_context)
        self._help.setEnabled(not self.window_actions[Action.WHAT_IS_THIS].isEnabled())
        self.window_actions.set_target(Action.UNDO, document.repair.undo_stack.undoText())
        self.window_actions.set_target(Action.REDO, document.repair.undo_stack.redoText())
        # The panes are also shown while nothing of the log can be shown yet: they say that it is being read.
        busy = document.phase in (Phase.LOADING, Phase.READY)
        self._show_page(self.logs if self.listing else self._workspace if busy else self.welcome)
        self._bar.setVisible(document.notice is not None and self._stack.currentWidget() is self._workspace)
        self.statusBar().setVisible(not self.listing)
        name = list_title(self.log_list) if self.listing else self._log_title()
        set_window_title(self, f"{name} – {PROGRAM_NAME}" if name else PROGRAM_NAME)

    def _show_page(self, page: QWidget) -> None:
        """Show a page. Where the focus was on the previous one, it moves to the rows: no hidden control gets keys."""
        focus, is_new = self.focusWidget(), page is not self._stack.currentWidget()
        had_focus = focus is not None and self._stack.isAncestorOf(focus)
        self._stack.setCurrentWidget(page)
        if is_new and had_focus and page is not self.welcome:
            set_focus_in(self.logs if page is self.logs else self.outline)

    def _log_title(self) -> str:
        """Return the name of the log, with the number of choices that are not saved."""
        name, unsaved = hiding.display_name(self.document.path), self.kept_choices.unsaved
        if not unsaved:
            return name
        return tr_plural("{name}: {number:,} unsaved choice", "{name}: {number:,} unsaved choices", unsaved, name=name)

    def _on_choices_kept(self, path: str) -> None:
        self.logs_model.refresh_titles()
        self._refresh()

    def _may_lose_choices(self) -> bool:
        """Return whether the log may be left. This is only asked where its choices cannot be kept."""
        lost = self.kept_choices.would_be_lost
        return not lost or self.prompts.confirm_losing_choices(lost)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.error_lookup_bar.set_room(self.height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_stack"):
            # The widgets get the new palette after this event.
            QTimer.singleShot(0, self, self._redraw)

    def _redraw(self) -> None:
        """Draw in the colours of the theme what was drawn in those of another one."""
        self.window_actions.refresh_icons()
        self.error_lookup_bar.refresh()
        self.verdict.refresh()
        self.welcome.refresh()
        self.side.repair.panel.outcome.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.listing:  # else the first control would get the focus, the button that stops the search
            set_focus_in(self.logs)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # The widgets inside have not used the key.
        if event.key() != Qt.Key.Key_Escape or not self._close_innermost():
            super().keyPressEvent(event)

    def _close_innermost(self) -> bool:
        """Close the innermost of what Escape closes: a strip above the tree, else the bar about a pasted error."""
        strip = next((each for each in (self.outline.go_to_strip, self.outline.find_strip) if each.isVisible()), None)
        if strip is not None:
            strip.close_strip()
        elif self.error_lookup_bar.isVisible():
            self.error_lookup.dismiss()
        else:
            return False
        return True

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.operations.paste.accepts(event.mimeData()):
            event.acceptProposedAction()
            self._drop_highlight.cover()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._drop_highlight.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._drop_highlight.hide()
        if self.operations.paste.accepts(event.mimeData()):
            event.acceptProposedAction()
            self.operations.paste.insert(event.mimeData())

    def _make_panes(self) -> None:
        document, settings = self.document, self.settings
        self.welcome = WelcomePage(document, settings, self._recent_logs, self.window_actions, self)
        self.welcome.error_given.connect(self.operations.paste.insert)
        self.welcome.sample_wanted.connect(self.show_path)
        self.welcome.open_wanted.connect(self.ask_and_open)
        self.welcome.folder_wanted.connect(self.ask_and_list)
        self.welcome.stores_wanted.connect(lambda: self.show_list(()))
        self.logs_model = LogsModel(self.log_list, self.log_marks, self, self.kept_choices.unsaved_in)
        self.logs = LogsPage(self.log_list, self.logs_model, settings, self)
        self.logs.open_wanted.connect(self.open)
        self._bar = MessageBar(document, self)
        self.error_lookup_bar = ErrorLookupBar(self.error_lookup, self)
        self.verdict = VerdictPanel(document, self.window_actions, self)
        self.verdict.preview_wanted.connect(self.preview_repair)
        self.sessions = LogsAndSessionsPanel(document, self.logs_model, self.window_actions, self)
        self.sessions.open_wanted.connect(self.open)
        self.outline = OutlinePanel(document, settings, self.window_actions, self.bookmarks, self)
        # The button of the bar is gone then, and the focus must not go to the next one, which starts the repair.
        self._bar.new_records_shown.connect(lambda: set_focus_in(self.outline))
        self.findings = FindingsPanel(document, self)
        self.page = RuleWindow(document.process, self)
        self.findings.page_wanted.connect(self.page.open)
        self.acceptance = AcceptanceWindow(document, self)
        self.acceptance.page_wanted.connect(self.page.open)
        self.acceptance.repair_wanted.connect(self._repair_for)
        self.lists = ContentListsWindow(document, self)
        self.sent = ResumeRequestWindow(document, self.prompts, self)
        self.side = SidePanel(document, self.window_actions, settings, self.prompts, self)
        self.side.currentChanged.connect(
            lambda _: self.verdict.set_beside_repair(self.side.currentWidget() is self.side.repair)
        )
        self.side.repair.saved.copied.connect(self.verdict.show_copied)
        self.side.repair.saved.restore_wanted.connect(self.operations.restore.restore)

    def _fill_menus_of_lists(self) -> None:
        for view, entries in (
            (self.outline.view, OUTLINE_ACTIONS),
            (self.findings.view, FINDING_ACTIONS),
            (self.side.repair.panel.changes.view, CHANGE_LIST_ACTIONS),
            (self.logs.table, LOG_LIST_ACTIONS),
            (self.sessions.logs_view, LOG_LIST_ACTIONS),
            (self.sessions.view, FINDING_ACTIONS),
        ):
            add_actions(view, self.window_actions, entries)
        self.shortcuts = ShortcutsWindow(self.window_actions, self)
        # While no finding is current, the help key shows the list of keyboard shortcuts.
        self._help = QShortcut(QKeySequence("F1"), self, self.shortcuts.ask)

    def _lay_out(self) -> None:
        middle = (self.outline, self.findings)
        self._workspace = Workspace(self.verdict, self.sessions, middle, self.side, self)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.welcome)
        self._stack.addWidget(self.logs)
        self._stack.addWidget(self._workspace)
        self._drop_highlight = DropHighlight(self._stack)
        central = QWidget(self)
        # The notice comes unasked, so it stands where it moves neither the verdict nor the tree.
        stack_vertically(central, self.error_lookup_bar, self._stack, self._bar, grows=self._stack)
        self.setCentralWidget(central)

    def _restore_arrangement(self) -> None:
        fit_to_screen(self, self.size() if self.restoreGeometry(self.settings.state("geometry")) else _SIZE)
        self._workspace.restore_layout(self.settings)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close the window, or while something is written wait for that, and ask when it is closed once more."""
        is_confirmed = self._is_writing and self._closes_when_written and self.prompts.confirm_close_during_save()
        if self._is_writing and not is_confirmed:  # the save may have ended while the question was open
            self._closes_when_written = True
            self.document.show_notice(Notice(tr("The window will close when the save is finished.")))
            event.ignore()
            return
        if not self._may_lose_choices():
            event.ignore()
            return
        self.settings.set_state("geometry", self.saveGeometry())
        self._workspace.save_layout(self.settings)
        self.document.close()
        self.log_list.close()
        self.error_lookup.close()
        self._recent_logs.stop()
        if is_confirmed:
            stored_data.discard_unfinished_files()
        super().closeEvent(event)

    def _on_log_written(self, path: str, saved: SaveResult) -> None:
        """Show in the list what was saved, and which log was repaired."""
        if saved.made == "repaired" and Path(saved.path) != Path(path):
            # A session that the agent resumes stays where it is. A copy may be moved.
            self.log_marks.add([path], LogWorkMark.REPAIRED, saved.path if saved.command else "")
        self.log_list.refresh()

    @property
    def _is_writing(self) -> bool:
        return any(process.is_writing for process in self._processes)

    def _on_written(self) -> None:
        if self._closes_when_written and not self._is_writing:
            self.close()

    def _on_write_failed(self, failure: RequestFailure) -> None:
        """Stay open: the person has to see why nothing was written."""
        if failure.died or (failure.request is not None and failure.request.if_interrupted):
            self._closes_when_written = False


def make_commands(window: MainWindow) -> CommandTable:
    """Return the command of each action.

    A command looks up its pane when it runs: the actions are created before the panes.
    """
    return {
        **_log_commands(window),
        **_navigation_commands(window),
        **_repair_commands(window),
        **_pane_commands(window),
    }


def _save(window: MainWindow, mode: str) -> None:
    """Save the repair of the open log, or repaired copies of the selected logs."""
    if window.listing:
        window.operations.selected.write("copy")
    else:
        window.operations.save.save(mode)


def _share(window: MainWindow, product: LogProduct) -> None:
    """Write a bundle, or a repair to send back, of the open log or of the selected logs."""
    if window.listing:
        window.operations.selected.write(product)
    elif product == "bundle":
        window.operations.share.make_bundle()
    else:
        window.operations.share.send_back()


def _log_commands(window: MainWindow) -> CommandTable:
    """Return the commands that open, read and share logs."""
    return {
        Action.OPEN: lambda: window.ask_and_open(),
        Action.OPEN_FOLDER: lambda: window.ask_and_list(),
        Action.SHOW_STORES: lambda: window.show_list(()),
        Action.SHOW_LIST: lambda: window.go_back_to_list(),
        Action.RELOAD: lambda: window.log_list.restart() if window.listing else window.document.reload(),
        Action.CANCEL: window.stop,
        Action.PASTE: lambda: window.operations.paste.paste(),
        Action.PASTE_ERROR: lambda: window.operations.paste.ask(),
        Action.COPY_REPORT: lambda: window.operations.report.copy(window.listing),
        Action.REPORT: lambda: window.operations.report.open_dialog(window.listing),
        Action.BUNDLE: lambda: _share(window, "bundle"),
        Action.SEND_BACK: lambda: _share(window, "send-back"),
        Action.FORGET: lambda: window.operations.forget.ask(),
        Action.HIDE_CONTENT: lambda: _toggle_hiding(window),
        Action.SHOW_CONTENT: lambda: hiding.set_lifted(
            window.document.path, not hiding.is_lifted(window.document.path)
        ),
    }


def _navigation_commands(window: MainWindow) -> CommandTable:
    """Return the commands that find, go to, show and copy parts of a log."""
    return {
        Action.FIND: lambda: window.logs.focus_filter() if window.listing else window.outline.find_strip.open(),
        Action.FIND_NEXT: lambda: window.outline.find_strip.submit(True),
        Action.FIND_PREVIOUS: lambda: window.outline.find_strip.submit(False),
        Action.FILTER: lambda: window.logs.focus_filter() if window.listing else window.outline.filter_strip.ask(),
        Action.LISTS: lambda: window.lists.open(),
        Action.GO_TO: lambda: window.outline.go_to_strip.open(),
        Action.BACK: lambda: window.travel(False),
        Action.FORWARD: lambda: window.travel(True),
        Action.NEXT_FINDING: lambda: window.document.step_finding(True),
        Action.PREVIOUS_FINDING: lambda: window.document.step_finding(False),
        Action.FOLLOW_PAIR: lambda: window.document.navigator.follow_pair(),
        Action.WHAT_IS_THIS: lambda: window.findings.ask_for_page(),
        Action.EXPAND_BELOW: lambda: window.outline.expand_below(),
        Action.COLLAPSE_ALL: lambda: window.outline.collapse_all(),
        Action.SHOW_ASIDES: lambda: window.outline.toggle_inactive_branches(),
        Action.FOLD_TOOLS: lambda: window.document.row_filter.fold_tools(not window.document.row_filter.folds_tools),
        Action.BOOKMARK: lambda: window.bookmarks.toggle(),
        Action.NOTE: lambda: _write_note(window),
        Action.COPY_TEXT: lambda: window.side.details.copy(CopyFormat.TEXT),
        Action.COPY_JSON: lambda: window.side.details.copy(CopyFormat.JSON),
        Action.COPY_BYTES: lambda: window.side.details.copy(CopyFormat.BYTES),
    }


def _repair_commands(window: MainWindow) -> CommandTable:
    """Return the commands that change a repair, and that write it or another copy."""
    return {
        Action.CHOOSE_STRATEGY: lambda: window.findings.decide(),
        Action.REJECT_CHANGE: lambda: window.document.repair.reject(window.document.selection.change),
        Action.ACCEPT_CHANGE: lambda: window.document.repair.accept(window.document.selection.change),
        Action.UNDO: lambda: window.document.repair.undo_stack.undo(),
        Action.REDO: lambda: window.document.repair.undo_stack.redo(),
        Action.REVERT: lambda: window.document.repair.revert(),
        Action.WHO_ACCEPTS: lambda: window.acceptance.open(),
        Action.WHAT_IS_SENT: lambda: window.sent.open(),
        Action.RESULTS_FROM: lambda: window.operations.repair.take_results(),
        Action.COMPARE: lambda: window.operations.repair.compare(),
        Action.UNDO_PLACEHOLDERS: lambda: window.operations.repair.undo_placeholders(),
        Action.TRIM: lambda: window.operations.copies.trim(),
        Action.CONTINUE_FROM: lambda: window.operations.copies.continue_from_here(),
        Action.CONVERT: lambda: window.operations.copies.convert(),
        Action.RESTORE: lambda: window.operations.restore.choose(window.settings.folder),
        **{action: partial(_save, window, mode) for action, mode in SAVE_MODES.items()},
    }


def _pane_commands(window: MainWindow) -> CommandTable:
    """Return the commands that concern the window itself."""
    return {
        Action.SHOW_DETAILS: lambda: window.side.show_tab(window.side.details),
        Action.SHOW_RAW: lambda: window.side.show_tab(window.side.raw),
        Action.SHOW_REPAIR: window.show_repair,
        Action.NEXT_PANE: lambda: window.focus_pane(1),
        Action.PREVIOUS_PANE: lambda: window.focus_pane(-1),
        Action.SETTINGS: lambda: _open_settings(window),
        Action.COMMANDS: lambda: window.commands.ask(),
        Action.SHORTCUTS: lambda: window.shortcuts.ask(),
        Action.ABOUT: lambda: window.prompts.about(describe_versions()),
        Action.SHOW_CONTEXT: lambda: _toggle_context(window),
        Action.ZOOM_IN: lambda: window.set_zoom(window.zoom.steps + 1),
        Action.ZOOM_OUT: lambda: window.set_zoom(window.zoom.steps - 1),
        Action.ZOOM_RESET: lambda: window.set_zoom(0),
        Action.QUIT: window.close,
    }


def _toggle_hiding(window: MainWindow) -> None:
    """Turn the hiding of content on or off, now and for later starts."""
    window.settings.hide_content = not hiding.enabled
    hiding.set_enabled(not hiding.enabled)


def _open_settings(window: MainWindow) -> None:
    actions = window.window_actions
    switches = (actions[Action.SHOW_CONTEXT], actions[Action.HIDE_CONTENT])
    dialog = SettingsDialog(
        window.settings, window.zoom.names(), window.set_zoom, switches, actions[Action.FORGET], window
    )
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


def _toggle_context(window: MainWindow) -> None:
    """Show or hide the strip above the tree, now and for later starts."""
    window.settings.show_context = not window.settings.show_context
    window.outline.context.refresh()


def _write_note(window: MainWindow) -> None:
    record = window.bookmarks.current_record
    note = window.prompts.note(window.bookmarks.note(record) or "")
    if note is not None:
        window.bookmarks.set_note(record, note)
