"""Rules about bytes: records that are no JSON, or no text."""

from inspector.core.analysis.damage import DamageKind, match_damage_of_kind
from inspector.core.formats.base.agent_behavior import InvalidCharacters, RequestBuilder
from inspector.core.rules.rule import Hits, ThreadContext, damage_rule


@damage_rule("F1", "torn-end", "quarantine")
def truncated_last_record(context: ThreadContext) -> Hits:
    """The last record was cut off.

    What it finds: a last line, or a JSON document, that ends in the middle of a record.
    Why it matters: the agent skips the record or rejects the whole log.
    Example:
      {"type":"assis
    Repairs: quarantine (the bytes are kept in a separate file).
    """
    return match_damage_of_kind(context, "F1", DamageKind.TRUNCATED)


@damage_rule("F2", "fused-records", "salvage", "quarantine")
def fused_records(context: ThreadContext) -> Hits:
    """One line contains several records.

    What it finds: a line with a complete record at its end, preceded by a damaged record or by other complete records.
    Why it matters: a program that reads one record per line loses everything on this line.
    Example:
      {"type":"assi{"type":"user",…}
    Repairs: salvage (keeps every complete record; the damaged part is kept in a separate file), quarantine (moves the
    whole line to a separate file).
    """
    return match_damage_of_kind(context, "F2", DamageKind.SEVERAL_ON_ONE_LINE)


@damage_rule("F3", "nul-bytes", "salvage", "quarantine")
def nul_bytes(context: ThreadContext) -> Hits:
    """A line contains NUL bytes.

    What it finds: a line that consists of NUL bytes, or that has NUL bytes before or after a record. A crash of the
    machine can leave such lines.
    Why it matters: the line is not valid JSON, and strict readers stop at it.
    Example:
      300 NUL bytes in the middle of the file
    Repairs: salvage (keeps a complete record on the line), quarantine (moves the bytes to a separate file, and is the
    default for a line without a record).
    """
    return match_damage_of_kind(context, "F3", DamageKind.NUL_BYTES)


@damage_rule("F4", "split-record", "salvage", "quarantine")
def record_split_over_lines(context: ThreadContext) -> Hits:
    """One record is split across several lines.

    What it finds: a record that has unescaped line breaks in a string, so that none of its lines is valid JSON.
    Why it matters: no part of the record can be read.
    Example:
      {"text":"one
      two"}
    Repairs: salvage (escapes the line breaks, which makes the record complete again), quarantine (moves its lines to a
    separate file).
    """
    return match_damage_of_kind(context, "F4", DamageKind.SPLIT_OVER_LINES)


@damage_rule("F5", "invalid-utf8", "quarantine", "salvage")
def invalid_utf8(context: ThreadContext) -> Hits:
    """A line contains bytes that are not UTF-8.

    What it finds: a line with invalid UTF-8. The fast check looks only at the text that it decodes, and --deep checks
    every byte.
    Why it matters: strict readers reject the line or the log.
    Example:
      "caf\\xe9"
    Repairs: quarantine, salvage (replaces each invalid byte with U+FFFD, and is the default if the agent reads the line
    in the same way).
    """
    return match_damage_of_kind(context, "F5", DamageKind.NOT_UTF8, "salvage" if _agent_replaces_bytes(context) else "")


def _agent_replaces_bytes(context: ThreadContext) -> bool:
    format = context.format
    return isinstance(format, RequestBuilder) and format.invalid_characters(context.session.version).get("F5") in (
        InvalidCharacters.REPLACED,
        InvalidCharacters.INDEXED,
    )


@damage_rule("F6", "unreadable-record", "salvage", "quarantine")
def invalid_json_record(context: ThreadContext) -> Hits:
    """A line in the middle of the file is not valid JSON or cannot be read by the agent.

    What it finds: a malformed line that no other rule describes.
    Why it matters: some readers stop at this line, and everything after it is lost.
    Example:
      {"type":"user",,}
    Repairs: quarantine (the bytes are kept in a separate file). If the line begins with a complete record, salvage
    keeps this record, and only the rest of the line is moved to a separate file.
    """
    for kind in (DamageKind.INVALID_JSON, DamageKind.INVALID_STRUCTURE):
        yield from match_damage_of_kind(context, "F6", kind)


@damage_rule("F7", "lone-surrogate", "normalise characters", "quarantine")
def lone_surrogate(context: ThreadContext) -> Hits:
    """A string contains half of a surrogate pair.

    What it finds: an escape such as \\ud83d without its other half. This happens if a text is cut off in the middle of
    an emoji.
    Why it matters: the provider rejects the request body in every turn.
    Example:
      "cut here \\ud83d"
    Repairs: normalise (replaces the half with U+FFFD), quarantine (the record is kept in a separate file).
    """
    return match_damage_of_kind(context, "F7", DamageKind.LONE_SURROGATE)


@damage_rule("F8", "byte-order-mark", "salvage")
def byte_order_mark(context: ThreadContext) -> Hits:
    """A byte order mark precedes a record.

    What it finds: the three bytes of a byte order mark before a record. Some editors put them at the start of a file.
    If files were joined, they can also be in the middle.
    Why it matters: the line is not valid JSON with these bytes. Codex, pi and Gemini CLI do not recognise a file that
    starts with them, and load nothing from it. Other programs ignore a byte order mark at the start of a file.
    Example:
      U+FEFF before {"type":"session_meta",…} in the first line of a rollout
    Repairs: salvage (keeps the record, without the mark).
    """
    return match_damage_of_kind(context, "F8", DamageKind.BYTE_ORDER_MARK)
