"""A record as lines of JSON: digests of all that came of the commands, and the texts that are small."""

from __future__ import annotations

import base64
import json
import lzma
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.system.record.running import Came, digest

# What is recorded, each where it is asked for; of the last two the subjects are named after them.
KINDS = (COMMANDS := "commands", SAVES := "saves", PICTURES := "pictures")
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
        self.kinds = list[str]()
        self._texts: dict[str, str] = {}
        self.commands: dict[tuple[str, str], Parts] = {}
        with path.open(encoding="utf-8") as lines:
            head = json.loads(next(lines))
            self.is_quick, self.kinds = bool(head["quick"]), head.get("kinds", [COMMANDS])
            for each in map(json.loads, lines):
                self._texts[each["log"]] = each["texts"]
                self.commands |= {(each["log"], name): parts for name, parts in each["commands"].items()}

    def may_lack(self, log: str) -> bool:
        """Whether what is missing of a log was not asked for: its kind was not, or a quick record was."""
        kind = log.partition(" ")[0]
        return kind not in self.kinds if kind in KINDS else self.is_quick or COMMANDS not in self.kinds

    def texts(self, log: str) -> dict[str, str]:
        found: dict[str, str] = json.loads(lzma.decompress(base64.b85decode(self._texts[log])))
        return found


def differences(one: Record, other: Record) -> Iterator[str]:
    """What the second record has differently, and how often each command differs at the end."""
    counts = Counter[str]()
    for log, name in sorted(one.commands.keys() | other.commands.keys()):
        before, after = one.commands.get((log, name)), other.commands.get((log, name))
        if before is None or after is None:
            if not (one if before is None else other).may_lack(log):
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
