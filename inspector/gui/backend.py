"""What the window needs of the core, as one value, so that tests can hand in another."""

from collections.abc import Callable
from typing import NamedTuple

from inspector.core.engine import Engine, view_record
from inspector.core.views import RecordView


class Backend(NamedTuple):
    """`engine` makes an Engine (importable by name: the child process is given the name); `view` parses one record."""

    engine: Callable[[], Engine] = Engine
    view: Callable[[str, bytes], RecordView] = view_record
