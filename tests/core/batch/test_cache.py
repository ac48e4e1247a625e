"""The cache gives a result again only while every file that it depends on is as it was."""

import os
import time
from pathlib import Path

import pytest

from inspector.core.batch.cache import ResultCache
from inspector.core.batch.judging import JudgingOptions, tasks_at
from inspector.core.batch.many import judge_tasks
from tests.core.batch.folders import BROKEN, SOUND, mixed_folder

HOUR_AGO = time.time() - 3600


def age(path: Path, when: float = HOUR_AGO) -> None:
    os.utime(path, (when, when))


def found(log: Path, cache_file: Path, options: JudgingOptions | None = None) -> list[str]:
    """What a run finds in the cache. It judges the rest, and adds it."""
    options = options or JudgingOptions()
    tasks = [*tasks_at([str(log)])]
    with ResultCache(options, cache_file) as cache:
        names = [Path(task.path).name for task in tasks if cache.find(task) is not None]
        list(judge_tasks(tasks, options, 1, cache))
    return names


@pytest.fixture
def cache_file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "checked.sqlite"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_bytes(SOUND)
    age(path)
    return path


def test_a_log_that_has_not_changed_is_found(log: Path, cache_file: Path) -> None:
    assert [found(log, cache_file) for _ in range(3)] == [[], ["log.jsonl"], ["log.jsonl"]]


@pytest.mark.parametrize("change", ["grown", "time", "replaced"])
def test_a_log_that_has_changed_is_not_found(change: str, log: Path, cache_file: Path) -> None:
    found(log, cache_file)
    if change == "grown":
        log.write_bytes(SOUND + SOUND)
    elif change == "replaced":
        (log.parent / "new").write_bytes(SOUND)
        (log.parent / "new").replace(log)
    age(log, HOUR_AGO + (change == "time"))
    assert found(log, cache_file) == []


def test_a_log_of_the_last_minute_is_not_kept(log: Path, cache_file: Path) -> None:
    age(log, time.time() - 5)
    assert [found(log, cache_file) for _ in range(2)] == [[], []]


def test_other_options_have_other_results(log: Path, cache_file: Path) -> None:
    found(log, cache_file)
    assert found(log, cache_file, JudgingOptions(profile="gemini")) == []


def test_a_log_that_is_written_now_is_judged_again(log: Path, cache_file: Path) -> None:
    log.write_bytes(BROKEN)
    age(log)
    found(log, cache_file)
    with log.open("ab"):
        assert found(log, cache_file) == ["log.jsonl"]  # by this process, which is not looked at


def test_results_of_a_folder_are_kept_but_for_what_cannot_be_read(tmp_path: Path, cache_file: Path) -> None:
    folder = mixed_folder(tmp_path, 2)
    for path in folder.iterdir():
        age(path)
    found(folder, cache_file)
    assert found(folder, cache_file) == ["00.jsonl", "01.jsonl", "notes.txt", "packed.jsonl.zst", "ticket.zip"]


def test_a_damaged_cache_is_as_none(log: Path, cache_file: Path) -> None:
    cache_file.parent.mkdir()
    cache_file.write_bytes(b"no database")
    assert [found(log, cache_file) for _ in range(2)] == [[], []]
    assert cache_file.read_bytes() == b"no database"


def test_no_text_of_a_log_is_in_it(log: Path, cache_file: Path) -> None:
    log.write_bytes(BROKEN.replace(b'"u"', b'"secret words"'))
    age(log)
    found(log, cache_file)
    assert b"secret" not in cache_file.read_bytes()
    assert os.stat(cache_file).st_mode & 0o777 == 0o600
