"""Times of a log as a person reads them: the session's clock, and how long something took.

A time is what the log wrote: an ISO text, or seconds, milliseconds, micro- or nanoseconds since 1970. A number is shown
as ISO in UTC; a text stays as it is, in the zone that it was written in.
"""

import re
from contextlib import suppress
from datetime import UTC, datetime

_NUMBER = re.compile(r"\d{9,19}(?:\.\d+)?")
_FRACTION = re.compile(r"\.(\d{6})\d+")
_YEAR_2286 = 10_000_000_000  # seconds; a larger number counts something smaller
LONG_WAIT_SECONDS = 60  # seconds: a wait that is told


def to_iso(time: str) -> str:
    """A time as ISO 8601; what is no time stays as it is."""
    if not _NUMBER.fullmatch(time):
        return time
    seconds = float(time)
    while seconds >= _YEAR_2286:
        seconds /= 1000
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def time_of_day(time: str) -> str:
    """The time of day; anything else unchanged."""
    time = to_iso(time)
    return time[11:19] if len(time) >= 19 and time[4:5] == "-" and time[10:11] in ("T", " ") else time[:19]


def matches_time(time: str, wanted: str, after: bool) -> bool:
    """Whether a time is at or after, or else before, a date or a time of day as a person writes it; else False."""
    time = to_iso(time)
    if len(time) < 16 or time[4] != "-" or time[10] not in "T ":
        return False
    told = time[11:19] if wanted[2:3] == ":" else time[:19]
    told, wanted = told[: len(wanted)].replace(" ", "T"), wanted.replace(" ", "T")
    return told >= wanted if after else told < wanted


def to_timestamp(time: str) -> float | None:
    """Seconds since 1970, None for what is no time. A text without a zone is taken for UTC."""
    with suppress(ValueError, OverflowError):
        found = datetime.fromisoformat(_FRACTION.sub(r".\1", to_iso(time)))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return None


def seconds_between(before: str, after: str) -> float | None:
    """Seconds from one time to another, None where either is none, or they run backwards."""
    start, end = to_timestamp(before), to_timestamp(after)
    return None if start is None or end is None or end < start else end - start


def format_duration(seconds: float, units: int = 2) -> str:
    """How long, in the largest units: "0.4 s", "12 s", "3 min 20 s", "2 h 5 min", "4 d 1 h"."""
    if seconds < 10:
        return f"{seconds:.1f} s".replace(".0 ", " ")
    whole, told = round(seconds), list[str]()
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, whole = divmod(whole, size)
        if count or told:
            told.append(f"{count} {unit}" if count else "")
    return " ".join(filter(None, told[:units]))
