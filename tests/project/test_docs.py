"""README and the pages of `resources/docs` show the product as it is; `python -m tests.docs --update` writes them."""

import re
from pathlib import Path

import pytest

from inspector.core.formats import FORMATS
from tests.docs import DOCS, PAGES, REGISTRY, WRITTEN, examples_in, registry, said, tables_in, with_tables
from tests.support.paths import ROOT

EXAMPLES = sorted({example for page in PAGES for example in examples_in(page.read_text("utf-8"))})
CONTRIBUTING = ROOT / ".github" / "CONTRIBUTING.md"
_LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]+)?\)")
_PATH = re.compile(r"`((?:core|gui|cli|inspector|tests|resources)/[\w/.-]+)`")


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_tables_are_those_of_the_product(page: Path) -> None:
    text = page.read_text("utf-8")
    assert with_tables(text) == text


def test_the_formats_are_listed_as_they_say_themselves() -> None:
    assert REGISTRY.read_text("utf-8") == registry()


def test_every_table_has_a_page() -> None:
    assert sorted(each for page in PAGES for each in tables_in(page.read_text("utf-8"))) == sorted(WRITTEN)


@pytest.mark.parametrize(("arguments", "answer"), EXAMPLES, ids=[arguments[:40] for arguments, _ in EXAMPLES])
def test_examples_say_what_the_program_says(arguments: str, answer: str) -> None:
    assert said(arguments) == answer


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_readme_names_the_number_of_formats() -> None:
    assert f"It reads {len(FORMATS)} formats:" in " ".join((ROOT / "README.md").read_text("utf-8").split())


def test_readme_leads_to_every_page() -> None:
    linked = {(ROOT / target).resolve() for target in _LINK.findall((ROOT / "README.md").read_text("utf-8"))}
    assert set(DOCS.glob("*.md")) <= linked


@pytest.mark.parametrize("page", [*PAGES, CONTRIBUTING], ids=name)
def test_paths_that_a_page_names_are_there(page: Path) -> None:
    named = [path for path in _PATH.findall(page.read_text("utf-8")) if "NAME" not in path]
    assert [path for path in named if not ((ROOT / path).exists() or (ROOT / "inspector" / path).exists())] == []
