"""Which records of two logs are the same ones.

A record is known again by its id, else by what it says, however its JSON is spelled; the second of two alike is that of
the other log that is the second there, too. Of the records that both hold, as many as can be stand in the same order.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

import orjson
from msgspec import Struct

from inspector.core.bytes.json_text import is_valid_json, parse_json
from inspector.core.formats.bases.agent import agent_of
from inspector.core.index.session import Log, Session
from inspector.core.judging.check import Report
from inspector.core.repair.adoption import is_random_id


class Alignment(Struct):
    """Records of a first and a second log: pairs of the same ones, and those that only one has.

    `same` and `changed` stand in one order in both; `moved` are the same ones elsewhere. `changed` have the same id.
    """

    same: list[tuple[int, int]]
    changed: list[tuple[int, int]]
    moved: list[tuple[int, int]]
    only_first: list[int]
    only_second: list[int]

    @property
    def is_equal(self) -> bool:
        return not (self.changed or self.moved or self.only_first or self.only_second)


class SharedIds(Struct, frozen=True):
    """What tells that two logs are of one conversation: ids of sessions, and numbers of ids of records and calls."""

    sessions: tuple[str, ...]
    records: int
    calls: int


def shared_ids(one: Report, other: Report) -> SharedIds:
    """What the ids of two logs have in common; of calls only those that no two share by chance."""
    ids = [{each for known in report.sessions for each in _session_ids(known.session)} for report in (one, other)]
    mine, theirs = one.log.columns, other.log.columns
    calls = set(filter(None, mine.call_ids)) & set(filter(None, theirs.call_ids))
    return SharedIds(
        tuple(sorted(filter(is_random_id, ids[0] & ids[1]))),
        len(set(filter(None, mine.uuids)) & set(filter(None, theirs.uuids))),
        sum(map(is_random_id, calls)),
    )


def align_records(one: Report, other: Report) -> Alignment:
    """Align the records of two logs, whose sources must be open."""
    named = {agent_of(report.format).session_pointer.removeprefix("/") for report in (one, other)}
    mine, theirs = list(_record_keys(one.log, named)), list(_record_keys(other.log, named))
    place = {key: record for record, key in enumerate(theirs)}
    pairs = [(record, place[key]) for record, key in enumerate(mine) if key in place]
    ordered = _longest_increasing([second for _, second in pairs])
    found = Alignment([], [], [], [], [])
    for number, pair in enumerate(pairs):
        if number not in ordered:
            found.moved.append(pair)
        elif _same_content(one.log.raw(pair[0]), other.log.raw(pair[1]), named):
            found.same.append(pair)
        else:
            found.changed.append(pair)
    known = set(mine)
    found.only_first = [record for record, key in enumerate(mine) if key not in place]
    found.only_second = [record for record, key in enumerate(theirs) if key not in known]
    return found


def _session_ids(session: Session) -> set[str]:
    return {session.id, *session.other_session_ids}


def _record_keys(log: Log, without: set[str]) -> Iterator[tuple[str | bytes, int]]:
    """What each record is known again by, and which one of those alike it is."""
    seen: Counter[str | bytes] = Counter()
    for record, uuid in enumerate(log.columns.uuids):
        key = uuid or _normalised_json(log.raw(record), without)
        yield key, seen[key]
        seen[key] += 1


def _normalised_json(raw: bytes, without: set[str]) -> bytes:
    """A record as JSON, the same however it is spaced, its members are ordered and its session is called."""
    if not is_valid_json(raw):
        return raw
    value = parse_json(raw)
    if isinstance(value, dict):
        value = {name: each for name, each in value.items() if name not in without}
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # a number that is too large for orjson, or half a character
        return raw


def _same_content(raw: bytes, other: bytes, without: set[str]) -> bool:
    """Whether two records differ in nothing but the session that they name."""
    return raw == other or _normalised_json(raw, without) == _normalised_json(other, without)


def _longest_increasing(numbers: list[int]) -> set[int]:
    """The places of the most numbers that can be left so that they rise; all numbers are others."""
    ends: list[int] = []  # the smallest number that a rise of each length ends with
    at: list[int] = []
    before: list[int] = []
    for place, number in enumerate(numbers):
        length = bisect_left(ends, number)
        ends[length : length + 1] = [number]
        at[length : length + 1] = [place]
        before.append(at[length - 1] if length else -1)
    found: set[int] = set()
    place = at[-1] if at else -1
    while place >= 0:
        found.add(place)
        place = before[place]
    return found
