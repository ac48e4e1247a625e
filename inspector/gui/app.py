"""Starts the window, or draws it as an image."""

import gc
import os
import sys
import traceback
from types import TracebackType

from PySide6.QtCore import QEventLoop, QMessageLogContext, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QMessageBox

from inspector.core.translation import tr
from inspector.gui.common import theme
from inspector.gui.common.qt_helpers import GarbageCollector
from inspector.gui.common.safe_text import make_message_box
from inspector.gui.common.settings import Settings
from inspector.gui.state.load_status import Phase
from inspector.gui.state.log_list_loader import LoadStep
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.core_dependencies import CoreDependencies
from inspector.version import PROGRAM_NAME

_SETTLE_TIMEOUT_MS = 120_000
_SETTLE_MS = 150
_SIZE = (1440, 900)
_STANDARD_INPUT = "-"


def run(paths: list[str]) -> int:
    """Open a window with a log, a list of several paths, or nothing. Return the exit code."""
    application = make_application()
    sys.excepthook = _ExceptionHook()
    settings = Settings()
    theme.apply(settings.theme, styled=False)
    contents = paths_by_window(paths)
    windows = [MainWindow(CoreDependencies(), settings) for _ in contents]
    theme.apply(settings.theme)
    application.styleHints().colorSchemeChanged.connect(lambda _: theme.apply(settings.theme))
    # What exists now lives to the end, so the garbage collector need not scan it while a log is being read.
    gc.freeze()
    GarbageCollector(application)
    for window, opened in zip(windows, contents, strict=True):
        if opened:
            window.open_all(opened)
        window.show()
    return application.exec()


def paths_by_window(paths: list[str]) -> list[list[str]]:
    """Return the paths that each window opens, each path once: all files in one window, and standard input in another.

    Without paths, there is one empty window. Several paths form one list, like a drop of several items, and are
    therefore absolute. Standard input cannot be listed, because it can be read only once.
    """
    files = [path for path in dict.fromkeys(paths) if path != _STANDARD_INPUT]
    if len(files) > 1:
        files = list(dict.fromkeys(map(os.path.abspath, files)))
    return [group for group in (files, [_STANDARD_INPUT] if _STANDARD_INPUT in paths else []) if group] or [[]]


def screenshot(path: str, out: str, core: CoreDependencies | None = None, mode: str = "light") -> int:
    """Draw the window with a log open, or a folder listed, into a picture.

    Returns the exit code: 0 when the log could be read and the picture written, else 2.
    """
    qInstallMessageHandler(_print_qt_message)
    make_application()
    theme.apply(mode)
    window = MainWindow(core or CoreDependencies(), Settings())
    window.resize(*_SIZE)
    window.show()
    window.show_path(path)
    _wait_until_settled(window)
    if len(window.document.log.findings) if window.document.log else 0:
        window.side.show_tab(window.side.repair)
        window.outline.view.setFocus()
    _run_event_loop(_SETTLE_MS)
    written = window.grab().save(out)
    complete = window.document.phase == Phase.READY or window.log_list.step == LoadStep.DONE
    window.document.close()
    window.log_list.close()
    window.deleteLater()
    return 0 if written and complete else 2


def make_application() -> QApplication:
    """Return the application object, named so that its settings are found again."""
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    application.setOrganizationName(PROGRAM_NAME)
    application.setApplicationName(PROGRAM_NAME)
    application.setApplicationDisplayName("")
    application.setDesktopFileName("transcript-inspector")
    application.setStyle("fusion")
    application.setWindowIcon(QIcon(str(theme.resources_folder() / "icons" / "app.svg")))
    return application


def _wait_until_settled(window: MainWindow) -> None:
    """Wait until the log is read and its repair planned, the list is checked, or the timeout has passed."""
    loop, document, log_list = QEventLoop(), window.document, window.log_list

    def busy() -> bool:
        return document.phase == Phase.LOADING or document.repair.planning or log_list.busy

    def settled() -> None:
        if not busy():
            loop.quit()

    for signal in (document.state_changed, document.repair.plan_changed, log_list.changed):
        signal.connect(settled)
    QTimer.singleShot(_SETTLE_TIMEOUT_MS, loop, loop.quit)
    if busy():
        loop.exec()


def _print_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    # The offscreen platform complains about every window, and the caller cannot do anything about it.
    if "propagateSizeHints" not in message:
        print(message, file=sys.stderr)


def _run_event_loop(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop, loop.quit)
    loop.exec()


class _ExceptionHook:
    """An exception hook that shows the first internal error in a dialog. Later errors go to the terminal only."""

    def __init__(self) -> None:
        self._shown = False

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        traceback.print_exception(kind, error, trace)
        if self._shown or issubclass(kind, KeyboardInterrupt):
            return
        self._shown = True
        sentence = tr("An internal error occurred. Nothing was saved. You can continue or restart the program.")
        make_message_box(QMessageBox.Icon.Critical, PROGRAM_NAME, sentence, f"{kind.__name__}: {error}").exec()
