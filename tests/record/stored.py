"""A record as lines of JSON: digests of all that came of the commands, and the texts that are small."""

from __future__ import annotations

import base64
import json
import lzma
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.record.running import Came, digest

SMALL = 20_000  # bytes of a text that is kept itself
_SHOWN = 240  # letters of a line, around the first that differs

# One command by its parts: the exit code, and the digest of each stream and file.
Parts = dict[str, str]


def line(log: str, came: Mapping[str, Came]) -> str:
    """One log as a line."""
    texts: dict[str, str] = {}
    commands: dict[str, Parts] = {}
    for name, each in came.items():
        parts = {"stdout": each.out, "stderr": each.err} | {f"file {path}": data for path, data in each.files.items()}
        commands[name] = {"exit code": str(each.code)}
        for part, data in sorted(parts.items()):
            if data or part.startswith("file"):
                commands[name][part] = key = digest(data)
                if 0 < len(data) < SMALL:
                    texts[key[:12]] = data.decode("utf-8", "backslashreplace")
    packed = lzma.compress(json.dumps(texts, sort_keys=True).encode())
    told = {"log": log, "commands": commands, "texts": base64.b85encode(packed).decode()}
    return json.dumps(told, sort_keys=True, ensure_ascii=False)


class Record:
    """A record that was written to a file."""

    def __init__(self, path: Path) -> None:
        self.is_quick = False
        self.logs: dict[str, Parts] = {}
        self._texts: dict[str, str] = {}
        self.commands: dict[tuple[str, str], Parts] = {}
        with path.open(encoding="utf-8") as lines:
            self.is_quick = bool(json.loads(next(lines))["quick"])
            for each in map(json.loads, lines):
                self._texts[each["log"]] = each["texts"]
                self.commands |= {(each["log"], name): parts for name, parts in each["commands"].items()}

    def texts(self, log: str) -> dict[str, str]:
        found: dict[str, str] = json.loads(lzma.decompress(base64.b85decode(self._texts[log])))
        return found


def differences(one: Record, other: Record) -> Iterator[str]:
    """What the second record has differently, and how often each command differs at the end."""
    counts = Counter[str]()
    for log, name in sorted(one.commands.keys() | other.commands.keys()):
        before, after = one.commands.get((log, name)), other.commands.get((log, name))
        if before is None or after is None:
            # A quick record holds a part of what a whole one does.
            if not (one.is_quick if before is None else other.is_quick):
                counts[name] += 1
                yield f"{log}: {name}: only in the {'second' if before is None else 'first'} record"
            continue
        for part in sorted(before.keys() | after.keys()):
            if before.get(part) != after.get(part):
                counts[name] += 1
                yield f"{log}: {name}: {part} differs"
                yield from _first_difference(part, before, after, one.texts(log), other.texts(log))
    if counts:
        yield f"\n{counts.total():,} differences:"
        yield from (f"{count:7,}  {name}" for name, count in counts.most_common())


def _first_difference(
    part: str, before: Parts, after: Parts, texts: dict[str, Any], others: dict[str, Any]
) -> Iterator[str]:
    if part == "exit code":
        yield f"  - {before.get(part)}\n  + {after.get(part)}"
        return
    olds, news = (_lines(part, parts, known) for parts, known in ((before, texts), (after, others)))
    if isinstance(olds, str) or isinstance(news, str):
        yield from (f"  {sign} {each}" for sign, each in (("-", olds), ("+", news)) if isinstance(each, str))
        return
    if olds == news:
        yield "  in bytes that are not shown"
        return
    most = max(len(olds), len(news))
    olds, news = olds + ["<end>"] * (most - len(olds)), news + ["<end>"] * (most - len(news))
    pairs = enumerate(zip(olds, news, strict=True), 1)
    number, (old, new) = next((number, pair) for number, pair in pairs if pair[0] != pair[1])
    at = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    first = max(0, at - _SHOWN // 3)
    yield f"  line {number}, column {at + 1}:"
    yield f"  - {old[first : first + _SHOWN]}\n  + {new[first : first + _SHOWN]}"


def _lines(part: str, parts: Parts, texts: dict[str, str]) -> list[str] | str:
    """The lines of a text; a word where there are none."""
    if part not in parts:
        return "nothing" if part.startswith("std") else "no such file"
    text = texts.get(parts[part][:12])
    return f"sha256 {parts[part]}, too large to be kept" if text is None else text.split("\n")
