"""Where tests keep what they write: in memory, where the system has a place for files there and room in it.

Most write small logs, sync them to the disk and throw them away: a third of their time went into that.
"""

import os
import shutil
import tempfile

_MEMORY = "/dev/shm"
_ENOUGH = 2 << 30  # bytes; a container may have no more than 64 MB there

ROOM = _MEMORY if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ENOUGH else None


def move_in() -> None:
    """Temporary files of this process and its children go there, but where somebody said where to put them."""
    if ROOM and "TMPDIR" not in os.environ:
        os.environ["TMPDIR"] = tempfile.tempdir = ROOM
