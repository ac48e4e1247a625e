"""Logs that are no plain file, in the window: rows, raw records, repair and save, and nothing left behind."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from inspector.gui.operations.save import SaveOperation
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Phase
from inspector.gui.worker.core_dependencies import CoreDependencies
from inspector.gui.worker.requests import SAVE_REPAIR
from tests.core.formats import opencode
from tests.gui.fake_questions import FakeQuestions
from tests.gui.test_real_logs import SESSION, write_session
from tests.support import packing
from tests.support.notation import parse

Settle = Callable[[Document], None]
BROKEN = opencode.messages_of(parse('u"go" | a"t"{A} | u"stop" | a"ok"'))


def packed(folder: Path) -> Path:
    plain = write_session(folder / "plain" / f"{SESSION}.jsonl")
    path = folder / f"{SESSION}.jsonl.zst"
    path.write_bytes(packing.packed(plain.read_bytes()))
    return path


LOGS: dict[str, tuple[Callable[[Path], Path], int, str]] = {
    "folder": (lambda folder: opencode.write_folder(BROKEN, folder / "storage"), 4, "storage.repaired"),
    "database": (lambda folder: opencode.write_database(BROKEN, folder / "opencode.db"), 4, "opencode.repaired.db"),
    "zstd": (packed, 8, f"{SESSION}.repaired.jsonl"),
}


@pytest.fixture
def real_document(qtbot: QtBot) -> Iterator[Document]:
    made = Document(CoreDependencies())
    yield made
    made.close()


@pytest.mark.parametrize("name", LOGS)
def test_it_is_shown_repaired_and_saved(
    name: str, real_document: Document, questions: FakeQuestions, settle: Settle, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    spare = tmp_path / "spare"
    spare.mkdir()
    monkeypatch.setenv("TMPDIR", str(spare))
    write, records, copy_name = LOGS[name]
    document = real_document
    document.open(str(write(tmp_path)))
    settle(document)
    assert (document.phase, document.notice) == (Phase.READY, None)
    assert document.log is not None
    assert document.reader is not None
    assert len(document.log.starts) == records
    assert all(raw and raw.startswith(b"{") for raw in map(document.reader.visible_bytes, range(records)))
    assert {document.reader.summary(record).role for record in range(records)} == {"user", "assistant"}
    assert bool(document.log.lines) == document.log.overview.has_lines == (name == "zstd")
    assert os.name == "nt" or list(spare.iterdir()) == []
    flow = SaveOperation(document, questions)
    assert flow.name_of_copy == copy_name
    document.write(SAVE_REPAIR, document.repair.choices, "copy", str(tmp_path / "out"))
    settle(document)
    assert document.saved is not None
    assert document.saved.verdict == "healthy"
    document.open(str(tmp_path / "out"))
    settle(document)
    assert [session.verdict for session in document.log.overview.sessions] == ["healthy"]
