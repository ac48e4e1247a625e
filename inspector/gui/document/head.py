"""The first records of a log, read here and now: they need no process to be started."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.core.engine.faults import raise_as_program_fault
from inspector.core.errors import InspectorError
from inspector.core.later import LazyModule
from inspector.gui.answers.opened_log import OpenedLog, first_rows
from inspector.gui.basics.hiding import hiding
from inspector.gui.document.record_reader import RecordReader
from inspector.gui.document.stamp import Stamp
from inspector.gui.process.backend import Backend

if TYPE_CHECKING:
    from inspector.core.showing.hiding import answers as hiding_answers
else:
    hiding_answers = LazyModule("inspector.core.showing.hiding.answers")

HEAD_BYTES = 65536


def read_head(backend: Backend, path: str) -> tuple[OpenedLog, RecordReader] | tuple[None, None]:
    """What they show, and what reads them; nothing where they cannot be read.

    Whatever is the matter with the log, the whole reading will meet it and say it in a sentence.
    """
    stamp = Stamp.read(Path(path))
    with suppress(InspectorError, OSError), raise_as_program_fault():
        if stamp is not None:
            with Path(path).open("rb") as file:
                head = file.read(HEAD_BYTES)
            opened, hider = backend.head(path, HEAD_BYTES), hiding.make_hider(path)
            log = first_rows(opened if hider is None else hiding_answers.hide_content(opened, hider), head)
            return log, RecordReader(log, stamp, backend.view, hider)
    return None, None
