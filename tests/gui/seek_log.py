"""A session to seek in, written in the notation of the tests, and what its tree shows."""

import json
from pathlib import Path

from inspector.gui.models.base import ItemRole
from inspector.gui.window.main_window import MainWindow
from tests.support.notation import SESSION, claude_code_records, parse

HISTORY = (
    'u"Please find the needle" | a"looking"{toolu_a@Grep pattern=needle} | r(toolu_a=a.py)'
    " | a{toolu_b@Bash command=make} | r!(toolu_b=it broke) | a{toolu_c@Bash command=ls}"
    ' | u"and now?" | a"a NEEDLE, 中文针" | u"so?" | a"the end"'
)


def write(tmp_path: Path, history: str = HISTORY) -> Path:
    """A minute passes from record to record, from 12:00 on."""
    path = tmp_path / f"{SESSION}.jsonl"
    records = claude_code_records(parse(history))
    for minute, record in enumerate(records):
        record["timestamp"] = f"2026-11-21T12:{minute:02}:00.000Z"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def rows(window: MainWindow) -> list[str]:
    """What the tree shows, as it is expanded, from the top; the session's own row left out."""
    view = window.outline.view
    printed, index = [], view.model().index(0, 0)
    while (index := view.indexBelow(index)).isValid():
        row = index.data(ItemRole.ROW)
        printed.append(" ".join(filter(None, (f"{row.chip}:", row.name, row.text))))
    return printed


def current(window: MainWindow) -> str:
    """The current row."""
    row = window.outline.view.currentIndex().data(ItemRole.ROW)
    return " ".join(filter(None, (f"{row.chip}:", row.name, row.text)))
