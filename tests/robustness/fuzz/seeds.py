"""The logs that are mutated: every sample that ships with the product, and histories written in every format."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.core.formats import FORMATS, WRITABLE
from tests.support.notation import NotExpressible, parse
from tests.support.paths import SAMPLES

HISTORIES = (
    'u"Where is the harbour?" | a"I look at the map."{A@Bash command=ls} | r(A="a harbour and two piers")'
    ' | a"It lies in the north." | u"Thank you for looking."',
    'u"Compare the two files." | a[th=first-thoughts]{A path=one.txt,B path=two.txt}'
    ' | r(B="the second file",A="the first file") | a[th=second-thoughts]"They differ in a line." | u"Which one?"',
    'u"Begin the work now." | a{A p=1,B p=2} | r(A="only the first result") | a"going on without it" | u"and then?"'
    " | a{C p=3}",
    'u"Search for it, please." | a s{S}sr(S)"found something"{A p=1} | r!(A="it failed: no such host") | a"sorry"',
    'u"Do it twice over." | a{A p=1} | r(A="first of the twins") | a{A p=2} | r(A="second of the twins",Z="an orphan")'
    ' | u"an aside of the user" | a"all done here"',
    'u"one" | dev"be brief, they said" | a{A p=1} | u"a word in between" | r(A="a result that comes late") | a"fine"',
)


@dataclass(frozen=True)
class SeedLog:
    """Files by their path under a folder; `log` is the path that is opened: a file, or a folder of them.

    `written` is the row of WRITABLE that loads it as its agent does, "" where none is known to.
    """

    name: str
    files: Mapping[str, bytes]
    log: str
    written: str = ""


@cache
def seed_logs() -> tuple[SeedLog, ...]:
    return (*_samples(), *_histories())


def _samples() -> Iterator[SeedLog]:
    for path in sorted(SAMPLES.iterdir()):
        written = path.stem.rpartition("-")[0]
        name = {"cline-task": "api_conversation_history.json"}.get(written, path.name)
        yield SeedLog(path.name, {name: path.read_bytes()}, name, _loaded_by(written))


def _loaded_by(format_name: str) -> str:
    name = "opencode-export" if format_name == "opencode" else format_name
    return name if name in WRITABLE else ""


def _histories() -> Iterator[SeedLog]:
    for name, written in {**FORMATS, **WRITABLE}.items():
        for number, history in enumerate(HISTORIES):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    path = written.write(parse(history), Path(folder))
                except (NotExpressible, AssertionError, AttributeError):  # a writer that has no place for a part
                    continue
                files = {
                    str(f.relative_to(folder)): f.read_bytes() for f in sorted(Path(folder).rglob("*")) if f.is_file()
                }
                log = str(path.relative_to(folder))
            yield SeedLog(f"{name}, history {number}", files, log, name if name in WRITABLE else "")
