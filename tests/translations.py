"""The catalogues of sentences in `resources/translations`.

`python -m tests.translations` says which of them are not up to date; with `--update` they are written.
`messages.pot` has every template in the code, sorted. `LANGUAGE/LC_MESSAGES/messages.po` has the translations, and is
edited by hand; `messages.mo` beside it is what the program reads.
"""

import ast
import io
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from inspect import cleandoc
from pathlib import Path
from typing import IO, Any

import msgspec
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from inspector.core.analysis.finding import Severity
from inspector.core.check.check import Verdict
from inspector.core.presentation.outline import NodeKind
from inspector.core.report.format_and_rule_tables import FormatDetails
from inspector.core.rules import RULES
from inspector.gui.common.ui_text import RULE_TITLES
from tests.support.paths import ROOT

TRANSLATIONS = ROOT / "resources" / "translations"
TEMPLATES = TRANSLATIONS / "messages.pot"
_NO_DATE = datetime(2000, 1, 1, tzinfo=UTC)  # a file that is written again has the same bytes
FIELD = re.compile(r"\{[^{}]*\}")
KEYWORDS = {"tr": None, "words": None, "tr_plural": (1, 2), "mark_plural_forms": (1, 2)}


def templates() -> Catalog:
    """Return every template in the code."""
    catalogue = Catalog(fuzzy=False)
    for rule in RULES.values():
        texts = [cleandoc(rule.find.__doc__ or "").partition("\n")[0]]
        texts += [] if rule.slug in RULE_TITLES else [rule.slug.replace("-", " ").capitalize()]
        for text in texts:
            catalogue.add(text, locations=[(_source(rule.find), 0)])
    for word in (*Verdict, *Severity):
        catalogue.add(word.word, locations=[(_source(type(word)), 0)])
    for kind in NodeKind:
        catalogue.add(kind.name.capitalize(), locations=[(_source(NodeKind), 0)])
    for each in msgspec.structs.fields(FormatDetails):
        catalogue.add(each.encode_name, locations=[(_source(FormatDetails), 0)])
    for path, _, message, _, _ in extract_from_dir(
        ROOT / "inspector",
        method_map=[("**.py", "tests.translations:marked_texts")],
        keywords=KEYWORDS,
        strip_comment_tags=True,
    ):
        if re.search(r"[^\W\d_]", FIELD.sub("", message if isinstance(message, str) else message[0])):
            catalogue.add(message, locations=[(f"inspector/{path}", 0)])
    return catalogue


def marked_texts(
    file: IO[bytes], keywords: Collection[str], comment_tags: Collection[str], options: Mapping[str, Any]
) -> Iterator[tuple[int, str, tuple[str | None, ...] | str | None, list[str]]]:
    """Yield the arguments of every call of a keyword, for Babel.

    Babel's own extraction sees calls inside f-strings only since Python 3.12.
    """
    for node in ast.walk(ast.parse(file.read())):
        name = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and name in keywords and node.args:
            texts = [each.value if isinstance(each, ast.Constant) else None for each in node.args]
            messages = tuple(text if isinstance(text, str) else None for text in texts)
            yield node.lineno, name, messages[0] if len(messages) == 1 else messages, []


def _source(member: object) -> str:
    """Return the module of a function or class whose texts are sentences, but not in calls."""
    return f"{getattr(member, '__module__', '').replace('.', '/')}.py"


def translations() -> Iterator[Path]:
    """Yield the catalogue of each language."""
    yield from sorted(TRANSLATIONS.glob("*/LC_MESSAGES/messages.po"))


def read_catalogue(path: Path) -> Catalog:
    """Read the translations of a language."""
    with path.open("rb") as file:
        catalogue = read_po(file, locale=path.parents[1].name)
    catalogue.creation_date = catalogue.revision_date = _NO_DATE
    return catalogue


@cache
def translated(language: str) -> set[object]:
    """Return the templates that have a translation."""
    return {each.id for each in read_catalogue(TRANSLATIONS / language / "LC_MESSAGES" / "messages.po") if each.string}


def stale_files() -> dict[Path, bytes]:
    """Return what the files that are not up to date ought to hold."""
    wanted = {TEMPLATES: _text(templates())}
    for path in translations():
        compiled = io.BytesIO()
        write_mo(compiled, read_catalogue(path))
        wanted[path.with_suffix(".mo")] = compiled.getvalue()
    return {path: data for path, data in wanted.items() if not path.is_file() or path.read_bytes() != data}


def _text(catalogue: Catalog) -> bytes:
    file = io.BytesIO()
    write_po(file, catalogue, width=120, sort_output=True, include_lineno=False, omit_header=True)
    return file.getvalue()


def main(arguments: list[str]) -> int:
    stale = stale_files()
    for path, data in stale.items():
        if "--update" in arguments:
            path.write_bytes(data)
        print(f"{path.relative_to(ROOT)} {'is written' if '--update' in arguments else 'is not up to date'}")
    return int(bool(stale) and "--update" not in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
