"""Claude Code: written by the notation, loaded by the projection."""

from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, file_writer
from tests.support import notation, projection
from tests.support.judges import JUDGES

FORMAT = WrittenFormat(
    "claude-code",
    file_writer(notation.FORMATS["claude-code"].file, notation.FORMATS["claude-code"].render),
    lambda path: projection.read(path.read_bytes(), "claude-code"),
    JUDGES["claude-code"][0],
    cannot=NO_DEVELOPER,
    bookkeeping=("permissionMode", "entrypoint"),  # words of the program's own, noted beside what is said
)
