"""What a format is: a row of data, and how its records are read. Four more modules say what else may be asked of it.

`writer` how a repair is spelled, `agent` what its program does with the log, `tracer` what the log shows of calls that
nothing answers, `gathering` how a log of many files is put together. A format takes the ones that it has an answer to.
"""

from inspector.core.formats.bases.reader import Reader
from inspector.core.formats.bases.row import Row


class Format(Row, Reader):
    """Who judges and shows a log takes this; who changes it, a `Writer`."""
