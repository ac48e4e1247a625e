"""Anthropic Messages: written by the notation, loaded by the projection."""

from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, file_writer
from tests.support import notation, projection
from tests.support.judges import JUDGES

FORMAT = WrittenFormat(
    "anthropic-messages",
    file_writer(notation.FORMATS["anthropic"].file, notation.FORMATS["anthropic"].render),
    lambda path: projection.read(path.read_bytes(), "anthropic"),
    JUDGES["anthropic"][0],
    cannot=NO_DEVELOPER,
)
