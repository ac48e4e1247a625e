"""The two properties of a bundle: it yields the findings of its log, and no run of eight signs of what that says."""

import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.core.discovery.opening import open_source
from inspector.core.formats import FORMATS
from inspector.core.providers.error_parser import deciding_words
from inspector.core.redaction.anonymizer import (
    ID_PREFIX_PATTERN,
    decode_json_string,
    is_harmless,
    is_time,
    program_written_spans,
)
from tests.robustness.fuzz.requests import unpacked
from tests.support import product

RUN = 8
_LONG = 100_000  # bytes
_PICTURE = 60  # characters: what says that it is one, and its size
_PLACE = re.compile(r"messages\W{1,3}\d+(?:\W{1,3}content\W{1,3}\d+)?")
_STRING = re.compile(rb'"((?:[^"\\\n]|\\.)*)"')


@dataclass
class Tried:
    """What came of one log: the members of its bundle, or why it has none; and what is wrong with them."""

    members: dict[str, bytes] = field(default_factory=dict)
    refusal: str = ""
    faults: list[str] = field(default_factory=list)

    @property
    def manifest(self) -> dict[str, Any]:
        manifest: dict[str, Any] = json.loads(self.members["manifest.json"])
        return manifest

    @property
    def skeleton(self) -> bytes:
        return self.members[self.manifest["log"]]


def tried(path: Path, out: Path, profile: str = "") -> Tried:
    """Bundle a log, unpack that beside it, and compare what both yield and say."""
    told = product.run("bundle", str(path), "-o", str(out))
    if "an internal error" in told.output:
        return Tried(faults=[told.output])
    if told.exit_code:
        return Tried(refusal=told.output.strip().replace(str(path), "").lstrip(": "))
    with zipfile.ZipFile(out) as archive:
        done = Tried({name: archive.read(name) for name in archive.namelist()})
    single = path.is_file() and path.suffix != ".db"
    original = product.check(path, profile=profile)
    opened = product.check(out / done.manifest["log"], profile=profile)
    yields = [
        [answer.code, *(told_of(each, single) for each in answer.report["sessions"])] for answer in (original, opened)
    ]
    if yields[0] != yields[1]:
        done.faults.append(f"it yields {yields[1]} instead of {yields[0]}")
    data = b"\n".join(contents(path))
    with open_source(str(path)) as source:  # of a log in a wrapper, the text in it
        size = source.size
    if single and len(done.skeleton) != size:
        done.faults.append(f"it has {len(done.skeleton)} bytes instead of {size}")
    if left := survivors(data, done.skeleton, done.manifest["format"]):
        done.faults.append(f"{len(left)} runs of what it says are left: {left[:5]}")
    return done


def told_of(session: dict[str, Any], placed: bool) -> list[Any]:
    """What a bundle keeps; of a log of many files or rows no places, as it is one file then."""
    counts = [
        session.get(name) for name in ("format", "verdict", "messages", "calls", "results", "dangling", "orphans")
    ]
    places = ("rule", "severity", "record", "strategies", "default", *(("line", "bytes", "index") if placed else ()))
    return [*counts, [[finding[name] for name in places] for finding in session["findings"]]]


def contents(path: Path) -> Iterator[bytes]:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return (unpacked(file.read_bytes()) for file in files if file.is_file())


def survivors(data: bytes, made: bytes, form: str = "") -> list[str]:
    """Runs of eight signs, most of them letters or digits, that the texts of a log share with those of its skeleton.

    Left out is what programs write: stand-ins, what texts begin with that the format reads, the words of an error.
    """
    signs = FORMATS[form].marker_patterns if form else ()
    left, told = _runs(made, signs), dict.fromkeys(texts(data, signs))
    found = [run for run in _runs(data, signs) if run in left and not _is_of_error(run, told)]
    return found if len(data) < _LONG else [run for run in found if _stays(json.dumps(run)[1:-1].encode(), data, made)]


def _stays(run: bytes, data: bytes, made: bytes) -> bool:
    """Whether it is still where it was, or cannot be told: among millions of letters some meet by chance."""
    places = [found.start() for found in re.finditer(re.escape(run), data)]
    return not places or any(made[at : at + len(run)] == run for at in places)


def _runs(data: bytes, signs: tuple[str, ...]) -> dict[str, None]:
    told = dict.fromkeys(texts(data, signs))
    runs = (text[at : at + RUN] for text in told for at in range(len(text) - RUN + 1))
    return dict.fromkeys(run for run in runs if sum(map(str.isalnum, run)) > RUN // 2 and len(set(run)) > 2)


def _is_of_error(run: str, told: Iterable[str]) -> bool:
    """Whether it is of what some text is known by as an error of a provider, or of the place or id that this names."""
    words = re.findall(r"[^\W_]+", run.lower())
    if len(words) == 1 and is_harmless(words[0]):  # a key, in what is not valid JSON any more
        return True
    texts = (text for text in told if run in text)
    known = [
        each
        for text in texts
        for each in (*deciding_words(text), *_PLACE.findall(text), *ID_PREFIX_PATTERN.findall(text))
    ]
    return all(any(word in each for each in known) for word in words if len(word) > 1)


def texts(data: bytes, signs: tuple[str, ...] = ()) -> Iterator[str]:
    """The texts of a log as they are read, also those of JSON within JSON; without words of formats, and times."""
    for found in _STRING.finditer(data):
        try:
            text = json.loads(found[0].decode("utf-8", "replace"), strict=False)
        except ValueError:
            text = found[1].decode("utf-8", "replace")
        while "\\u" in text:
            text = decode_json_string(text)
        if text.lstrip()[:1] in ("{", "[") and '"' in text:
            yield from texts(text.encode("utf-8", "surrogatepass"), signs)
        elif not (is_harmless(text) or is_time(text)):
            at = _PICTURE if text.partition(",")[2].startswith("iVBOR") or text.startswith("iVBOR") else 0
            for start, end in program_written_spans(text, signs):
                yield "" if is_harmless(text[at:start]) else text[at:start]
                at = end
            # Of a damaged record strings and what stands between them change places.
            yield from (piece for piece in text[at:].split('"') if not is_harmless(piece))
