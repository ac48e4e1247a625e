"""What tests of the window get: settings of their own, a fake core, and no process left behind."""

import gc
import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.common import theme
from inspector.gui.common.settings import Settings
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Phase
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.core_dependencies import CoreDependencies
from tests.gui.fake_engine import FakeEngine, fake_engine, view_fake
from tests.gui.fake_questions import FakeQuestions
from tests.gui.quick_children import quick_children

PATIENCE_MS = 15_000


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path) -> None:
    """No test may read or change the settings of the person at this machine."""
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "settings"))


@pytest.fixture(autouse=True, scope="session")
def children() -> Iterator[None]:
    """Quick ones; `test_engine_process` has its own spawned."""
    with quick_children():
        yield


@pytest.fixture(autouse=True)
def garbage_is_collected_in_this_thread() -> Iterator[None]:
    """As `GarbageCollector` does: never in the thread that reads answers, which may run while a test does."""
    gc.disable()
    try:
        yield
    finally:
        gc.collect(1)
        gc.enable()


@pytest.fixture(autouse=True)
def no_process_left() -> Iterator[None]:
    """Every engine process that a test started has ended with it."""
    yield
    left = multiprocessing.active_children()
    for process in left:
        process.kill()
    assert not left


@pytest.fixture
def core() -> CoreDependencies:
    return CoreDependencies(fake_engine, view_fake, FakeEngine().head, os.path.isdir)


@pytest.fixture
def questions() -> FakeQuestions:
    return FakeQuestions()


@pytest.fixture
def document(qtbot: QtBot, core: CoreDependencies) -> Iterator[Document]:
    made = Document(core)
    yield made
    made.close()


@contextmanager
def shown(application: QApplication, core: CoreDependencies, questions: FakeQuestions) -> Iterator[MainWindow]:
    """A window without a style sheet, with which it takes three times as long to make, and that is gone afterwards."""
    application.setStyleSheet("")
    theme.apply("light", styled=False)
    made = MainWindow(core, Settings(), questions)
    made.resize(1200, 800)
    made.show()
    yield made
    if not made.close():  # something is still being written
        questions.sure = True
        made.close()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, core: CoreDependencies, questions: FakeQuestions) -> Iterator[MainWindow]:
    with shown(qapp, core, questions) as made:
        yield made


@pytest.fixture
def real_window(qtbot: QtBot, qapp: QApplication, questions: FakeQuestions) -> Iterator[MainWindow]:
    """A window over the real core."""
    with shown(qapp, CoreDependencies(), questions) as made:
        yield made


@pytest.fixture
def settle(qtbot: QtBot) -> Callable[[Document], None]:
    """Wait until a document is read and its repair is planned."""

    def wait(document: Document) -> None:
        qtbot.waitUntil(lambda: document.phase in (Phase.READY, Phase.FAILED), timeout=PATIENCE_MS)
        qtbot.waitUntil(lambda: not document.repair.planning and not document.saving, timeout=PATIENCE_MS)

    return wait
