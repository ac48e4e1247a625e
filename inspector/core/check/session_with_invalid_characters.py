"""A session as its agent reads it, where the agent reads records that the index leaves out.

Agents differ in what they do with bytes that are not UTF-8 and with halves of surrogate pairs, see `InvalidCharacters`.
The index leaves such records out, because no provider takes them.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from inspector.core.analysis.damage import Damage, DamageKind, damaged_places
from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.formats.base.agent_behavior import InvalidCharacters, RequestBuilder, SessionAsLoaded
from inspector.core.model.columnar_index import Columns
from inspector.core.rules import INVALID_CHARACTER_RULES

_RULE_OF_DAMAGE = {DamageKind.NOT_UTF8: "F5", DamageKind.LONE_SURROGATE: "F7"}


def session_with_invalid_characters(
    context: ThreadContext, errors: set[str]
) -> tuple[SessionAsLoaded, frozenset[int]] | None:
    """Return the session with the records that its agent reads although they hold invalid characters.

    With it, the records that hold half of a surrogate pair. Records keep their numbers, blocks do not. None where the
    agent reads no such record, and where it is not known. `errors` are the rules that report errors.
    """
    format, log = context.format, context.log
    if log is None or errors.isdisjoint(INVALID_CHARACTER_RULES) or not isinstance(format, RequestBuilder):
        return None
    handling = format.invalid_characters(context.session.version)
    found = [damage for damage in damaged_places(context) if _is_read(damage, handling)]
    if not found:
        return None
    halves = frozenset(damage.first for damage in found if damage.kind == DamageKind.LONE_SURROGATE)
    sent_as_they_are = halves if handling.get("F7") == InvalidCharacters.SENT else ()
    columns, raw, texts = context.columns, context.raw, {damage.first: damage.records[0] for damage in found}
    changes: list[tuple[int, int, Columns]] = []
    for record, text in texts.items():
        part = Columns()
        format.index_record(part, text, columns.starts[record], columns.ends[record])
        changes.append((record, record + 1, part))
    loaded = columns.with_changes(changes)
    loaded.set_offsets(loaded.starts, loaded.ends, columns.stable_numbers)

    def read(record: int) -> bytes:
        return texts[record] if record in texts and record not in sent_as_they_are else raw(record)

    sessions = format.sessions(log, loaded, read)
    if len(sessions) != len(log.sessions):
        return None  # a record begins another session
    new = sessions[context.session.number]
    session = replace(
        context.session,
        threads=new.threads,
        duplicate_records=new.duplicate_records,
        ordinal_breaks=new.ordinal_breaks,
    )
    return SessionAsLoaded(session, loaded, read), halves


def _is_read(damage: Damage, handling: Mapping[str, InvalidCharacters]) -> bool:
    does = handling.get(_RULE_OF_DAMAGE.get(damage.kind, ""), InvalidCharacters.SKIPPED)
    return does in (InvalidCharacters.REPLACED, InvalidCharacters.SENT) and len(damage.records) == 1
