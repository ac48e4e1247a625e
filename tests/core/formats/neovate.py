"""Neovate: written by the notation, loaded by the projection."""

from tests.core.formats.written import NO_DEVELOPER, NO_THINKING, WrittenFormat, file_writer
from tests.support import notation, projection
from tests.support.judges import JUDGES

FORMAT = WrittenFormat(
    "neovate",
    file_writer(notation.FORMATS["neovate"].file, notation.FORMATS["neovate"].render),
    lambda path: projection.read(path.read_bytes(), "neovate"),
    JUDGES["neovate"][0],
    cannot=NO_DEVELOPER | NO_THINKING,
)
