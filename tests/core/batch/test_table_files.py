"""Every kind of file has the same rows, and nothing is left of a run that was not finished."""

import json
import os
import sqlite3
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import inspector
from inspector.core.batch import table_files
from inspector.core.batch.table_files import ParquetWriter, table_writer
from inspector.core.errors import CannotWrite, InspectorError
from inspector.core.lazy import LazyModule
from inspector.core.report.tables import TABLES, LogResult, encode_row
from tests.core.batch.folders import mixed_folder
from tests.support.paths import SAMPLES

Tables = dict[str, list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[LogResult]:
    sources = [mixed_folder(tmp_path_factory.mktemp("logs")), *sorted(SAMPLES.glob("*-broken.*"))]
    return [*inspector.judge_many(sources, jobs=1)]


def written(results: list[LogResult], target: Path) -> list[str]:
    with table_writer(str(target)) as writer:
        for result in results:
            writer.write(result)
        return writer.finish()


def from_dicts(results: list[LogResult]) -> Tables:
    tables: Tables = {name: [] for name in TABLES}
    for result in results:
        for name, rows in result.to_dict().items():
            tables[name] += (tuple(row.values()) for row in rows)
    return {name: sorted(rows, key=repr) for name, rows in tables.items()}


def test_sqlite_parquet_lines_and_dicts_have_the_same_rows(results: list[LogResult], tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    written(results, tmp_path / "logs.sqlite")
    assert [Path(name).name for name in written(results, tmp_path / "logs.parquet")] == [
        "logs.files.parquet",
        "logs.sessions.parquet",
        "logs.findings.parquet",
    ]
    lines: Tables = {name: [] for name in TABLES}
    for row in map(json.loads, (encode_row(row) for result in results for row in result.rows())):
        lines[row.pop("table")].append(tuple(row.values()))
    expected = from_dicts(results)
    database = sqlite3.connect(tmp_path / "logs.sqlite")
    for name in TABLES:
        parquet = duckdb.sql(f"from '{tmp_path / 'logs'}.{name}.parquet'").fetchall()
        assert sorted(parquet, key=repr) == expected[name]
        assert sorted(lines[name], key=repr) == expected[name]
        in_sqlite = database.execute(f"select * from {name}").fetchall()
        assert sorted(in_sqlite) == sorted(in_sqlite, key=lambda row: row)
        assert sorted(map(repr, in_sqlite)) == sorted(repr(_as_sqlite(row)) for row in expected[name])
    database.close()


def _as_sqlite(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(int(value) if isinstance(value, bool) else value for value in row)


@pytest.mark.parametrize("suffix", [".sqlite", ".parquet"])
def test_tables_without_rows_have_columns(suffix: str, tmp_path: Path) -> None:
    assert all(map(os.path.exists, written([], tmp_path / f"none{suffix}")))


@pytest.mark.parametrize("suffix", [".sqlite", ".parquet"])
def test_what_is_not_finished_leaves_nothing(suffix: str, results: list[LogResult], tmp_path: Path) -> None:
    with table_writer(str(tmp_path / f"logs{suffix}")) as writer:
        writer.write(results[0])
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("kind", "text", "raised"),
    [
        ("IOException", "Write failed", CannotWrite("logs.parquet could not be written: Write failed.")),
        (
            "IOException",
            '{"exception_message":"Could not write file","errno":"28"}',
            CannotWrite("logs.parquet could not be written: No space left on device."),
        ),
        ("", "Query interrupted", KeyboardInterrupt("")),
    ],
)
def test_a_failure_of_duckdb_leaves_nothing(
    kind: str, text: str, raised: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    with ParquetWriter("logs.parquet") as writer:
        failure = getattr(duckdb, kind)(text) if kind else RuntimeError(text)
        monkeypatch.setattr(writer, "_database", Mock(execute=Mock(side_effect=failure)))
        with pytest.raises(type(raised)) as error:
            writer.finish()
    assert (str(error.value), os.listdir(tmp_path)) == (str(raised), [])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("logs.csv", "does not end with any of .sqlite, .parquet"),
        ("gone/logs.sqlite", "does not exist"),
        ("folder.sqlite", "folder.sqlite could not be written: Is a directory."),
        ("folder.parquet", "folder.parquet could not be written: Is a directory."),
    ],
)
def test_a_bad_target_is_a_sentence(name: str, said: str, tmp_path: Path) -> None:
    folders = [tmp_path / "folder.sqlite", tmp_path / "folder.sessions.parquet"]
    for folder in folders:
        folder.mkdir()
    with pytest.raises(InspectorError, match=said):
        table_writer(str(tmp_path / name))
    assert sorted(tmp_path.iterdir()) == sorted(folders)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a permission there")
def test_a_link_to_a_table_stays(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "logs.sqlite").symlink_to("elsewhere/rows.sqlite")
    assert written([], tmp_path / "logs.sqlite") == [str(tmp_path / "logs.sqlite")]
    assert (tmp_path / "logs.sqlite").is_symlink()
    assert os.listdir(tmp_path / "elsewhere") == ["rows.sqlite"]


def test_without_duckdb_the_command_to_install_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "duckdb", LazyModule("a_library_that_is_not_installed"))
    with pytest.raises(CannotWrite, match=r"pip install .*\[parquet\]"):
        table_writer(str(tmp_path / "logs.parquet"))
    assert os.listdir(tmp_path) == []
