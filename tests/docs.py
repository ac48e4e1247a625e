"""What README and the pages of `resources/docs` show of the product: tables, and what its commands print.

It also writes the list of built-in formats in their registry, from what each format declares.

`python -m tests.docs` tells which page is not as the product is; with `--update` it is written anew. A table stands
between two comments that name it, an example in a block that begins with the command.
"""

import ast
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec.structs import astuple

from inspector.core.engine.stored_data import STORED_ITEMS, StoredDataKind
from inspector.core.formats import FORMATS
from inspector.core.formats.base.format import Format
from inspector.core.formats.base.registry import BUILT_IN_ORIGIN, entry_of
from inspector.core.providers.token_estimates import CONTEXT_MODELS, UNKNOWN
from inspector.core.report.format_and_rule_tables import (
    TextTable,
    formats_table,
    placeholder_wordings_table,
    presets_table,
    profiles_table,
    rows_of_format,
    rules_table,
    strategies_table,
)
from tests.core.doctor.made_stores import claude_code, codex, kimi_code, moved, project_gone, torn_middle
from tests.support.paths import ROOT

DOCS = ROOT / "resources" / "docs"
PAGES = (ROOT / "README.md", ROOT / ".github" / "SECURITY.md", *sorted(DOCS.glob("*.md")))
REGISTRY = ROOT / "inspector" / "core" / "formats" / "base" / "registry.py"

_BUILT_IN = re.compile(r"(?<=^BUILT_IN_FORMATS = \(\n).*?(?=^\)$)", re.DOTALL | re.MULTILINE)
_WRITTEN = re.compile(r"(<!-- ([^\n]+): written by python -m tests\.docs -->\n).*?(<!-- end -->\n)", re.DOTALL)
_EXAMPLE = re.compile(r"(```console\n\$ transcript-inspector ([^\n]+)\n)(.*?)(\n```)", re.DOTALL)
_MARKS = re.compile(r"[|<*_]")


def table(printed: TextTable) -> str:
    """As Markdown."""
    lines = [printed.titles, ("---",) * len(printed.titles), *printed.rows]
    first, rule, *rows = lines
    shown = [first, rule, *((f"`{name}`", *map(_plain, more)) for name, *more in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in shown)


def _plain(text: str) -> str:
    """Words that Markdown would read as marks are spelled out; what stands in backticks is left."""
    parts = text.split("`")
    return "`".join(part if at % 2 else _MARKS.sub(r"\\\g<0>", part) for at, part in enumerate(parts))


def each_format() -> str:
    """A section a format, with what `formats NAME` prints."""
    return "\n".join(_section(format.name, rows_of_format(format)) for format in own_formats())


def own_formats() -> list[Format]:
    """The program's own: those of agents, then those of providers, each by name."""
    own = [format for name, format in FORMATS.items() if FORMATS.entries[name].origin == BUILT_IN_ORIGIN]
    return sorted(own, key=lambda each: (each.is_provider_api, each.name))


def _section(name: str, told: list[tuple[str, str]]) -> str:
    rows = (f"* {heading}: {_plain(text.replace(chr(10), ', '))}\n" for heading, text in told)
    return f"## `{name}`\n\n{''.join(rows)}"


def rooms(package: str) -> str:
    """The packages of a front end or the core from the top layer down, as the contract of its layers has them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each.get("containers") == [f"inspector.{package}"])
    lines = [("layer", "package", "content"), ("---",) * 3]
    for floor, layer in enumerate(reversed(layers)):
        lines[2:2] = [(str(floor), f"`{name}`", _plain(_first_line(package, name))) for name in layer.split(" | ")]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _first_line(package: str, name: str) -> str:
    place = ROOT / "inspector" / package / name
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return (ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").partition("\n")[0]


WRITTEN: dict[str, Callable[[], str]] = {
    "layers of the core": lambda: rooms("core"),
    "layers of the window": lambda: rooms("gui"),
    "formats": lambda: table(formats_table(own_formats())),
    "each format": each_format,
    "rules": lambda: table(rules_table()),
    "strategies": lambda: table(strategies_table()),
    "presets": lambda: table(presets_table()),
    "wordings": lambda: table(placeholder_wordings_table()),
    "profiles": lambda: table(profiles_table()),
    "what is kept where": lambda: kept(),
    "models": lambda: table(models()),
    "token families": lambda: table(token_families()),
}


def kept() -> str:
    """What is kept where."""
    rows = [StoredDataKind.__struct_fields__, ("---",) * 4, *map(astuple, STORED_ITEMS)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def models() -> TextTable:
    """The models whose context windows are known, in the order of the table."""
    rows = [
        (name, f"{model.window:,}", f"{model.answer:,}", model.family.name, f"`{model.source}`")
        for name, model in CONTEXT_MODELS.items()
    ]
    return TextTable(("name", "context window", "left for the answer", "family", "source"), rows)


def token_families() -> TextTable:
    """The families of models, with the sources of their numbers."""
    families = dict.fromkeys((*(model.family for model in CONTEXT_MODELS.values()), UNKNOWN))
    rows = [
        (each.name, f"{each.letters:.2f}", f"{each.ideographs:.2f}", f"`{each.source}`", f"`{each.image_source}`")
        for each in families
    ]
    return TextTable(("family", "letters", "CJK characters", "source", "source for images"), rows)


def said(arguments: str) -> str:
    """What the program prints when it is run in a folder where the samples are at hand.

    Where it examines the stores of the machine, the folder is a home with a few broken ones, called /home/mei.
    """
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "resources").symlink_to(ROOT / "resources")
        command = [sys.executable, "-m", "inspector", *shlex.split(arguments)]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": folder}
        if arguments.startswith(("doctor", "explain --error")) and "resources/" not in arguments:
            break_stores(Path(folder))
            environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "HOME": folder}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    shown = done.stdout.replace(folder, "/home/mei").replace(re.sub(r"[^A-Za-z0-9]", "-", folder), "-home-mei")
    return shown.rstrip()


def break_stores(home: Path) -> None:
    """Write the stores of three agents, with a fault in each."""
    project_gone(claude_code(home))
    moved("{home}/.codex/sessions/2026/01/01/{name}")(codex(home))
    torn_middle(kimi_code(home))


def registry() -> str:
    """The module that lists the built-in formats, with the list as the formats describe themselves."""
    entries = map(entry_of, own_formats())
    without_defaults = (row[: max(number for number in range(2, 6) if row[number - 1])] for row in entries)
    rows = [f"    FormatEntry{row!r},".replace("'", '"') for row in without_defaults]
    table = "".join(f"{row}{'  # noqa: E501' * (len(row) > 120)}\n" for row in rows)
    return _BUILT_IN.sub(lambda _: table, REGISTRY.read_text("utf-8"))


def examples_in(text: str) -> Iterator[tuple[str, str]]:
    """Each command that a page shows, and what the page says that it prints."""
    return ((found[2], found[3]) for found in _EXAMPLE.finditer(text))


def tables_in(text: str) -> list[str]:
    """The names of the tables that a page holds."""
    return [found[2] for found in _WRITTEN.finditer(text)]


def with_tables(text: str) -> str:
    """A page with its tables as the product has them."""
    return _WRITTEN.sub(lambda found: found[1] + WRITTEN[found[2]]() + found[3], text)


def with_examples(text: str) -> str:
    """A page with its examples as the program prints them."""
    return _EXAMPLE.sub(lambda found: f"{found[1]}{said(found[2])}{found[4]}", text)


def main(arguments: list[str]) -> int:
    stale = 0
    for path in (REGISTRY, *PAGES):
        text = path.read_text("utf-8")
        anew = registry() if path == REGISTRY else with_examples(with_tables(text))
        if anew == text:
            continue
        stale += 1
        if "--update" in arguments:
            path.write_text(anew, "utf-8")
        print(
            f"{path.relative_to(ROOT)} {'is written anew' if '--update' in arguments else 'is not as the product is'}"
        )
    return int(stale > 0 and "--update" not in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
