"""What is answered without an open log."""

from pathlib import Path

import pytest

from inspector.core.engine.without_open_log import folder_for_copy


def test_a_copy_goes_next_to_the_log_unless_an_agent_would_list_it_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    project = tmp_path / ".claude" / "projects" / "tea"
    project.mkdir(parents=True)
    (tmp_path / "logs").mkdir()
    archive = tmp_path / "logs" / "ticket.zip"
    archive.touch()
    assert folder_for_copy(str(tmp_path / "logs" / "a.jsonl")) == str(tmp_path / "logs")
    assert folder_for_copy(f"{archive}/inside/a.jsonl") == str(tmp_path / "logs")
    assert folder_for_copy(str(project / "a.jsonl")) == str(tmp_path)
    assert folder_for_copy("") == str(tmp_path)
