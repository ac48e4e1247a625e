"""The messages that the agent would hold in memory, compared with the log and with the program's other readers.

The readers: the two engines, the viewer, the transcript that the daemon serves (`services/message/transcript.ts`), and
the strict projection that is sent after a provider's 400 (`context/projector.ts`).
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

from inspector.core.formats.kimi_code.loader import (
    ENGINE_V1_RULES,
    ENGINE_V2_RULES,
    VIEWER_RULES,
    FoldedMessage,
    FoldedMessageStatus,
    HistoryFold,
    ReplayRules,
)
from inspector.core.model.columnar_index import Columns, ReadRecord, Role
from inspector.core.model.session import HistoryInMemory
from inspector.core.model.views import one_based
from inspector.core.translation import PluralSentence, joined, tr, tr_plural

_NO_OPEN_STEP = tr(
    "This record does not belong to an open step. Engine v1 does not load the session, and engine v2 skips the record."
)
MemoryItem: TypeAlias = tuple[Role, int, str]
"""The role, the first record (-1 if the reader adds the message) and the answered call of a message, to compare."""


def compare_memory_with_log(columns: Columns, raw: ReadRecord, reader: ReplayRules) -> HistoryInMemory:
    """Return what `reader` would hold at the end of a resume."""
    fold = HistoryFold(columns, raw, reader).run().finish()
    logged = sum(entry.kind in (FoldedMessageStatus.MESSAGE, FoldedMessageStatus.STRAY) for entry in fold.history)
    held = sum(entry.counts for entry in fold.history)
    notes = [*fold.notes, *((record, _NO_OPEN_STEP) for record in fold.homeless)]
    return HistoryInMemory(held, logged, tuple(sorted(notes)), tuple(_disagreements(columns, raw, fold)))


def _disagreements(columns: Columns, raw: ReadRecord, own: HistoryFold) -> Iterator[str]:
    held = _items(own)
    other = ENGINE_V1_RULES if own.reader is ENGINE_V2_RULES else ENGINE_V2_RULES
    if own.homeless:
        yield tr(
            "Engine v1 (agent-core) does not load the log, because a part or call does not belong to an open "
            "step. Other readers skip the part or call."
        )
    for reader in (other, VIEWER_RULES):
        seen = HistoryFold(columns, raw, reader).run()
        yield from _compared(reader.label, held, _items(seen if reader is VIEWER_RULES else seen.finish()))
    yield from _transcript(own)
    yield from _changed_by_retry(own)


def _items(fold: HistoryFold) -> list[MemoryItem]:
    return [
        (entry.role, entry.records[0] if entry.records else -1, entry.call_id) for entry in fold.history if entry.counts
    ]


def _compared(label: str, own: list[MemoryItem], other: list[MemoryItem]) -> Iterator[str]:
    """Yield one sentence if a reader would hold something else."""
    if own == other:
        return
    more, fewer = list((Counter(other) - Counter(own)).elements()), list((Counter(own) - Counter(other)).elements())
    differences = []
    if more:
        also = len(more) - 1
        one, several = tr("it has {item}"), tr("it has {item} (and {also} more)")
        differences.append(tr(several if also else one, item=_describe(more[0]), also=also))
    if fewer:
        also = len(fewer) - 1
        one, several = tr("it is missing {item}"), tr("it is missing {item} (and {also} more)")
        differences.append(tr(several if also else one, item=_describe(fewer[0]), also=also))
    if not differences:
        differences.append(tr("the messages are in a different order"))
    told = tr("{first} and {second}", first=differences[0], second=differences[1]) if more and fewer else differences[0]
    count = (
        tr("{number} messages instead of {own_count}", number=len(other), own_count=len(own))
        if len(other) != len(own)
        else tr("{number} other messages", number=len(own))
    )
    yield tr("{reader} would have {count}: {differences}.", reader=label, count=count, differences=told)


def _describe(item: MemoryItem) -> str:
    role, record, call_id = item
    if record < 0:
        return (
            tr("the agent's own result for the call {call_id!r}", call_id=call_id)
            if role == Role.TOOL
            else tr("its own note")
        )
    if role == Role.TOOL:
        return tr("the result of {call_id!r} in record {record}", call_id=call_id, record=one_based(record))
    return tr("the {name} message in record {record}", name=role.name.lower(), record=one_based(record))


def _transcript(own: HistoryFold) -> Iterator[str]:
    """Yield a sentence if the transcript counts wrongly: it takes the number of kept prompts from the record."""
    counts = [(cut.said_users, cut.prompts) for cut in own.cuts.values() if cut.said_users is not None]
    kept, prompts = counts[-1] if counts else (0, 0)
    if kept > prompts:
        yield tr(
            "The daemon's transcript shows the wrong messages after the last compaction, because the daemon "
            "assumes that {kept} prompts were kept, but there were only {prompts}.",
            kept=kept,
            prompts=prompts,
        )


def _changed_by_retry(own: HistoryFold) -> Iterator[str]:
    """Yield a sentence about the changes of the projection after a 400, if there are any."""
    columns = own.columns
    entries = [entry for entry in own.history if entry.counts and not _is_empty(columns, entry)]
    calls: set[str] = set()
    answers: set[str] = set()
    repeated_calls = repeated_results = orphans = 0
    for entry in entries:
        if entry.role == Role.ASSISTANT:
            for call_id, _ in own.entries.calls(entry):
                repeated_calls += call_id in calls
                calls.add(call_id)
        elif entry.role == Role.TOOL:
            repeated_results += entry.call_id in answers
            orphans += entry.call_id not in calls
            answers.add(entry.call_id)
    neighbours = sum(one.role == Role.ASSISTANT == other.role for one, other in pairwise(entries))
    leading = next((number for number, entry in enumerate(entries) if entry.role == Role.USER), len(entries))
    changes = (
        tr_plural(
            "drops {number} call whose id was used before",
            "drops {number} calls that reuse an id",
            repeated_calls,
        ),
        tr_plural(
            "drops {number} result for an id that already has a result",
            "drops {number} results for an id that already has a result",
            repeated_results,
        ),
        tr_plural("drops {number} result without a call", "drops {number} results without a call", orphans),
        tr_plural(
            "adds its own result for {number} call", "adds its own results for {number} calls", len(calls - answers)
        ),
        tr_plural(
            "drops {number} message before the first user message",
            "drops {number} messages before the first user message",
            leading,
        ),
        tr_plural(
            "merges {number} assistant message into the previous message",
            "merges {number} assistant messages into the previous message",
            neighbours,
        ),
    )
    changed = [change for change in changes if isinstance(change, PluralSentence) and change.number]
    if changed:
        yield tr(
            "If the provider returns error 400, Kimi Code makes further changes to the history and tries "
            "again: it {changed}.",
            changed=joined(", ", changed),
        )


def _is_empty(columns: Columns, entry: FoldedMessage) -> bool:
    return entry.role == Role.ASSISTANT and not any(columns.blocks[record] for record in entry.records)
