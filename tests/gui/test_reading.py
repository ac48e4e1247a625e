"""The tree reads like the conversation, its columns share the width by what they hold, and healthy means calm."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from inspector.core.presentation.outline import NodeKind
from inspector.gui.common import theme
from inspector.gui.models.base import ItemRole
from inspector.gui.models.outline_model import OutlineColumn, OutlineRow
from inspector.gui.state.document import Document
from inspector.gui.widgets.labels import PlainLabel
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.requests import SAVE_REPAIR
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_healthy, write_small
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there
from tests.support.paths import SAMPLES

Settle = Callable[[Document], None]
WORDS = "word " * 60


def write_messages(path: Path, *messages: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"model": "gpt-5", "messages": messages}))
    return path


def rows(window: MainWindow) -> list[OutlineRow]:
    log, model = there(window.document.log), window.outline.model
    return [model.index_of(node).data(ItemRole.ROW) for node in range(1, len(log.outline))]


def test_a_healthy_log_has_the_whole_height(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    window.open(str(write_healthy(tmp_path / "a.jsonl")))
    settle(window.document)
    assert not window.findings.isVisible()
    assert window.outline.view.height() > window.height() * 2 // 3
    assert "Verdict" in window.side.details.page.toPlainText()
    window.open(str(write_small(tmp_path / "b.jsonl")))
    settle(window.document)
    assert window.findings.isVisible()


def test_an_old_error_is_no_alarm_after_the_repair(
    qtbot: QtBot, real_window: MainWindow, questions: FakeQuestions, settle: Settle, tmp_path: Path
) -> None:
    def error() -> PlainLabel:
        labels = real_window.verdict.findChildren(PlainLabel)
        return next(label for label in labels if "API Error: 400" in label.text())

    real_window.resize(1440, 900)  # a small window shows only the headline
    real_window.open(str(SAMPLES / "claude-code-broken.jsonl"))
    settle(real_window.document)
    assert error().text().startswith("Recorded error: ")
    assert error().palette().windowText().color() == QColor(theme.ERROR.light)
    repaired = str(tmp_path / "repaired.jsonl")
    real_window.document.write(SAVE_REPAIR, real_window.document.repair.choices, "copy", repaired)
    qtbot.waitUntil(lambda: real_window.document.saved is not None, timeout=PATIENCE_MS)
    real_window.open(repaired)
    settle(real_window.document)
    assert error().text().startswith("Error recorded before the repair: ")
    assert error().palette().windowText().color() == QColor(theme.MUTED.light)


def test_what_the_program_put_there_is_told_from_what_was_typed(
    real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    typed = "Fix it\n<system-reminder>\nrules\n</system-reminder>"
    messages = [{"role": "user", "content": text} for text in ("<environment_context>x</environment_context>", typed)]
    real_window.open(str(write_messages(tmp_path / "a.json", *messages)))
    settle(real_window.document)
    told = [(row.chip, row.text) for row in rows(real_window) if row.chip]
    assert told == [("context", "<environment_context>x</environment_context>"), ("user", "Fix it")]


def test_a_message_is_told_by_what_was_said_and_results_beside_context_are_results(
    real_window: MainWindow, settle: Settle
) -> None:
    for sample, expected in (
        ("cline-task-broken.json", ("results", "[read_file for 'beds.csv'] Result: bed,dry north,18 south,41")),
        ("opencode-broken.json", ("assistant", "edit beds.csv +1 −1")),
        ("qwen-code-broken.jsonl", ("system", "ui_telemetry")),
        ("pi-broken.jsonl", ("model_change", "")),
        ("kimi-cli-broken.jsonl", ("_checkpoint", "1")),
    ):
        real_window.open(str(SAMPLES / sample))
        settle(real_window.document)
        assert expected in [(row.chip, row.text) for row in rows(real_window)]


def test_the_tag_around_what_was_typed_is_not_read(real_window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    asked = '<user_input mode="act">Fix <b>it</b></user_input>\n<environment_details>x</environment_details>'
    messages = [{"role": "user", "content": text} for text in ("<task>\nGo on\n</task>", asked, "<task> is a tag")]
    real_window.open(str(write_messages(tmp_path / "a.json", *messages)))
    settle(real_window.document)
    assert [row.text for row in rows(real_window)] == ["Go on", "Go on", "Fix <b>it</b>", "<task> is a tag"]


def test_who_speaks_has_a_colour_however_a_log_spells_it(real_window: MainWindow, settle: Settle) -> None:
    for sample in ("langchain-healthy.json", "gemini-cli-healthy.jsonl", "gemini-contents-healthy.json"):
        real_window.open(str(SAMPLES / sample))
        settle(real_window.document)
        log = there(real_window.document.log)
        turns = [node for node in range(len(log.outline)) if log.outline.kind[node] == NodeKind.TURN]
        speakers = {real_window.outline.model.index_of(node).data(ItemRole.ROW).chip for node in turns}
        answers = {row.chip for row in rows(real_window) if row.chip in ("ai", "gemini", "model", "assistant")}
        assert {theme.role_colour(chip) for chip in speakers - {"context"}} == {theme.ROLE_COLOURS["user"]}
        assert {theme.role_colour(chip) for chip in answers} == {theme.ROLE_COLOURS["assistant"]}


def test_what_stands_before_the_first_prompt_is_told_once(
    real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    messages = [{"role": role, "content": role} for role in ("system", "user", "assistant")]
    real_window.open(str(write_messages(tmp_path / "a.json", *messages)))
    settle(real_window.document)
    assert [row.text for row in rows(real_window)] == ["user", "system", "user", "assistant"]


def test_what_is_not_judged_is_judged_for_nobody(real_window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    (tmp_path / "trace.jsonl").write_text('{"kind": "trace"}\n')
    for path, told in ((tmp_path / "trace.jsonl", False), (SAMPLES / "codex-healthy.jsonl", True)):
        real_window.open(str(path))
        settle(real_window.document)
        assert ("Checked for" in real_window.side.details.page.toPlainText()) == told


def test_control_characters_have_names_and_colours_do_not_show(
    real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    text = "\x1b[1;31mred\x1b[0m\x1b[2K \x07bell\x7f\x00"
    real_window.open(str(write_messages(tmp_path / "a.json", {"role": "user", "content": text})))
    settle(real_window.document)
    assert rows(real_window)[-1].text == "red ⟦BEL⟧bell⟦DEL⟧⟦NUL⟧"


def test_a_long_wait_is_told_before_what_ended_it(real_window: MainWindow, settle: Settle) -> None:
    real_window.open(str(SAMPLES / "claude-code-broken.jsonl"))
    settle(real_window.document)
    assert "09:07:11 +6 min" in [row.time for row in rows(real_window)]


def test_columns_that_say_nothing_leave_their_room(real_window: MainWindow, settle: Settle) -> None:
    view = real_window.outline.view
    real_window.open(str(SAMPLES / "openai-chat-broken.json"))
    settle(real_window.document)
    shown = [column.name for column in OutlineColumn if not view.isColumnHidden(column)]
    assert shown == ["SUMMARY", "PAIR", "LINE"]
    real_window.open(str(SAMPLES / "codex-healthy.jsonl"))  # its records of tokens are not part of the conversation
    settle(real_window.document)
    assert view.isColumnHidden(OutlineColumn.TOKENS)
    real_window.open(str(SAMPLES / "kimi-code-healthy.jsonl"))  # its turns hold records that tell them
    settle(real_window.document)
    assert not view.isColumnHidden(OutlineColumn.TOKENS)
    real_window.open(str(SAMPLES / "claude-code-broken.jsonl"))
    settle(real_window.document)
    assert not any(view.isColumnHidden(column) for column in OutlineColumn)


def test_text_goes_on_where_the_cells_behind_it_are_empty(
    real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Do it"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": WORDS},
        {"role": "assistant", "content": WORDS},
    ]
    real_window.open(str(write_messages(tmp_path / "a.json", *messages)))
    settle(real_window.document)
    view, log = real_window.outline.view, there(real_window.document.log)
    image = view.viewport().grab().toImage()

    def ink_in_pair(record: int) -> int:
        index = real_window.outline.model.index_of(log.outline.node_of_record[record], OutlineColumn.PAIR)
        return dark(image, view.visualRect(index).adjusted(8, 2, -8, -2))

    assert not real_window.outline.model.index_of(log.outline.node_of_record[3], OutlineColumn.PAIR).data()
    assert ink_in_pair(3) > 100


def dark(image: QImage, rect: QRect) -> int:
    places = ((x, y) for x in range(rect.left(), rect.right()) for y in range(rect.top(), rect.bottom()))
    return sum(image.pixelColor(x, y).lightness() < 160 for x, y in places)
