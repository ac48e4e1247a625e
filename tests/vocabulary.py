"""The words in the code that a bundle keeps as they are, compared with the lists in `resources/vocabulary`.

`python -m tests.vocabulary` prints the words that a list lacks; with `--update` it adds them. Read what it adds: each
of these words stays in a bundle, wherever a log holds it. Words that the code has lost stay in the lists, so that a
log yields the same bundle in the next version.
"""

import ast
import gc
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
from msgspec.inspect import StructType, multi_type_info

import inspector.core
from tests.support.paths import ROOT

CORE = ROOT / "inspector" / "core"
LISTS = ROOT / "resources" / "vocabulary"
# Where the words of each list are written: what reads and writes records and messages, and what knows others' texts.
FORMATS = (
    *(
        "formats/**/*.py",
        "model/*.py",
        "providers/*/schema.py",
        "providers/malformed_precheck.py",
        "providers/media.py",
    ),
    *("providers/block_*.py", "providers/message_*.py", "providers/profile.py", "providers/registry.py"),
    *(f"storage/{container}.py" for container in ("archive", "json_document", "folder", "json_lines", "sqlite")),
)
TEXTS = (
    *("providers/placeholders.py", "providers/agent_texts.py", "providers/error_*.py"),
    *("providers/*/profiles.py", "providers/profile.py", "providers/registry.py"),
)
# These know stores and errors that are no part of a log: their words are not kept in one.
NOT_OF_LOGS = (
    *("formats/*/session_store.py", "formats/base/session_stores.py", "formats/base/cline_store.py"),
    "providers/error_kinds.py",
)
_WORD = re.compile(r"[$\w.:/-]{1,60}")
_FIELD = re.compile(r"\{[^{}]*\}")  # of the template of a sentence
_LETTERS = re.compile(r"[^\W\d]+")
_SENTENCE = re.compile(r"\.\s|\.$|\n")  # explains the program, and is none of its words


def missing() -> dict[str, list[str]]:
    """Return for each list the words in the code that it lacks."""
    needed = {"formats": _format_words(), "provider_texts": _words_of_texts(*TEXTS), "sentences": _words_of_sentences()}
    return {name: sorted(words - set(_list(name).read_text("utf-8").splitlines())) for name, words in needed.items()}


def main(arguments: list[str]) -> int:
    lacking = missing()
    for name, words in lacking.items():
        if words:
            print(f"{_list(name).relative_to(ROOT)} lacks: {' '.join(words)}")
        if words and "--update" in arguments:
            listed = _list(name).read_text("utf-8").splitlines()
            _list(name).write_text("".join(f"{word}\n" for word in sorted({*listed, *words})), "utf-8")
    return 1 if any(lacking.values()) and "--update" not in arguments else 0


def _list(name: str) -> Path:
    return LISTS / f"{name}.txt"


def _format_words() -> set[str]:
    texts = [text for text in _texts(*FORMATS, without=NOT_OF_LOGS) if not _SENTENCE.search(text)] + list(
        _decoded_fields()
    )
    words = {word for text in texts for word in (text, *re.split(r"[\s/,|]+", text)) if _WORD.fullmatch(word)}
    words = {word for word in words if not word.startswith("inspector.")}  # the place of a module
    return words | {re.sub(r"_(\w)", lambda sign: sign[1].upper(), word) for word in words}


def _decoded_fields() -> Iterator[str]:
    """Yield the keys that the decoders of records and messages look for."""
    for module in pkgutil.walk_packages(inspector.core.__path__, "inspector.core."):
        importlib.import_module(module.name)
    decoders = [each for each in gc.get_objects() if isinstance(each, msgspec.json.Decoder)]
    structs, seen = list(multi_type_info([decoder.type for decoder in decoders])), set()
    while structs:
        shape = structs.pop()
        if isinstance(shape, StructType) and shape.cls not in seen:
            seen.add(shape.cls)
            yield from (field.encode_name for field in shape.fields)
            structs += [field.type for field in shape.fields]
        structs += [part for part in (getattr(shape, "item_type", None), *getattr(shape, "types", ())) if part]


def _words_of_texts(*patterns: str) -> set[str]:
    texts = [text for text in _texts(*patterns, without=NOT_OF_LOGS) if "\n" not in text]
    return {word for text in texts for word in _LETTERS.findall(text)}


def _words_of_sentences() -> set[str]:
    """A text without a blank is a name in the code, unless it is a label, which sentences repeat."""
    return {word for text in _texts("**/*.py") if " " in text for word in _LETTERS.findall(text)}


def _modules(*patterns: str) -> set[Path]:
    return {module for pattern in patterns for module in CORE.glob(pattern)}


def _texts(*patterns: str, without: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the texts in modules of the core: no docstrings, no lists of exported names."""
    for module in sorted(_modules(*patterns) - _modules(*without)):
        yield from _texts_in_module(module)


@cache
def _texts_in_module(module: Path) -> list[str]:
    tree = ast.parse(module.read_text("utf-8"))
    nodes = list(ast.walk(tree))
    left_out = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    exports = [node.value for node in tree.body if isinstance(node, ast.Assign) and _is_export_list(node)]
    left_out |= {id(name) for names in exports for name in ast.walk(names)}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    left_out |= {id(name) for call in calls if _names_code(call.func) for name in call.args}
    texts = []
    for call in calls:
        if isinstance(call.func, ast.Name) and call.func.id in ("tr", "tr_plural"):
            templates = [each for each in call.args if isinstance(each, ast.Constant)]
            left_out |= {id(each) for each in templates}
            texts += [_FIELD.sub("", each.value) for each in templates if isinstance(each.value, str)]
    constants = [node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in left_out]
    return texts + [text for value in constants for text in _texts_in(value)]


def _names_code(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id in ("TypeVar", "ParamSpec", "LazyModule", "cast")


def _is_export_list(node: ast.Assign) -> bool:
    return any(isinstance(name, ast.Name) and name.id == "__all__" for name in node.targets)


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield from re.findall(r"[\w.-]+", value.decode("utf-8", "replace"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
