"""What holds of every log, whoever wrote it: PROPERTIES is the table. Nothing of the product tells them what it wrote.

A property takes all that was seen of a trial and yields its failures. The place of a failure is what groups it with
others: the same fault is seen in thousands of logs.
"""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.robustness.fuzz import leaves
from tests.robustness.fuzz.asking import Said, Seen
from tests.robustness.fuzz.published_requests import CONVERTED, violation
from tests.robustness.fuzz.refusals import refusal
from tests.robustness.fuzz.requests import Unreadable, unfolded, unpacked
from tests.robustness.properties.records import Contents, list_members


class Broken(NamedTuple):
    """A failure: where, in few words that many logs share, and what was seen."""

    place: str
    what: str


Property = Callable[[Seen], Iterator[Broken]]

_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_ERRORS = ("broken", "heals-itself", "unexplained")
_ADMISSION = re.compile(r"([^.:]*)\. Please report|(Please report[^.]*)|(After \d+ passes)")


def no_fault_of_its_own(seen: Seen) -> Iterator[Broken]:
    """No exception reaches the last gate, and none gets past it."""
    for name, said in seen.said.items():
        if said.fault:
            yield Broken(said.fault[0], f"{name}\n{said.fault[1]}")


def nothing_to_report(seen: Seen) -> Iterator[Broken]:
    """The program never has to admit that what it planned is not what came of it, or that it came to no end."""
    for name, said in seen.said.items():
        told = f"{said.report.get('reason') or ''} {said.err}" if not said.fault else ""
        if match := _ADMISSION.search(told):
            yield Broken(f"{seen.format}: {(match[1] or match[0]).strip()}", f"{name}: {told.strip()}")


def no_hang(seen: Seen) -> Iterator[Broken]:
    for name, said in seen.said.items():
        if said.hung:
            yield Broken(said.hung, f"{name} was stopped")


def exit_codes_as_documented(seen: Seen) -> Iterator[Broken]:
    """The README's table: `check` by its verdicts, `repair` by what it wrote."""
    check, repair = seen.said["check"], seen.said["repair"]
    if check.sessions and check.code != (due := _code(check.sessions)):
        yield Broken(f"check: {check.code} instead of {due}", str(sorted(seen.verdicts)))
    if repair.hung or repair.fault:
        return
    if (repair.code == 0) != (seen.out is not None):
        yield Broken(f"repair: {repair.code}", "an outcome that nobody told of, or told of and not there")
    if repair.code != 0 and not repair.report.get("reason"):
        yield Broken(f"repair: {repair.code} without a reason", repair.out[:300])
    for name, said in seen.said.items():
        if said.code not in (0, 1, 2, 3):
            yield Broken(f"{name}: {said.code}", said.err[:300])


def _code(sessions: list[dict[str, Any]]) -> int:
    verdicts = [session["verdict"] for session in sessions]
    found = any(finding["severity"] == "error" for session in sessions for finding in session["findings"])
    if "unreadable" in verdicts:
        return 2
    return 1 if found or "unexplained" in verdicts else 3 if "not-judged" in verdicts else 0


def healthy_is_accepted(seen: Seen) -> Iterator[Broken]:
    """What is called healthy, as it lies there or when it is repaired, nobody refuses."""
    outcome = seen.said.get("outcome")
    asked = [("as it lies there", seen.log, seen.sessions), ("repaired", seen.out, outcome.sessions if outcome else [])]
    for which, contents, sessions in asked:
        if not contents or {each["verdict"] for each in sessions} != {"healthy"}:
            continue
        name, profile = sessions[0]["format"], sessions[0]["profile"]
        if why := refusal(name, profile, seen.trial.seed_log.written, contents):
            yield Broken(f"{name}: {_general(why)}", f"{which}: {why}")


def healthy_requests_have_the_published_types(seen: Seen) -> Iterator[Broken]:
    """What an agent sends of a log that is called healthy, a provider's SDK would take."""
    sent = seen.said["sent"].report
    messages = next((sent[key] for key in ("messages", "input", "contents") if sent.get(key)), None)
    if seen.verdicts != {"healthy"} or not messages:
        return
    why = violation(sent["wire"], _without_answered_reasoning(messages))
    if why and not re.fullmatch(CONVERTED.get(seen.format, ""), why):
        yield Broken(f"{seen.format}: {_general(why)}", why)


def _without_answered_reasoning(messages: list[Any]) -> list[Any]:
    """The messages without unsigned reasoning from which the provider has gone on to reason since (rule T1)."""
    signed = [number for number, message in enumerate(messages) if any(map(_is_signed, _reasoning_of(message)))]
    return [
        {**message, "content": [part for part in message["content"] if part not in unsigned]}
        if number < max(signed, default=0) and (unsigned := [p for p in _reasoning_of(message) if not _is_signed(p)])
        else message
        for number, message in enumerate(messages)
    ]


def _reasoning_of(message: Any) -> list[Any]:
    content = message.get("content") if isinstance(message, dict) else None
    parts = content if isinstance(content, list) else []
    return [part for part in parts if isinstance(part, dict) and part.get("type") == "thinking"]


def _is_signed(part: Any) -> bool:
    return bool(part.get("signature"))


def _general(why: str) -> str:
    """Without what differs from log to log."""
    why = re.sub(r"(Unknown \w+ \w+): .*", r"\1", why)
    why = re.sub(r"(an? \w+|null) where an? \w+", "… where another type", why)
    why = re.sub(r"\b(result|id|response to) \S+", r"\1 …", why)
    return re.sub(r"'[^']*'|\"[^\"]*\"|\[[^]]*\]|\d+", "…", why)[:100]


def nothing_lost_untold(seen: Seen) -> Iterator[Broken]:
    """Every text of the input stands in the outcome, or is told as lost or set aside."""
    if seen.out is None or seen.out == seen.log:
        return
    told = [loss for session in seen.said["repair"].sessions for loss in session.get("losses", ())]
    losses = [str(loss["text"]) for loss in told]
    media = [str(loss["text"]) for loss in told if loss["kind"] == "media"]
    aside = seen.aside.decode("utf-8", "surrogateescape")
    kept = leaves.everything_in([*leaves.all_bytes(seen.out), *losses, aside])
    # A file that lies beside the outcome as it was is there, though it is packed and no text of it can be read there.
    files = {name: data for name, data in seen.log.items() if not isinstance(data, bytes) or data not in seen.aside}
    for text in leaves.texts_of(files):
        if leaves.plain(text) not in kept and not _is_told_by_size(text, media):
            yield Broken(seen.format, f"{text[:300]!r} is neither in the outcome nor among the losses")
            return


def _is_told_by_size(text: str, media: list[str]) -> bool:
    """Whether a text is the data of an image or a document that is told as lost: by its type and its size."""
    data = text.rpartition(",")[2] if text.startswith("data:") else text
    return any(f"{len(data) * 3 // 4:,} bytes" in each for each in media)


def what_no_edit_names_stays(seen: Seen) -> Iterator[Broken]:
    """The records that no edit names are in the outcome as they were, in order; the files and rows of a store, too."""
    if seen.out is None:
        return
    before, after = next(iter(seen.log.values())), next(iter(seen.out.values()))
    if len(seen.log) != 1 or not isinstance(before, bytes) or not isinstance(after, bytes):
        yield from _members_that_changed(seen, seen.out)
        return
    is_folded = any("terminal" in str(session.get("read_from")) for session in seen.sessions)
    try:
        before = unfolded(before) if is_folded else unpacked(before)
    except Unreadable:
        return
    edits = _edits(seen.said["repair"])
    if not edits and after != before:
        yield Broken(f"{seen.format}: without an edit", f"{len(before)} bytes became {len(after)}")
        return
    named = [_span(edit.get("place")) for edit in edits]
    beside = [_span(edit.get("beside")) for edit in edits]
    at = 0
    for low, high in _records(before, [*named, *beside]):
        if any(start < high and low < end for start, end in named):
            continue
        found = after.find(before[low:high], at)
        if found < 0:
            yield Broken(seen.format, f"a record that no edit names changed or moved: {before[low:high][:300]!r}")
            return
        at = found + high - low


def _members_that_changed(seen: Seen, out: Contents) -> Iterator[Broken]:
    places = [edit["place"] for edit in _edits(seen.said["repair"]) if edit.get("place")]
    named = {place.get("member") for place in places}
    # An edit of a whole message names that one, and may change what lies apart and belongs to it.
    whole = [re.split("[/:]", place["member"])[-1].removesuffix(".json") for place in places if not place["pointer"]]
    after = _members(out)
    moved = {_without_number(row) for row in after.values()}
    for name, before in _members(seen.log).items():
        known = name in named or any(message in f"{name} {before!r}" for message in whole)
        kept = after[name] == before if name in after else _without_number(before) in moved
        if not known and not kept:
            yield Broken(seen.format, f"what no edit names changed: {name} was {before!r:.300}")


def _members(contents: Contents) -> dict[str, bytes | str]:
    """The files of a log of many, and the rows of its database, as edits name them."""
    found: dict[str, bytes | str] = {}
    for name, content in contents.items():
        if isinstance(content, bytes):
            found[name] = content
        else:
            rows = ((json.loads(row), row) for row in content)
            found |= {f"{read['table']}:{read.get('row', read.get('id', row))}": row for read, row in rows}
    return found


def _without_number(member: bytes | str) -> bytes | str:
    """A row without its number, which is its place among the others, and may be its id as well."""
    return re.sub(r'"(id|row)": \d+, ', "", member, count=2) if isinstance(member, str) else member


def _span(place: dict[str, Any] | None) -> tuple[int, int]:
    low, high = (place or {}).get("bytes") or (0, 0)
    return low, high


def _edits(said: Said) -> list[dict[str, Any]]:
    return [edit for session in said.sessions for edit in session.get("edits", ())]


def _records(data: bytes, edited: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans of the lines, or of the objects in the lists of a document, or of a line that is edited inside."""
    lines = [line.strip() for line in data.split(b"\n") if line.strip()]
    are_records = len(lines) > 1 and all(line[:1] == b"{" and line[-1:] == b"}" for line in lines[:2])
    at = 0
    for record in lines if are_records else list_members(data):
        low = data.index(record, at)
        at = low + len(record)
        if any(low <= start < end <= at and end - start < len(record) for start, end in edited):
            inside = low + 1  # behind the brace: the record itself is not looked for once more
            shifted = [(start - inside, end - inside) for start, end in edited if low < start]
            yield from ((inside + start, inside + end) for start, end in _records(data[inside:at], shifted))
        else:
            yield low, at


def repaired_twice_is_once(seen: Seen) -> Iterator[Broken]:
    """A repair of the repair changes nothing; a session that the first one laid open may be broken itself."""
    again, outcome = seen.said.get("again"), seen.said.get("outcome")
    if again is None or again.hung or again.fault or seen.out is None:
        return
    if outcome is not None and not (outcome.hung or outcome.fault) and len(outcome.sessions) > len(seen.sessions):
        return
    if seen.again is None:
        yield Broken(f"{seen.format}: refused", f"{again.code}: {again.out.strip()} {again.err.strip()}"[:600])
    elif seen.again != seen.out:
        yield Broken(f"{seen.format}: another outcome", again.out[:600])


def the_outcome_is_as_promised(seen: Seen) -> Iterator[Broken]:
    """What was written reads as the format that was repaired, or it is told to be named; and is no longer broken."""
    outcome = seen.said.get("outcome")
    if outcome is None or outcome.hung or outcome.fault:
        return
    formats = {str(each["format"]) for each in outcome.sessions}
    if formats != {seen.format}:
        yield Broken(f"{seen.format} became {', '.join(sorted(formats))}", f"outcome: {outcome.code}")
    if "unnamed" in seen.said and {str(each["format"]) for each in seen.said["unnamed"].sessions} == formats:
        yield Broken(f"{seen.format}: told to be named in vain", str(seen.said["repair"].report["warnings"]))
    verdicts = {each["verdict"] for each in outcome.sessions}
    own = {each.get("profile") for each in seen.sessions}
    promised = all(
        session.get("verified", {}).get(name, True) for session in seen.said["repair"].sessions for name in own
    )
    if promised and "--profile" not in seen.trial.choices and verdicts & {"broken", "unreadable"}:
        rules = sorted({f["rule"] for s in outcome.sessions for f in s["findings"] if f["severity"] == "error"})
        yield Broken(f"{seen.format}: still {' '.join(rules)}", str(sorted(verdicts)))


def nothing_steers_the_terminal(seen: Seen) -> Iterator[Broken]:
    """No sign of a log moves the cursor, sets a title or turns the direction of what is printed."""
    for name, said in seen.said.items():
        for where, text in (("output", said.out), ("errors", said.err)):
            text = text.replace("\r\n", "\n")
            if match := _STEERING.search(text):
                near = text[max(0, match.start() - 80) : match.end() + 20]
                yield Broken(f"{said.words[0]}, {where}: U+{ord(match[0]):04X}", f"{name}: {near!r}")


def json_is_valid(seen: Seen) -> Iterator[Broken]:
    for name, said in seen.said.items():
        if not said.is_json or said.hung or said.fault or (said.words[0] == "sent" and said.code):
            continue
        try:
            text = said.out.encode("utf-8", "surrogateescape").decode("utf-8")
            json.loads(text, parse_constant=_refuse, parse_int=str)  # a number may be too long for Python
        except ValueError as error:
            yield Broken(said.words[0], f"{name}: {error}: {said.out[:300]!r}")


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def no_stray_files(seen: Seen) -> Iterator[Broken]:
    """Nothing lies where nobody asked for it, and the log is as it was."""
    for stray in seen.strays:
        yield Broken(stray.partition(":")[0], stray)
    if seen.said["repair"].code and seen.out is not None:
        yield Broken("out", "a refused repair left an outcome")


PROPERTIES: tuple[Property, ...] = (
    no_fault_of_its_own,
    nothing_to_report,
    no_hang,
    exit_codes_as_documented,
    healthy_is_accepted,
    healthy_requests_have_the_published_types,
    nothing_lost_untold,
    what_no_edit_names_stays,
    repaired_twice_is_once,
    the_outcome_is_as_promised,
    nothing_steers_the_terminal,
    json_is_valid,
    no_stray_files,
)


class Failure(NamedTuple):
    """What a trial broke: the property's name, the place and what was seen."""

    kind: str
    place: str
    what: str

    @property
    def group(self) -> tuple[str, str]:
        return self.kind, self.place


def failures(seen: Seen) -> list[Failure]:
    """All that a trial broke. A property that falls over is a failure, too: of these tests."""
    found: list[Failure] = []
    for holds in PROPERTIES:
        try:
            found += (Failure(holds.__name__, *broken) for broken in holds(seen))
        except Exception as error:
            found.append(Failure("the_tests_themselves", f"{holds.__name__}: {error!r}"[:80], traceback.format_exc()))
    return found
