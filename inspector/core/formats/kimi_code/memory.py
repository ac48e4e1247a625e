"""What the agent would have in memory, beside what the log says, and which of the program's readers see it otherwise.

The readers: the two engines, the viewer, the transcript that the daemon serves (`services/message/transcript.ts`), and
the strict projection that is sent after a provider's 400 (`context/projector.ts`).
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

from inspector.core.formats.kimi_code.entries import Entry, Kind
from inspector.core.formats.kimi_code.fold import Fold
from inspector.core.formats.kimi_code.reader import V1, V2, VIEWER, Reader
from inspector.core.index.columns import Columns, ReadRecord, Role
from inspector.core.index.place import one_based
from inspector.core.index.session import AgentMemory
from inspector.core.known_texts.amounts import count_phrase

_HOMELESS = "No step is open that this belongs to: engine v1 refuses the session here, engine v2 leaves it out."
Item: TypeAlias = tuple[Role, int, str]
"""What readers are compared by: who speaks, the first record (-1: put in by the reader), the call that is answered."""


def memory_of(columns: Columns, raw: ReadRecord, reader: Reader) -> AgentMemory:
    """What `reader` would hold at the end of a resume."""
    fold = Fold(columns, raw, reader).run().finish()
    logged = sum(entry.kind in (Kind.MESSAGE, Kind.STRAY) for entry in fold.history)
    held = sum(entry.counts for entry in fold.history)
    notes = [*fold.notes, *((record, _HOMELESS) for record in fold.homeless)]
    return AgentMemory(held, logged, tuple(sorted(notes)), tuple(_disagreements(columns, raw, fold)))


def _disagreements(columns: Columns, raw: ReadRecord, own: Fold) -> Iterator[str]:
    held = _items(own)
    other = V1 if own.reader is V2 else V2
    if own.homeless:
        yield f"{V1.label} does not load the log: a part or call belongs to no open step. The others leave it out."
    for reader in (other, VIEWER):
        seen = Fold(columns, raw, reader).run()
        yield from _compared(reader.label, held, _items(seen if reader is VIEWER else seen.finish()))
    yield from _transcript(own)
    yield from _strict(own)


def _items(fold: Fold) -> list[Item]:
    return [
        (entry.role, entry.records[0] if entry.records else -1, entry.call_id) for entry in fold.history if entry.counts
    ]


def _compared(label: str, own: list[Item], other: list[Item]) -> Iterator[str]:
    """One sentence for a reader that would hold something else."""
    if own == other:
        return
    more, fewer = list((Counter(other) - Counter(own)).elements()), list((Counter(own) - Counter(other)).elements())
    differences = []
    if more:
        differences.append(f"it has {_named(more[0])}{_rest(more)}")
    if fewer:
        differences.append(f"it lacks {_named(fewer[0])}{_rest(fewer)}")
    if not differences:
        differences.append("it has them in another order")
    count = f"{len(other)} messages instead of {len(own)}" if len(other) != len(own) else f"{len(own)} other messages"
    yield f"{label[0].upper()}{label[1:]} would hold {count}: {' and '.join(differences)}."


def _named(item: Item) -> str:
    role, record, call_id = item
    if record < 0:
        return f"a result of its own for the call {call_id!r}" if role == Role.TOOL else "a note of its own"
    if role == Role.TOOL:
        return f"the result of {call_id!r} in record {one_based(record)}"
    return f"the {role.name.lower()} message of record {one_based(record)}"


def _rest(items: list[Item]) -> str:
    return f" (and {len(items) - 1} more)" if len(items) > 1 else ""


def _transcript(own: Fold) -> Iterator[str]:
    """The transcript counts what a compaction kept by the number in its record."""
    told = [(cut.said_users, cut.prompts) for cut in own.cuts.values() if cut.said_users is not None]
    kept, prompts = told[-1] if told else (0, 0)
    if kept > prompts:
        yield (
            f"The daemon's transcript takes {kept} prompts to be kept by the last compaction, and there "
            f"were {prompts}: it shows the messages after it from the wrong place on."
        )


def _strict(own: Fold) -> Iterator[str]:
    """What the projection after a 400 changes."""
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
        (repeated_calls, "drops {} whose id was used before", "call"),
        (repeated_results, "drops {} of an id that has one", "result"),
        (orphans, "drops {} without a call", "result"),
        (len(calls - answers), "answers {} itself", "call"),
        (leading, "drops {} before the first of the person", "message"),
        (neighbours, "merges {} into the one before", "assistant message"),
    )
    changed = [change.format(count_phrase(count, what)) for count, change, what in changes if count]
    if changed:
        yield f"The strict projection (sent after a 400) {', '.join(changed)}."


def _is_empty(columns: Columns, entry: Entry) -> bool:
    return entry.role == Role.ASSISTANT and not any(columns.blocks[record] for record in entry.records)
