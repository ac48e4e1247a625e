"""What a log, a path or an error says is shown as its letters: no widget takes it for HTML, a key or an instruction."""

import ast
import json
import os
from array import array
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPoint, Qt
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QCommandLinkButton, QLabel, QMenu, QMessageBox, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from inspector.core.analysis.evidence_search import Evidence, EvidenceOfOpenCalls
from inspector.core.analysis.tool_effects import ToolEffect
from inspector.core.discovery.log_entry import LogEntry
from inspector.core.formats.base.call_evidence import EvidenceItem, EvidenceStrength
from inspector.core.model.views import RecordLocation
from inspector.core.presentation.engine_results import (
    Acceptance,
    ConvertNote,
    LogDifference,
    LogVerdict,
    LookupPlace,
    PreviewRow,
    RequestPreviewBlock,
    ResultInOtherLog,
)
from inspector.core.repair.choices import Choices
from inspector.gui.common.safe_text import escape_caption, make_message_box, safe_tooltip, set_window_title
from inspector.gui.common.settings import Settings
from inspector.gui.models import list_columns as lists
from inspector.gui.models.base import TableModel, TableSpec
from inspector.gui.models.changes_model import ChangesModel
from inspector.gui.models.findings_model import FindingsModel
from inspector.gui.models.logs_model import LogsModel
from inspector.gui.models.outline_model import OutlineModel
from inspector.gui.models.resume_request_model import ResumeRequestModel
from inspector.gui.state.log_list_loader import LogListLoader
from inspector.gui.state.log_work_marks import LogWorkMarks
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.core_dependencies import CoreDependencies
from inspector.gui.worker.packed_answers import pack_evidence, pack_resume_request
from tests.gui.fake_engine import FakeEngine, fake_engine
from tests.gui.test_models import Strategies, opened, planned, reader
from tests.support.paths import ROOT

STEERING = "\x1b[2J\x08\x9b\u202egpj\u2066\u061c"
HOSTILE = f'<img src="file:///x"><table><b>bold</b> &lt;i> {STEERING} a&b'
STEERS = {chr(code) for code in (*range(32), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F)} - {"\n"}
STEERS |= {chr(code) for code in (*range(0x2028, 0x202F), *range(0x2066, 0x206A), *range(0xD800, 0xE000))}
HERE = RecordLocation(0, 1)

GUI = ROOT / "inspector" / "gui"
SOURCES = sorted(path.relative_to(GUI).as_posix() for path in GUI.rglob("*.py"))
# What Qt reads more into than its letters, or has no plain form at all.
BEHIND_THE_GATE = {
    "QLabel", "setToolTip", "setWhatsThis", "setWindowTitle", "setInformativeText", "setDetailedText", "showText",
}  # fmt: skip
NOWHERE = {
    "setHtml", "setMarkdown", "insertHtml", "appendHtml", "QTextBrowser", "QTextDocument", "QErrorMessage", "RichText",
    "AutoText", "MarkdownText", "setOpenExternalLinks",
}  # fmt: skip

# Whose document is never laid out or shown; `test_details` holds what comes out of it.
MARKDOWN_GATE = {"common/markdown.py": {"setMarkdown", "QTextDocument"}}


@cache
def tree_of(source: str) -> ast.AST:
    return ast.parse((GUI / source).read_text("utf-8"))


def names_in(node: ast.AST) -> set[str]:
    found = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    return found | {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


@pytest.mark.parametrize("source", SOURCES)
def test_no_widget_gets_a_text_past_the_gate(source: str) -> None:
    used = names_in(tree_of(source))
    assert not used & NOWHERE - MARKDOWN_GATE.get(source, set())
    assert source == "common/safe_text.py" or not used & BEHIND_THE_GATE


@pytest.mark.parametrize("source", SOURCES)
def test_message_boxes_are_made_by_the_gate(source: str) -> None:
    """Elsewhere only the names of icons, roles and buttons are needed of the class."""
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.Call) and source != "common/safe_text.py":
            called = ast.unparse(node.func)
            assert called.split(".")[0] != "QMessageBox"


def tip_answers(tree: ast.AST) -> Iterator[ast.AST]:
    """What stands where a tooltip is asked for: the bodies of branches on the role, and what is set under it."""
    for node in ast.walk(tree):
        if (isinstance(node, ast.match_case) and "ToolTipRole" in names_in(node.pattern)) or (
            isinstance(node, ast.If) and "ToolTipRole" in names_in(node.test)
        ):
            yield from (each for line in node.body for each in ast.walk(line) if isinstance(each, ast.Return))
        elif isinstance(node, ast.Call) and any("ToolTipRole" in names_in(each) for each in node.args):
            yield node.args[1]


@pytest.mark.parametrize("source", SOURCES)
def test_every_tooltip_of_a_list_comes_through_the_gate(source: str) -> None:
    tree = tree_of(source)
    answers = [each.value if isinstance(each, ast.Return) else each for each in tip_answers(tree)]
    assert all(isinstance(each, ast.Call) and ast.unparse(each.func) == "safe_tooltip" for each in answers)
    assert bool(answers) == ("ToolTipRole" in names_in(tree))


LIKE_HTML = st.lists(st.sampled_from(("<", ">", "&lt;", "&", "img", "b", "!doc", "?xml", "/", " ", "\n", "\u2060")))


@given(LIKE_HTML.map("".join) | st.text(max_size=40))
@example("<img src=x>")
@example("<!doctype html>")
@example("<?xml version='1.0'?><p>")
@example("&lt;b>")
@example(" \n<table>")
@example("<\u2060b><b>")
def test_no_text_becomes_a_rich_tooltip(text: str) -> None:
    shown = safe_tooltip(text) or ""
    assert not GuiQt.mightBeRichText(shown)
    assert not set(shown) & (STEERS - {"\t"})


def test_a_tip_keeps_its_letters() -> None:
    text = "a < b && c > d, 文件\nand <b>so</b> on"
    assert (safe_tooltip(text) or "").replace("\u2060", "") == text
    assert safe_tooltip("") is None


# every model


def outline(tmp_path: Path) -> QAbstractItemModel:
    log = opened(hostile_log(tmp_path / "a.jsonl"))[0]
    model = OutlineModel()
    model.show(log, reader(log))
    return model


def findings(tmp_path: Path) -> QAbstractItemModel:
    model = FindingsModel(Strategies())
    model.show(opened(hostile_log(tmp_path / "a.jsonl"))[0])
    return model


def changes(tmp_path: Path) -> QAbstractItemModel:
    _, engine, ids = opened(hostile_log(tmp_path / "a.jsonl"))
    change = PreviewRow(mark="rejected", record=0, line=1, role=HOSTILE, summary=HOSTILE, reason=HOSTILE)
    planned_changes = replace(engine.preview(Choices()), changes=(change,))
    engine.preview = lambda choices: planned_changes  # type: ignore[method-assign]
    model = ChangesModel()
    model.show(planned(engine, ids))
    return model


def logs(tmp_path: Path) -> QAbstractItemModel:
    survey = LogListLoader(CoreDependencies(fake_engine))
    model = LogsModel(survey, LogWorkMarks(Settings()))
    model.kept = survey  # type: ignore[attr-defined]
    survey.restarted.emit()
    survey.logs.append(LogEntry(f"/x/{HOSTILE}\udcff", "fake", HOSTILE, HOSTILE, HOSTILE, 0, 1))
    survey.verdicts.append(LogVerdict("unreadable", HOSTILE))
    survey.listed.emit(survey.logs)
    return model


def sessions(tmp_path: Path) -> QAbstractItemModel:
    session = opened(hostile_log(tmp_path / "a.jsonl"))[0].overview.sessions[0]
    model = TableModel(lists.SESSIONS_TABLE)
    model.show(lists.session_rows((replace(session, title=HOSTILE, sentence=HOSTILE, id=HOSTILE),)))
    return model


def acceptance(tmp_path: Path) -> QAbstractItemModel:
    model = TableModel(lists.ACCEPTANCE_TABLE)
    model.show([("anthropic", Acceptance(False, "D2", HOSTILE, HOSTILE, HERE, 1))])
    return model


def convert_notes(tmp_path: Path) -> QAbstractItemModel:
    model = TableModel(lists.CONVERT_NOTES_TABLE)
    model.show(lists.convert_note_rows((ConvertNote("skipped", HOSTILE, HOSTILE, 0, HOSTILE),), array("q", [1])))
    return model


def result_offers(tmp_path: Path) -> QAbstractItemModel:
    model = TableModel(lists.RESULT_OFFERS_TABLE)
    texts = dict.fromkeys(("call_id", "tool", "path", "sentence", "text"), HOSTILE)
    model.show((ResultInOtherLog(place=HERE, at=HERE, **texts),))
    return model


def log_differences(tmp_path: Path) -> QAbstractItemModel:
    model = TableModel(lists.LOG_DIFFERENCES_TABLE)
    model.show((LogDifference(kind="changed", first=HERE, second=HERE, role=HOSTILE, summary=HOSTILE),))
    return model


def open_calls(tmp_path: Path) -> QAbstractItemModel:
    log, _, ids = opened(hostile_log(tmp_path / "a.jsonl"))
    known = {ids[0]: Evidence("ran", (), ToolEffect.SHELL, HOSTILE, HOSTILE)}
    model = TableModel(lists.OPEN_CALLS_TABLE)
    model.show(lists.open_side_effect_rows(log, pack_evidence(EvidenceOfOpenCalls(known, (ids[0],)), ids)))
    return model


def lookup_places(tmp_path: Path) -> QAbstractItemModel:
    place = LookupPlace(path=f"/x/{HOSTILE}\udcff", place=HERE, how="id", sentence=HOSTILE)
    model = TableModel(lists.LOOKUP_PLACES_TABLE)
    model.show((place,))
    return model


def resume_request(tmp_path: Path) -> QAbstractItemModel:
    engine = FakeEngine()
    engine.open(str(hostile_log(tmp_path / "a.jsonl")))
    block = RequestPreviewBlock(mark="kept", message=0, role=HOSTILE, kind="text", name=HOSTILE, text=HOSTILE)
    model = ResumeRequestModel()
    model.show(pack_resume_request(replace(engine.resume_request(None), blocks=(block,))), array("q", [1]))
    return model


def evidence(tmp_path: Path) -> QAbstractItemModel:
    model = TableModel(lists.EVIDENCE_TABLE)
    model.show((EvidenceItem(EvidenceStrength.STARTED, HOSTILE),))
    return model


MODELS: tuple[Callable[[Path], QAbstractItemModel], ...] = (
    outline, findings, changes, logs, sessions, acceptance, convert_notes, result_offers, open_calls, lookup_places,
    resume_request, evidence, log_differences,
)  # fmt: skip


def test_every_model_is_among_them() -> None:
    specs = (name for name, value in vars(lists).items() if isinstance(value, TableSpec))
    tables = {name.removesuffix("_TABLE").lower() for name in specs}
    models = {path.name.removesuffix("_model.py") for path in (GUI / "models").glob("*_model.py")}
    assert {model.__name__ for model in MODELS} == tables | models - {"table"}


@pytest.mark.parametrize("make", MODELS)
def test_what_a_model_says_is_its_letters(make: Callable[[Path], QAbstractItemModel], tmp_path: Path) -> None:
    said = list(texts_of(make(tmp_path)))
    assert any("<" in text for _, text in said)
    for role, text in said:
        assert not set(text) & STEERS, (role, text)
        assert role != Qt.ItemDataRole.ToolTipRole or not GuiQt.mightBeRichText(text)


def texts_of(model: QAbstractItemModel, parent: QModelIndex | None = None) -> Iterator[tuple[int, str]]:
    parent = parent or QModelIndex()
    shown = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
    for row in range(model.rowCount(parent)):
        for column in range(model.columnCount(parent)):
            index = model.index(row, column, parent)
            said = ((role, model.data(index, role)) for role in shown)
            yield from ((role, text) for role, text in said if isinstance(text, str))
        yield from texts_of(model, model.index(row, 0, parent))


def hostile_log(path: Path) -> Path:
    """A log of the fake format in which everything that is text is hostile."""
    call = {"kind": "call", "name": HOSTILE, "id": HOSTILE, "text": HOSTILE}
    records = (
        {"session": HOSTILE},
        {"role": "user", "blocks": [{"kind": "text", "text": HOSTILE}], "time": HOSTILE},
        {"role": HOSTILE, "blocks": [{"kind": "thinking", "text": HOSTILE}, call], "time": HOSTILE},
        {"role": "user", "blocks": [{"kind": "result", "id": f"{HOSTILE} of none", "text": HOSTILE}]},
    )
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


# widgets


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a pipe with a name")
def test_a_tooltip_opens_no_file(qtbot: QtBot, tmp_path: Path) -> None:
    """Reading a pipe that nobody writes to would never come back; that it is read at all shows in its other end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    ours = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    os.write(ours, b"what is read is gone")
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    text = safe_tooltip(f'<img src="file://{pipe}"> text') or ""
    assert not GuiQt.mightBeRichText(text)
    QToolTip.showText(QPoint(5, 5), text, widget)
    shown = next(each for each in widget.findChildren(QLabel) if each.inherits("QTipLabel"))
    shown.grab()
    assert "<\u2060img" in shown.text()
    assert os.read(ours, 100) == b"what is read is gone"
    QToolTip.hideText()
    os.close(ours)


def test_a_message_box_shows_letters(qtbot: QtBot) -> None:
    box = make_message_box(QMessageBox.Icon.Warning, HOSTILE, HOSTILE, HOSTILE)
    qtbot.addWidget(box)
    labels = [label for label in box.findChildren(QLabel) if label.text()]
    assert len(labels) == 2
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in labels)
    assert not set("".join(label.text() for label in labels)) & STEERS


def test_captions_name_no_keys_and_titles_no_marks(qtbot: QtBot) -> None:
    assert escape_caption("a&b\tCtrl+Q\x1b\u202e") == "a&&b Ctrl+Q⟦ESC⟧⟦U+202E⟧"
    widget = QWidget()
    qtbot.addWidget(widget)
    set_window_title(widget, "a[*].jsonl\n\x07")
    assert widget.windowTitle() == "a[*][*].jsonl ⟦BEL⟧"


def test_every_label_of_a_window_is_plain(window: MainWindow, settle: Callable[..., None], tmp_path: Path) -> None:
    path = hostile_log(tmp_path / f"a&<b>{STEERING}.jsonl")
    window.open(str(path))
    settle(window.document)
    window.document.step_finding(True)
    window.side.show_tab(window.side.repair)
    labels = [label for label in window.findChildren(QLabel) if type(label) is not QLabel]
    assert len(labels) > 20
    assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}
    for widget in window.findChildren(QWidget):
        assert not GuiQt.mightBeRichText(widget.toolTip())
    menu = next(menu for menu in window.findChildren(QMenu) if menu.title() == "Open &recent")
    menu.aboutToShow.emit()
    assert "a&&<b>" in menu.actions()[0].text()
    assert not set(menu.actions()[0].text() + window.windowTitle()) & STEERS
    window.welcome.refresh()
    recent = window.welcome.findChildren(QCommandLinkButton)[0]
    assert recent.text().startswith("a&&<b>")
