"""Times as logs write them, as text that can be compared: ISO 8601, in the time zone of the log."""

from datetime import UTC, datetime

# Seconds since 1970 of so many digits are milliseconds.
_MILLISECONDS = 1e11


def iso(time: str) -> str:
    """A time as `2026-01-31T12:30:05`, "" where it cannot be told. A number is (milli)seconds since 1970, UTC."""
    if len(time) >= 16 and time[4] == time[7] == "-" and time[13] == ":":
        return time[:10] + "T" + time[11:19]
    try:
        seconds = float(time)
        seconds = seconds / 1000 if seconds > _MILLISECONDS else seconds
        return datetime.fromtimestamp(seconds, UTC).isoformat()[:19]
    except (ValueError, OverflowError, OSError):
        return ""


def falls(time: str, asked: str, after: bool) -> bool:
    """Whether an ISO time is at or after, or else before, a date or a time of day that was asked for."""
    of_day = len(asked) > 2 and asked[2] == ":"
    told = (time[11:] if of_day else time)[: len(asked)]
    asked = asked.replace(" ", "T")
    return told >= asked if after else told < asked
