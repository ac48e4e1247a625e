"""What tests of the window get: settings of their own, a fake core, and no process left behind."""

import multiprocessing
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from inspector.gui.basics import theme
from inspector.gui.basics.settings import Settings
from inspector.gui.document.document import Document
from inspector.gui.document.state import Phase
from inspector.gui.main_window.window import MainWindow
from inspector.gui.process.backend import Backend
from tests.gui.fake_engine import FakeEngine, fake_engine, view_fake
from tests.gui.fake_questions import FakeQuestions

PATIENCE_MS = 15_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The offscreen platform warns about what it cannot do; nothing can be done about it.
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support", extend=True))


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path) -> None:
    """No test may read or change the settings of the person at this machine."""
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "settings"))


@pytest.fixture(autouse=True)
def no_process_left() -> Iterator[None]:
    """Every engine process that a test started has ended with it."""
    yield
    left = multiprocessing.active_children()
    for process in left:
        process.kill()
    assert not left


@pytest.fixture
def backend() -> Backend:
    return Backend(fake_engine, view_fake, FakeEngine().head, os.path.isdir)


@pytest.fixture
def questions() -> FakeQuestions:
    return FakeQuestions()


@pytest.fixture
def document(qtbot: QtBot, backend: Backend) -> Iterator[Document]:
    made = Document(backend)
    yield made
    made.close()


@pytest.fixture
def window(qtbot: QtBot, backend: Backend, questions: FakeQuestions) -> Iterator[MainWindow]:
    theme.apply("light")
    made = MainWindow(backend, Settings(), questions)
    made.resize(1200, 800)
    made.show()
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def real_window(qtbot: QtBot, questions: FakeQuestions) -> Iterator[MainWindow]:
    """A window over the real core."""
    theme.apply("light")
    made = MainWindow(Backend(), Settings(), questions)
    made.resize(1200, 800)
    made.show()
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def settle(qtbot: QtBot) -> Callable[[Document], None]:
    """Wait until a document is read and its repair is planned."""

    def wait(document: Document) -> None:
        qtbot.waitUntil(lambda: document.phase in (Phase.READY, Phase.FAILED), timeout=PATIENCE_MS)
        qtbot.waitUntil(lambda: not document.repair.planning and not document.saving, timeout=PATIENCE_MS)

    return wait
