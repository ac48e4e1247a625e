"""The form of a plan without content: versioned JSON. Fields may be added, never changed."""

import msgspec
from msgspec import Struct

from inspector.core.bytes.json_text import pretty_json
from inspector.core.errors import UnreadableLog
from inspector.version import __version__

SCHEMA_VERSION = 1
TOOL_VERSION = f"transcript-inspector {__version__}"


class PlannedSession(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A session that the plan edits: its number in the log, a hash of its id, how many records it held; its choices.

    `among` is a hash of the id by which it is found among several, "" where the log held one.
    """

    number: int
    id: str
    records: int
    among: str = ""
    preset: str = ""
    rules: dict[str, str] = {}


class PlannedRecord(Struct, frozen=True, kw_only=True):
    """A record that the plan edits, or beside which it adds: its place in one of the plan's sessions, and its length.

    `session` is None for a record of no session, whose place is that in the log; `does` says what becomes of it.
    """

    session: int | None
    record: int
    bytes: int
    does: tuple[str, ...]


class PlannedFinding(Struct, frozen=True, kw_only=True):
    """A finding that is mended: its class, its name as a hash, that of its open call ("" where it is none), and how.

    `chosen`: somebody chose the strategy for this finding by itself.
    """

    rule: str
    name: str
    call: str
    strategy: str
    chosen: bool


class PlanFile(Struct, frozen=True, kw_only=True):
    """A plan as it is passed on. `bound` is a hash of the records that it names, `result` one of what becomes of them.

    `deep`: every byte of the log was judged. The presets, rules, strategies and wordings are names of our own tables.
    """

    schema: int
    tool: str
    format: str
    deep: bool
    profile: str
    preset: str
    wording: str
    rules: dict[str, str]
    sessions: tuple[PlannedSession, ...]
    records: tuple[PlannedRecord, ...]
    findings: tuple[PlannedFinding, ...]
    bound: str
    result: str

    def encode(self) -> bytes:
        """The file."""
        return f"{pretty_json(msgspec.to_builtins(self))}\n".encode()


class _Version(Struct):
    schema: int
    tool: str


def decode_plan(data: bytes, path: str) -> PlanFile:
    """The plan that a file holds. Raises UnreadableLog."""
    try:
        version = msgspec.json.decode(data, type=_Version)
        if version.schema > SCHEMA_VERSION:
            raise UnreadableLog(f"{path} was made by a newer {version.tool}: take that version to apply it.")
        return msgspec.json.decode(data, type=PlanFile)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableLog(f"{path} is no plan that `repair --plan-out` has written: {error}.") from error
