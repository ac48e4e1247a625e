"""Reading a plan without content that somebody passed on."""

from inspector.core.bytes.source import Source
from inspector.core.repair.without_content.form import PlanFile, decode_plan

__all__ = ["PlanFile", "read_plan"]


def read_plan(path: str) -> PlanFile:
    """The plan in the file at `path`. Raises UnreadableLog."""
    with Source.open(path) as source:
        return decode_plan(source.read(0, source.size), path)
