"""Archives of our own, to pass on."""

import io
import zipfile
import zlib
from collections.abc import Mapping

from inspector.core.containers.archive.reading import MAX_EXPANSION


def zip_bytes(members: Mapping[str, bytes]) -> bytes:
    """An archive that is the same whenever it is made, with no member in it that we would not read again."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, _method(data))
    return made.getvalue()


def _method(data: bytes) -> int:
    """Not compressed where it would shrink so far that our own reading would take it for a bomb (see GROWTH)."""
    return zipfile.ZIP_STORED if len(data) > len(zlib.compress(data)) * MAX_EXPANSION // 2 else zipfile.ZIP_DEFLATED
