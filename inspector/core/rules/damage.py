"""Rules about bytes: records that are no JSON, or no text."""

from inspector.core.analysis.damage import DamageKind, find_damage_of_kind
from inspector.core.formats.base.agent_behavior import InvalidCharacters, RequestBuilder
from inspector.core.rules.rule import Hits, ThreadContext, damage_rule


@damage_rule("F1", "torn-end", "quarantine")
def truncated_last_record(context: ThreadContext) -> Hits:
    """A last record that was cut off.

    What it finds: a last line, or the end of a document, that breaks off in mid-record.
    Why it hurts: the agent skips it or refuses the whole log.
    Example: {"type":"assis
    Repairs: quarantine (the bytes are kept beside the output).
    """
    return find_damage_of_kind(context, "F1", DamageKind.TRUNCATED)


@damage_rule("F2", "fused-records", "salvage", "quarantine")
def fused_records(context: ThreadContext) -> Hits:
    """Several records on one line.

    What it finds: a line whose end is a complete record of its own, behind a torn record or behind whole ones.
    Why it hurts: a reader that takes a line for one record loses all that is on it.
    Example: {"type":"assi{"type":"user",…}
    Repairs: salvage (every whole record stays, the torn part is kept beside the output), quarantine (the whole line is).
    """
    return find_damage_of_kind(context, "F2", DamageKind.SEVERAL_ON_ONE_LINE)


@damage_rule("F3", "nul-bytes", "quarantine", "salvage")
def nul_bytes(context: ThreadContext) -> Hits:
    """A run of NUL bytes.

    What it finds: a line of NUL bytes, as a crash of the machine leaves it.
    Why it hurts: the line is no JSON, and strict readers stop there.
    Example: 300 NUL bytes in mid-file
    Repairs: quarantine; salvage keeps a record that stands behind them.
    """
    return find_damage_of_kind(context, "F3", DamageKind.NUL_BYTES)


@damage_rule("F4", "split-record", "salvage", "quarantine")
def record_split_over_lines(context: ThreadContext) -> Hits:
    """One record split over several lines.

    What it finds: a record with raw line ends inside a string, so that its lines are no JSON by themselves.
    Why it hurts: every part is unreadable.
    Example: {"text":"one
    two"} with a real line end
    Repairs: salvage (the line ends are escaped, the record is whole again), quarantine (its lines are kept beside the
    output).
    """
    return find_damage_of_kind(context, "F4", DamageKind.SPLIT_OVER_LINES)


@damage_rule("F5", "invalid-utf8", "quarantine", "salvage")
def invalid_utf8(context: ThreadContext) -> Hits:
    """Bytes that are not UTF-8.

    What it finds: a line with invalid UTF-8. The fast check sees it only in text that it decodes; --deep judges
    every byte.
    Why it hurts: strict readers refuse the line or the log.
    Example: "caf\xe9"
    Repairs: quarantine; salvage puts U+FFFD in the place of each bad byte, and is the default where the agent reads the
    line so.
    """
    return find_damage_of_kind(context, "F5", DamageKind.NOT_UTF8, "salvage" if _agent_replaces_bytes(context) else "")


def _agent_replaces_bytes(context: ThreadContext) -> bool:
    format = context.format
    return isinstance(format, RequestBuilder) and format.invalid_characters(context.session.version).get("F5") in (
        InvalidCharacters.REPLACED,
        InvalidCharacters.INDEXED,
    )


@damage_rule("F6", "unreadable-record", "quarantine")
def invalid_json_record(context: ThreadContext) -> Hits:
    """A line in mid-file that is not valid JSON.

    What it finds: a malformed line that is none of the other cases.
    Why it hurts: some readers stop there, and everything after it is gone.
    Example: {"type":"user",,}
    Repairs: quarantine (the bytes are kept beside the output).
    """
    return find_damage_of_kind(context, "F6", DamageKind.INVALID_JSON)


@damage_rule("F7", "lone-surrogate", "normalise characters", "quarantine")
def lone_surrogate(context: ThreadContext) -> Hits:
    """Half of a surrogate pair.

    What it finds: an escape such as \\ud83d without its other half, as a cut in the middle of an emoji leaves it.
    Why it hurts: the provider refuses the request body, at every turn.
    Example: "cut here \\ud83d"
    Repairs: normalise (the half becomes U+FFFD), quarantine (the record is kept beside the output).
    """
    return find_damage_of_kind(context, "F7", DamageKind.LONE_SURROGATE)


@damage_rule("F8", "byte-order-mark", "salvage")
def byte_order_mark(context: ThreadContext) -> Hits:
    """A byte order mark before a record.

    What it finds: the three bytes of a byte order mark before a record. Editors put them at the start of a file, and files
    that were put together have them in the middle.
    Why it hurts: with them the line is no JSON. Codex, pi and Gemini CLI take a file that begins so for none of theirs, and
    load nothing of it; other programs pass the mark by at the start of a file.
    Example: U+FEFF before {"type":"session_meta",…} in the first line of a rollout
    Repairs: salvage (the record stays, without the mark).
    """
    return find_damage_of_kind(context, "F8", DamageKind.BYTE_ORDER_MARK)
