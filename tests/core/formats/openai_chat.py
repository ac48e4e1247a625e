"""OpenAI Chat: written by the notation, loaded by the projection."""

from tests.core.formats.written import NO_THINKING, WrittenFormat, file_writer
from tests.support import notation, projection
from tests.support.judges import JUDGES

FORMAT = WrittenFormat(
    "openai-chat",
    file_writer(notation.FORMATS["openai"].file, notation.FORMATS["openai"].render),
    lambda path: projection.read(path.read_bytes(), "openai"),
    JUDGES["openai"][0],
    provider="openai-chat",
    cannot=NO_THINKING,
)
