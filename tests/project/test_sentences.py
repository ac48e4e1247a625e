"""A sentence for a person is written in one module, so that all who say it say the same."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from tests.support.paths import ROOT

CODE = ROOT / "inspector"
# These quote what others say.
QUOTING = (
    *("core/providers/*/profiles.py", "core/providers/error_*.py", "core/providers/placeholders.py"),
    *("core/providers/agent_texts.py", "core/providers/profile.py", "core/check/*causes.py"),
)
FEWEST_WORDS = 4
_FIELD = re.compile(r"\{\w[^{}]*\}")


def sentences(tree: ast.Module) -> Iterator[str]:
    """The literals that read as sentences, with {} for what is filled in; docstrings are none."""
    nodes = list(ast.walk(tree))
    inner = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    left_out = inner | {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        text = ""
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            text = node.value
        text = _FIELD.sub("{}", text)
        words = [word for word in text.split() if any(map(str.isalpha, word))]
        if len(words) >= FEWEST_WORDS and text.rstrip().endswith((".", "?", "!", "…")):
            yield text.strip()


def test_what_a_sentence_is() -> None:
    tree = ast.parse(
        '"""A module that says it."""\nx = "Say it twice, please."\ny = f"{x} is said once in {y}."\n'
        'y = tr("{x} is said twice in {y}.", x=x, y=y)\nz = "Only a label"'
    )
    assert list(sentences(tree)) == ["Say it twice, please.", "{} is said once in {}.", "{} is said twice in {}."]


def test_what_quotes_others_exists() -> None:
    assert [pattern for pattern in QUOTING if not any(CODE.glob(pattern))] == []


def test_each_is_written_in_one_module() -> None:
    homes: dict[str, set[str]] = defaultdict(set)
    for path in CODE.rglob("*.py"):
        module = path.relative_to(CODE).as_posix()
        if not any(path.match(pattern) for pattern in QUOTING):
            for sentence in sentences(ast.parse(path.read_text("utf-8"))):
                homes[sentence].add(module)
    assert len(homes) > 600
    assert {sentence: modules for sentence, modules in homes.items() if len(modules) > 1} == {}
