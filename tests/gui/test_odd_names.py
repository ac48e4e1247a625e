"""Files whose names are no UTF-8: they are opened, listed, saved and remembered like any other."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QCommandLinkButton
from pytestqt.qtbot import QtBot

from inspector.core.discovery.log_entry import LogEntry
from inspector.core.presentation.engine_results import SaveResult
from inspector.core.repair.choices import Choices
from inspector.core.storage.json_text import hide_surrogates, restore_surrogates
from inspector.gui.common.settings import Settings
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Phase
from inspector.gui.state.log_list_loader import LoadStep
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.protocol import decode_value, encode_value
from inspector.gui.worker.requests import SAVE_REPAIR
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_small

ODD = "a\udcff\udc9b.jsonl"
SHOWN = "a\\udcff\\udc9b.jsonl"
# Of these an escaped text is made.
ANY_TEXT = st.text(st.sampled_from("a\udcff\ud800\U0010fffd\U0010dcff文"), max_size=8)


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    try:
        return write_small(tmp_path / ODD)
    except OSError:
        pytest.skip("this file system has no such names")


@given(ANY_TEXT)
def test_any_text_comes_back_from_its_escape(text: str) -> None:
    assert restore_surrogates(hide_surrogates(text)) == text
    hide_surrogates(text).encode()


def test_valid_text_is_its_own_escape() -> None:
    assert hide_surrogates("/home/mei/日志.jsonl") == "/home/mei/日志.jsonl"


@given(ANY_TEXT)
def test_any_text_crosses_the_pipe(text: str) -> None:
    for value in (
        Choices(rules={text: text}),
        [LogEntry(text, text, "", "", text, 1.5, 2)],
        SaveResult(path=text, backup="", quarantine="", steps=(text,), command="", verdict=""),
    ):
        kind = list[LogEntry] if isinstance(value, list) else type(value)
        assert decode_value(encode_value(value), kind) == value


def test_such_a_log_is_opened_repaired_and_saved(document: Document, settle: Callable[..., None], odd: Path) -> None:
    document.open(str(odd))
    settle(document)
    assert (document.phase, document.notice) == (Phase.READY, None)
    assert document.log is not None
    assert document.log.overview.path == str(odd)
    document.write(SAVE_REPAIR, document.repair.choices, "copy", str(odd.with_name("b\udcff.jsonl")))
    settle(document)
    assert document.saved is not None
    assert document.saved.path.endswith("b\udcff.jsonl")


def test_what_cannot_be_read_is_said_with_its_name(document: Document, settle: Callable[..., None], odd: Path) -> None:
    document.open(str(odd.with_name("gone\udcff.jsonl")))
    settle(document)
    assert document.phase == Phase.FAILED
    assert document.notice is not None
    assert "gone\udcff.jsonl cannot be read" in document.notice.sentence


def test_a_folder_lists_it_among_the_others(qtbot: QtBot, window: MainWindow, odd: Path) -> None:
    write_small(odd.with_name("b.jsonl"))
    window.open(str(odd.parent))

    def is_listed() -> None:
        assert (window.log_list.step, window.log_list.sentence) == (LoadStep.DONE, "")

    qtbot.waitUntil(is_listed, timeout=PATIENCE_MS)
    assert {Path(log.path).name for log in window.log_list.logs} == {ODD, "b.jsonl"}
    assert [verdict.verdict for verdict in window.log_list.verdicts if verdict] == ["broken", "broken"]


def test_it_is_remembered_and_shown(window: MainWindow, settle: Callable[..., None], odd: Path) -> None:
    window.open(str(odd))
    settle(window.document)
    assert window.windowTitle() == f"{SHOWN} – Transcript Inspector"
    assert Settings().recent == [str(odd)]
    window.welcome.refresh()
    button = window.welcome.findChildren(QCommandLinkButton)[0]
    assert button.text() == SHOWN
    opened: list[str] = []
    window.welcome.open_wanted.connect(opened.append)
    button.click()
    assert opened == [str(odd)]


def test_the_folder_of_one_is_remembered() -> None:
    Settings().folder = "/tmp/\udcff"
    assert Settings().folder == "/tmp/\udcff"


def test_it_can_be_dropped(window: MainWindow, settle: Callable[..., None], odd: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromEncoded(odd.as_uri().encode())])
    window.operations.paste.insert(data)
    settle(window.document)
    assert window.document.path == str(odd)
    assert window.document.phase == Phase.READY
