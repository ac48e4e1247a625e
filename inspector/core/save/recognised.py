"""As which format a saved log will be read when it is opened again, and no format is named."""

from inspector.core.bytes.source import Source
from inspector.core.formats import RAW, detect, format_of
from inspector.core.formats.bases.head import Head
from inspector.core.index.session import Log


def detection_warnings(source: Source, log: Log, path: str) -> tuple[str, ...]:
    """What is to be told where the repaired `log`, saved under `path`, is no longer taken for what it is.

    A repair can take away the very records that told one format from another; a name can tell it, too. Only the head
    is looked at: what was written has been read whole, as the format that it has.
    """
    name = source.format or _guess(source, path)
    if name == log.format:
        return ()
    seen = "it will not be recognised" if name == RAW.name else f"it will be taken for {name}"
    return (f"Opened again, {seen}: choose {format_of(log).label} then (--log-format {log.format}).",)


def _guess(source: Source, path: str) -> str:
    head = Head(source)
    head.path = path
    return RAW.name if head.is_empty else detect(head).name
