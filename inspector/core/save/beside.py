"""Writing what was made of a log and is none itself."""

import os
from pathlib import Path

from inspector.core.errors import CannotWrite
from inspector.core.save.atomic import write_whole
from inspector.core.save.likeness import Likeness


def refuse_the_log(target: str, original: str) -> None:
    """Raises CannotWrite where `target` is the log at `original`."""
    if original != "-" and os.path.exists(target) and os.path.exists(original) and os.path.samefile(target, original):
        raise CannotWrite(f"{target} is the log itself: choose another name.")


def save_beside(data: bytes, target: str, original: str) -> None:
    """Write `data` to `target`, which may not be the log at `original`; who may read that may read it.

    Raises CannotWrite.
    """
    refuse_the_log(target, original)
    like = Likeness(Path(original)) if original != "-" else None
    write_whole(Path(target), [data], like, follow=True)
