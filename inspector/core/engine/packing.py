"""Archives of our own, to pass on."""

import io
import zipfile
from collections.abc import Mapping


def zipped(members: Mapping[str, bytes]) -> bytes:
    """An archive that is the same whenever it is made."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()
