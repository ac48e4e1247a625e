"""Writing a converted history, and reading it again before it takes its name."""

from pathlib import Path

from msgspec import Struct

from inspector.core.bytes.source import Source
from inspector.core.convert.converting import Conversion
from inspector.core.errors import NotVerified
from inspector.core.formats.bases.reading import Reading
from inspector.core.judging.check import Verdict, quick_verdict
from inspector.core.opening.opening import open_log
from inspector.core.save.atomic import write_atomically
from inspector.core.save.likeness import metadata_source
from inspector.core.save.originals import refuse_overwriting_log


class Converted(Struct, frozen=True):
    """What was written: its path ("-" for standard output), and its verdict, "" where nothing reads it back."""

    path: str
    verdict: str = ""


def save_conversion(conversion: Conversion, target: str, log: Source) -> Converted:
    """Write a conversion of `log` to `target`, which may be no part of it. Raises InspectorError."""
    refuse_overwriting_log(target, log)
    verdicts: list[str] = []

    def judge(part: Path) -> None:
        source = Source.open(str(part))
        try:
            verdicts.append(_judged(conversion, source))
        finally:
            source.close()

    write_atomically(Path(target), conversion.chunks(), metadata_source(log), judge, follow_links=True)
    return Converted(target, verdicts[0])


def converted_bytes(conversion: Conversion) -> bytes:
    """The same in memory, for standard output. Raises InspectorError."""
    data = b"".join(conversion.chunks())
    _judged(conversion, Source.of_bytes(data))
    return data


def _judged(conversion: Conversion, source: Source) -> str:
    """The verdict of what was written; "" for a page. Raises NotVerified when a sound history became a broken one."""
    if not conversion.target.reader_format:
        return ""
    verdict = quick_verdict(open_log(source, conversion.target.reader_format, Reading()))
    if verdict == Verdict.BROKEN and conversion.must_verify:
        raise NotVerified("The converted messages do not verify, so nothing was written. Please report this log.")
    return verdict.word
