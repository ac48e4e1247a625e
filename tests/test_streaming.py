"""What is told of many logs comes as they are judged, not when the last of them is."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core.engine.open_log import OpenLog
from tests.cases.logs import written

HISTORY = "u | a{A} | u"


def test_the_first_log_of_a_folder_is_told_before_the_next_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "last"):
        (tmp_path / name).mkdir()
        written(tmp_path / name, "openai", HISTORY)
    (tmp_path / "notes.txt").write_text("no log")
    happened: list[str] = []
    said = click.echo

    def in_folder(path: str, format: str, deep: bool) -> OpenLog | None:
        log = opened(path, format, deep)
        if log is not None:
            happened.append(f"open {Path(path).parent.name}")
        return log

    def echo(text: bytes, nl: bool = True) -> None:
        happened.append(f"say {'notes' if b'other files' in text else Path(text.split(b':')[0].decode()).parent.name}")
        said(text, nl=nl)

    opened = OpenLog.in_folder
    monkeypatch.setattr(OpenLog, "in_folder", in_folder)
    monkeypatch.setattr(click, "echo", echo)
    CliRunner().invoke(main, ["check", str(tmp_path)], catch_exceptions=False)
    assert happened == ["open first", "say first", "open last", "say last", "say notes"]
