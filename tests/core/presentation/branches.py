"""Logs of Claude Code with branches and compactions, written as words: `2<1 a yes` is an answer below record 1."""

from pathlib import Path

import orjson


def written(folder: Path, *records: str) -> Path:
    """A log of messages: `u` a prompt, `a` an answer, `c` the boundary of a compaction. The newest is the last."""
    path = folder / "log.jsonl"
    path.write_bytes(b"".join(orjson.dumps(_record(*record.split(" ", 2))) + b"\n" for record in records))
    return path


def _record(place: str, kind: str, text: str = "") -> dict[str, object]:
    number, parent = place.split("<")
    record: dict[str, object] = {
        "parentUuid": None if parent == "0" else f"u{parent}",
        "isSidechain": False,
        "sessionId": "s",
        "version": "2.1.112",
        "uuid": f"u{number}",
        "timestamp": f"2026-03-14T09:08:{int(number):02}.100Z",
    }
    if kind == "c":
        return record | {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}
    said: dict[str, object] = {"role": "user", "content": text}
    if kind == "a":
        said = {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "content": [{"type": "text", "text": text}],
        }
    return record | {"type": "user" if kind == "u" else "assistant", "message": said}
