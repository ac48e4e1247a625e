"""What each action of the window does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from inspector.gui.basics.action_table import Action
from inspector.gui.basics.hiding import hiding
from inspector.gui.details.copying import Copy
from inspector.gui.flows.save_flow import SAVE_MODES
from inspector.gui.main_window.help import versions

if TYPE_CHECKING:
    from inspector.gui.main_window.window import MainWindow

Commands: TypeAlias = dict[Action, Callable[[], object]]


def commands(window: MainWindow) -> Commands:
    """By action. Panes are asked for when an action is carried out: there are none yet when actions are made."""
    return {**_of_logs(window), **_of_places(window), **_of_repairs(window), **_of_panes(window)}


def _of_logs(window: MainWindow) -> Commands:
    """Opening and reading logs, and what is passed on of them."""
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
        Action.BUNDLE: lambda: window.operations.share.make_bundle(),
        Action.SEND_BACK: lambda: window.operations.share.send_back(),
        Action.FORGET: lambda: window.operations.forget.ask(),
        Action.HIDE_CONTENT: lambda: _switch_hiding(window),
        Action.SHOW_CONTENT: lambda: hiding.set_lifted(
            window.document.path, not hiding.is_lifted(window.document.path)
        ),
    }


def _of_places(window: MainWindow) -> Commands:
    """Finding what is in a log, going there and looking at it."""
    return {
        Action.FIND: lambda: window.outline.find_strip.open(),
        Action.FIND_NEXT: lambda: window.outline.find_strip.submit(True),
        Action.FIND_PREVIOUS: lambda: window.outline.find_strip.submit(False),
        Action.FILTER: lambda: window.outline.filter_strip.ask(),
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
        Action.BOOKMARK: lambda: window.bookmarks.toggle(),
        Action.NOTE: lambda: _write_note(window),
        Action.COPY_TEXT: lambda: window.side.details.copy(Copy.TEXT),
        Action.COPY_JSON: lambda: window.side.details.copy(Copy.JSON),
        Action.COPY_BYTES: lambda: window.side.details.copy(Copy.BYTES),
    }


def _of_repairs(window: MainWindow) -> Commands:
    """Deciding about a repair, and writing it or another copy."""
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
        Action.CONVERT: lambda: window.operations.copies.convert(),
        Action.RESTORE: lambda: window.operations.restore.choose(window.settings.folder),
        **{action: partial(_save, window, mode) for action, mode in SAVE_MODES.items()},
    }


def _of_panes(window: MainWindow) -> Commands:
    """The window itself."""
    return {
        Action.SHOW_DETAILS: lambda: window.side.show_tab(window.side.details),
        Action.SHOW_RAW: lambda: window.side.show_tab(window.side.raw),
        Action.SHOW_REPAIR: window.show_repair,
        Action.NEXT_PANE: lambda: window.focus_pane(1),
        Action.PREVIOUS_PANE: lambda: window.focus_pane(-1),
        Action.SHORTCUTS: lambda: window.shortcuts.ask(),
        Action.ABOUT: lambda: window.prompts.about(versions()),
        Action.QUIT: window.close,
    }


def _save(window: MainWindow, mode: str) -> None:
    window.operations.save.save(mode)


def _switch_hiding(window: MainWindow) -> None:
    """Hide what logs say, or show it, from now on."""
    window.settings.hide_content = not hiding.enabled
    hiding.set_enabled(not hiding.enabled)


def _write_note(window: MainWindow) -> None:
    record = window.bookmarks.current_record
    note = window.prompts.note(window.bookmarks.note(record) or "")
    if note is not None:
        window.bookmarks.set_note(record, note)
