"""Every case of the table in every format: broken on disk, repaired by the product, loaded by the agent's reader."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.core.formats import WRITABLE
from tests.core.formats.written import IN_ORDER
from tests.core.repair.every_format import beside, write
from tests.core.repair.table import CASES
from tests.support import product
from tests.support.judges import JOINING, merged
from tests.support.notation import History, parse


@dataclass(frozen=True)
class Sample:
    """One repaired log, by its format and the case that it held; as the format's own provider divides it into turns."""

    format: str
    case: str
    history: History


def samples(part: int = 0, parts: int = 1) -> Iterator[Sample]:
    """All of them, or one of so many parts, each with logs of every format and case."""
    for name, case in list(itertools.product(WRITABLE, CASES))[part::parts]:
        written = WRITABLE[name]
        if case.cannot(written):
            continue
        with TemporaryDirectory() as folder:
            path = write(written, parse(case.history), Path(folder) / "log")
            out = beside(path, "repaired")
            # These judges read messages, and look for a result right behind its call.
            in_order = IN_ORDER if written.in_order else ""
            answer = product.repair(path, out, profile=case.profile or in_order)
            assert answer.code == 0, (name, case.id, answer.report.get("reason"))
            history = written.load(out)
            yield Sample(name, case.id, merged(history) if written.provider in JOINING else history)
