"""The part of the history that a compaction keeps, and its counts after a repair of the records before it.

`compactedCount` without `keptUserMessageCount` (older than the rework) keeps `history.slice(compactedCount)` after the
summary; a newer one keeps the user's prompts before it. Facts: as in `loader`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, TypeGuard, TypeVar

from msgspec import Struct

_COUNT_KEY = "compactedCount"
_AMOUNT_KEYS = (
    "tokensBefore tokensAfter summaryOutputTokens keptUserMessageCount keptHeadUserMessageCount droppedCount "
    "compactedCount"
).split()
_TOKEN_BUDGET = 20_000  # tokens of prompts that a compaction keeps when it does not say how many it kept
_REMEMBERED_MESSAGES = 64

T = TypeVar("T")


class CompactionCut(Struct, frozen=True):
    """The position of a compaction's cut: before message `at` of `length`, by `number` in the record.

    `tail` are the slots of the first messages after the cut, empty if all were compacted. `users` is the number of
    prompts that it keeps of all `prompts`, None if the record does not say (`said_users`).
    """

    number: int | None
    at: int
    length: int
    tail: tuple[int, ...]
    said_users: int | None
    users: int | None
    prompts: int

    @classmethod
    def made(
        cls, known: CompactionCut | None, number: int | None, users: int | None, slots: list[int], prompts: int
    ) -> CompactionCut:
        """Return the cut in a history of messages with these slots. `known` is the same cut in the log as read."""
        length = len(slots)
        at = length if number is None else max(number, 0)
        kept = users
        if known is not None and number is not None and known.number == number:
            at = _first_of(known.tail, slots) if known.tail else max(at, length)
        if known is not None and users is not None and known.said_users == users:
            kept = users + prompts - known.prompts
        return cls(number, at, length, tuple(slots[at : at + _REMEMBERED_MESSAGES]), users, kept, prompts)


CutsBySlot = dict[int, CompactionCut]
"""Cuts by the slot of their record."""


def _first_of(tail: tuple[int, ...], slots: list[int]) -> int:
    """Return the index of the first message after the cut that is left."""
    places = {slot: index for index, slot in enumerate(slots) if slot >= 0}
    return next((places[slot] for slot in tail if slot in places), len(slots))


def kept_prompts(prompts: list[T], value: dict[str, Any], users: int | None, text: Callable[[T], str]) -> list[T]:
    """Return the prompts that are kept: the last ones, or the first and last ones if the middle was left out."""
    if users is None:
        return _within_budget(prompts, text)
    head = min(integer_member(value, "keptHeadUserMessageCount") or 0, users)
    last = max(users - head, 0)
    rest = prompts[head:]
    return prompts[:head] + rest[max(len(rest) - last, 0) :]


def _within_budget(prompts: list[T], text: Callable[[T], str]) -> list[T]:
    """Return the newest prompts up to the budget, with the one that crosses it, which is kept shortened."""
    kept: list[T] = []
    left = _TOKEN_BUDGET
    for prompt in reversed(prompts):
        if left <= 0:
            break
        kept.append(prompt)
        left -= estimated_tokens(text(prompt))
    return kept[::-1]


def estimated_tokens(text: str) -> int:
    """Return the program's own estimate of tokens: one for four ASCII characters, one for any other character."""
    plain = sum(character < "\x80" for character in text)
    return -(-plain // 4) + len(text) - plain


def integer_member(value: dict[str, Any], key: str) -> int | None:
    """Return the number under a key without its fraction, None for anything else."""
    number = value.get(key)
    return int(number) if _is_number(number) else None


def is_accepted_by_engine_v2(value: dict[str, Any]) -> bool:
    """Return whether engine v2 accepts a compaction; it skips what its schema does not allow (`contextEvents.ts`)."""
    summaries = [value[key] for key in ("summary", "contextSummary") if key in value]
    fits = all(_is_number(value[key]) for key in _AMOUNT_KEYS if key in value)
    if _is_number(value.get("count")):
        return fits
    has_summary = bool(summaries) and all(isinstance(summary, str) for summary in summaries)
    return fits and has_summary and _is_number(value.get(_COUNT_KEY))


def _is_number(value: object) -> TypeGuard[int | float]:
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
