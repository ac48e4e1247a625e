"""The queries of the page on many logs run, and each finds something in the samples."""

import re
from pathlib import Path

import pytest

import inspector
from inspector.core.batch.table_files import table_writer
from tests.core.batch.folders import mixed_folder
from tests.support.paths import ROOT, SAMPLES

PAGE = ROOT / "resources" / "docs" / "many-logs.md"
QUERIES = re.findall(r"([^\n]+)\n\n```sql\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    sources = [mixed_folder(tmp_path_factory.mktemp("logs")), *sorted(SAMPLES.glob("*-broken.*"))]
    with table_writer(str(folder / "logs.parquet")) as writer:
        for result in inspector.judge_many(sources, jobs=1):
            writer.write(result)
        writer.finish()
    return folder


def test_there_are_ten_questions() -> None:
    assert len(QUERIES) == 10


@pytest.mark.parametrize(("question", "query"), QUERIES, ids=[question for question, _ in QUERIES])
def test_a_query_of_the_page_has_an_answer(
    question: str, query: str, tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(tables)
    assert duckdb.sql(query).fetchall(), question
