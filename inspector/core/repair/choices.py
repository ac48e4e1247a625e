"""What the person chose for a repair.

Merged; to be rewritten:
`offers`: What another log offers for the open calls of one that is to be repaired.
`named`: The findings that a plan without content names: by hashes that only who has the log can make.
"""

from collections.abc import Mapping
from hashlib import blake2b
from typing import TypeAlias

from msgspec import Struct

from inspector.core.analysis.thread import ThreadContext
from inspector.core.errors import UnknownName
from inspector.core.model.session import Session
from inspector.core.model.views import one_based
from inspector.core.providers.placeholders import placeholder_template
from inspector.core.repair.presets import Preset, preset_named

# What another log offers for the open calls of one that is to be repaired.

ADOPT_STRATEGY = "adopt"


class ResultOffer(Struct, frozen=True):
    """A result that another log holds: `block` spells it in the form of the target's format.

    `whole` tells whether it is the other log's own block; else its text was taken over. `known_by` tells how the two
    logs are known to be of one conversation, `text` the beginning of what the result says.
    """

    block: bytes
    same_format: bool
    path: str
    record: int
    matched_by: str
    line: int | None = None
    text: str = ""

    @property
    def sentence(self) -> str:
        """Where it comes from, for reports."""
        where = f"line {self.line}" if self.line is not None else f"record {one_based(self.record)}"
        form = "" if self.same_format else "; its text alone, since that log is of another format"
        return f"the result that {self.path}, {where}, holds for the same call ({self.matched_by}{form})"


# By the slot of the call's record and the id of the call.
ResultOffers: TypeAlias = Mapping[tuple[int, str], ResultOffer]


def find_offer(offers: ResultOffers, scene: ThreadContext, tool: int) -> ResultOffer | None:
    """The result that was found for a call of a draft."""
    record = scene.pairing.record_of(tool)
    return offers.get((scene.columns.stable_numbers[record], scene.call_id(tool))) if offers else None


# The findings that a plan without content names: by hashes that only who has the log can make.


def keyed_hash(key: bytes, data: bytes) -> str:
    """A hash for which one needs the key."""
    return blake2b(data, key=key, digest_size=16).hexdigest()


class FindingNamer(Struct, frozen=True):
    """Names findings alike in a log as it was planned, and as it is when it has grown.

    `sessions` tells by a session's number here its number in the plan and its first record, `records` is how many
    records the log holds. The `key` is made of the records that the plan edits.
    """

    key: bytes
    sessions: dict[int, tuple[int, int]]
    records: int

    def finding_names(self, finding: str, opens: bool) -> tuple[str, str]:
        """The names of a finding (by its id): its own, and where it `opens` a call that of the call, else ""."""
        rule, number, rest = finding.split(":", 2)
        place, _, ordinal = rest.rpartition(":")
        session, first = self.sessions.get(int(number), (-1, 0))
        if place[:1] == "@" and place[1:].isdecimal():
            place = self._place(int(place[1:]), first)
        told = f"{session}:{place}:{ordinal}"
        # Of which class an open call is changes with what comes after it.
        call = keyed_hash(self.key, _bytes(told)) if opens else ""
        return keyed_hash(self.key, _bytes(f"{rule}:{told}")), call

    def _place(self, slot: int, first: int) -> str:
        """A record by its place in its session, an added one by how many were added before it."""
        return f"@{slot - first}" if slot < self.records else f"@+{slot - self.records}"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class PlannedChoices(Struct, frozen=True):
    """The findings that a plan names, each with what was chosen for it by itself ("" for nothing); others are left.

    `calls` are strategies for open calls whose findings may be of another class by now.
    """

    namer: FindingNamer
    findings: dict[str, str]
    calls: dict[str, str]

    def choice_for(self, finding: str, opens: bool) -> str | None:
        """What was chosen for a finding, by its id; None for one that is not named."""
        own, call = self.namer.finding_names(finding, opens)
        return self.findings.get(own, self.calls.get(call))


class SessionChoice(Struct, frozen=True):
    """What was chosen for one session of a log: a preset of its own ("" for the log's), and strategies by rule."""

    preset: str = ""
    rules: dict[str, str] = {}


class Choices(Struct, frozen=True):
    """What the person chose. A finding's choice wins over its session's, that over its rule's, and that over a preset.

    `rules` and `findings` (by finding id) name strategies; `sessions` is by the session's id, or its number in the log.
    `wording` is the text of placeholders, with the tokens {name} and {id}, or the name of a known wording; "" takes the
    preset's. `results_from` are other logs that may hold results of open calls: who has a plan made reads them. `only`
    are the findings that a plan from elsewhere names: it decides about them, and all others are left.
    """

    preset: str = "canonical"
    rules: dict[str, str] = {}
    findings: dict[str, str] = {}
    profile: str = ""
    wording: str = ""
    sessions: dict[str, SessionChoice] = {}
    results_from: tuple[str, ...] = ()
    only: PlannedChoices | None = None

    def for_session(self, session: Session) -> SessionChoice:
        return self.sessions.get(session.id) or self.sessions.get(str(session.number)) or SessionChoice()

    def preset_of(self, session: Session) -> Preset:
        """Raises UnknownName."""
        return preset_named(self.for_session(session).preset or self.preset)

    def strategy_of(self, rule: str, session: Session) -> str:
        """What was chosen for the findings of a class in a session, "" when nothing was, so that a preset decides."""
        return self.for_session(session).rules.get(rule) or self.rules.get(rule) or ""

    def placeholder_text(self, session: Session) -> str:
        """The text of placeholders, its tokens not yet filled in."""
        return placeholder_template(self.wording) if self.wording else self.preset_of(session).wording

    def require_known_sessions(self, sessions: list[Session]) -> None:
        """Raises UnknownName for a session that the log does not hold."""
        known = {session.id for session in sessions} | {str(session.number) for session in sessions}
        for name in self.sessions.keys() - known:
            raise UnknownName.for_session(name, len(sessions) - 1)
