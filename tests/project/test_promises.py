"""What the page of promises and SECURITY.md promise is held by the gates and tests that they name."""

import ast
import re

import pytest

from tests.support.paths import ROOT

PAGES = {name: (ROOT / name).read_text("utf-8") for name in ("resources/docs/promises.md", ".github/SECURITY.md")}
NAMED = re.compile(r"`((?:tests|inspector)/[\w/]+\.py)(?:::(\w+))?`")


@pytest.mark.parametrize("page", PAGES)
def test_gates_and_tests_that_a_page_names_are_there(page: str) -> None:
    named = NAMED.findall(PAGES[page])
    assert len(named) > 5
    assert [each for each in named if not each[0].endswith("/NAME.py") and not is_there(*each)] == []


def is_there(file: str, name: str) -> bool:
    """Whether the file holds that test (or invariant), if one is named."""
    path = ROOT / file
    if not path.is_file():
        return False
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    return not name or name in functions


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its own headings."""
    below = PAGES[page].partition(f"\n## {heading}\n")[2]
    lines = re.findall(r"^\|(.*)\|$", below.partition("\n## ")[0], re.MULTILINE)
    return [[cell.strip() for cell in line.split("|")] for line in lines[2:]]


@pytest.mark.parametrize(
    ("page", "heading"),
    [
        ("resources/docs/promises.md", "Promises, and the tests that check them"),
        (".github/SECURITY.md", "What a log must not be able to do"),
    ],
)
def test_every_promise_names_its_test(page: str, heading: str) -> None:
    found = rows(page, heading)
    assert len(found) > 5
    assert [row[0] for row in found if not NAMED.fullmatch(row[-1])] == []
