"""A folder with everything that a check of many logs can meet."""

import zipfile
from pathlib import Path

from tests.support.notation import claude_code, parse
from tests.support.packing import packed

SOUND, BROKEN = claude_code(parse("u | a{A} | r(A=x) | a")), claude_code(parse("u | a{A} | u"))

STOPPED = claude_code(parse("u | a{A}"))  # a newer version of the agent repairs it


def mixed_folder(place: Path, count: int = 12) -> Path:
    """Logs of which each third is broken, archives, a file that is no log, and an empty one."""
    folder = place / "tickets"
    folder.mkdir()
    for number in range(count):
        (folder / f"{number:02}.jsonl").write_bytes(SOUND if number % 3 else BROKEN)
    with zipfile.ZipFile(folder / "ticket.zip", "w") as archive:
        archive.writestr("one.jsonl", BROKEN)
        archive.writestr("two.jsonl", BROKEN)
        archive.writestr("stopped.jsonl", STOPPED)
        archive.writestr("deep/three.jsonl", SOUND)
        archive.writestr("notes.txt", "nothing")
    (folder / "packed.jsonl.zst").write_bytes(packed(SOUND))
    (folder / "cut.zip").write_bytes((folder / "ticket.zip").read_bytes()[:-40])
    (folder / "notes.txt").write_text("nothing to see here\n")
    (folder / "empty.jsonl").write_bytes(b"")
    return folder
