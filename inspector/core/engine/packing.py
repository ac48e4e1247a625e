"""Archives of our own, to pass on."""

import io
import zipfile
import zlib
from collections.abc import Mapping

from inspector.core.containers.archive.reading import GROWTH


def zipped(members: Mapping[str, bytes]) -> bytes:
    """An archive that is the same whenever it is made, with no member in it that we would not read again."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, _method(data))
    return made.getvalue()


def _method(data: bytes) -> int:
    """What packs well enough to be taken for an archive that is to fill a disk is not packed."""
    return zipfile.ZIP_STORED if len(data) > len(zlib.compress(data)) * GROWTH // 2 else zipfile.ZIP_DEFLATED
