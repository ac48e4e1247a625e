"""The choices of the person for a repair, with the results that other logs offer and the findings that a plan names."""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.errors import UnknownName
from inspector.core.model.session import Session
from inspector.core.model.views import one_based
from inspector.core.providers.placeholders import placeholder_template
from inspector.core.repair.presets import Preset, preset_named
from inspector.core.translation import tr

ADOPT_STRATEGY = "adopt"


class ResultOffer(Struct, frozen=True):
    """A result that another log holds. `block` is the result in the target's format.

    `same_format` is true where `block` is the other log's own block; otherwise only its text was taken. `matched_by`
    says how the two logs are known to belong to one conversation. `text` is the beginning of the result.
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
        """The origin of the result, for reports."""
        location = (
            tr("line {line}", line=self.line)
            if self.line is not None
            else tr("record {record}", record=one_based(self.record))
        )
        format_note = (
            ""
            if self.same_format
            else tr("; only the result's text is copied, because the other log has a different format")
        )
        return tr(
            "the result of the same call in {path}, {location} ({matched_by}{format_note})",
            path=self.path,
            location=location,
            matched_by=self.matched_by,
            format_note=format_note,
        )


# The keys are the slot of the call's record, and the id of the call.
ResultOffers: TypeAlias = Mapping[tuple[int, str], ResultOffer]


def find_result_offer(offers: ResultOffers, context: ThreadContext, tool: int) -> ResultOffer | None:
    """Return the result that another log offers for a call of a draft, None if there is none."""
    record = context.pairing.record_of(tool)
    return offers.get((context.columns.stable_numbers[record], context.call_id(tool))) if offers else None


def keyed_hash(key: bytes, data: bytes) -> str:
    """Return a hash that cannot be computed without the key."""
    # Every command imports this module, few compute a hash; hashlib loads OpenSSL, which costs 7 ms and 4 MB.
    from hashlib import blake2b  # noqa: PLC0415

    return blake2b(data, key=key, digest_size=16).hexdigest()


class PortableFindingNamer(Struct, frozen=True):
    """Names findings in the same way in a log as it was planned and in the log after it has grown.

    `sessions` maps the number of a session here to its number in the plan and its first record. `records` is the number
    of records in the log. The `key` is computed from the records that the plan edits.
    """

    key: bytes
    sessions: dict[int, tuple[int, int]]
    records: int

    def finding_names(self, finding: str, opens: bool) -> tuple[str, str]:
        """Return the names of a finding, given its id: its own, and that of the call if it `opens` one, else ""."""
        rule, number, rest = finding.split(":", 2)
        place, _, ordinal = rest.rpartition(":")
        session, first = self.sessions.get(int(number), (-1, 0))
        if place[:1] == "@" and place[1:].isdecimal():
            place = self._place(int(place[1:]), first)
        subject = f"{session}:{place}:{ordinal}"
        # The rule of an open call changes with what follows it.
        call = keyed_hash(self.key, _bytes(subject)) if opens else ""
        return keyed_hash(self.key, _bytes(f"{rule}:{subject}")), call

    def _place(self, slot: int, first: int) -> str:
        """Return a record by its place in its session, or an added one by how many were added before it."""
        return f"@{slot - first}" if slot < self.records else f"@+{slot - self.records}"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class PortablePlanChoices(Struct, frozen=True):
    """The findings that a plan names, with the strategy chosen for each, "" for none. Others are left.

    `calls` are strategies for open calls whose findings may belong to another rule by now.
    """

    namer: PortableFindingNamer
    findings: dict[str, str]
    calls: dict[str, str]

    def choice_for(self, finding: str, opens: bool) -> str | None:
        """Return what was chosen for a finding, given its id, None for a finding that is not named."""
        own, call = self.namer.finding_names(finding, opens)
        return self.findings.get(own, self.calls.get(call))


class SessionChoice(Struct, frozen=True):
    """The choices for one session of a log: strategies by rule, and a preset ("" for that of the log)."""

    preset: str = ""
    rules: dict[str, str] = {}


class Choices(Struct, frozen=True):
    """The choices of the person. The order is finding, session, rule, preset: an earlier one wins.

    `rules` and `findings` (by finding id) name strategies. `sessions` is keyed by the id of a session or its number in
    the log. `wording` is the text of placeholders with the tokens {name} and {id}, or the name of a known wording; ""
    uses that of the preset. `results_from` are other logs that may hold results of open calls; the caller that plans
    reads them. `only` holds the findings that a portable plan names: it decides about them, and all others are left.
    """

    preset: str = "canonical"
    rules: dict[str, str] = {}
    findings: dict[str, str] = {}
    profile: str = ""
    wording: str = ""
    sessions: dict[str, SessionChoice] = {}
    results_from: tuple[str, ...] = ()
    only: PortablePlanChoices | None = None

    def for_session(self, session: Session) -> SessionChoice:
        return self.sessions.get(session.id) or self.sessions.get(str(session.number)) or SessionChoice()

    def preset_of(self, session: Session) -> Preset:
        """Return the preset of a session. Raises UnknownName."""
        return preset_named(self.for_session(session).preset or self.preset)

    def strategy_of(self, rule: str, session: Session) -> str:
        """Return what was chosen for a rule in a session, "" where the preset decides."""
        return self.for_session(session).rules.get(rule) or self.rules.get(rule) or ""

    def placeholder_text(self, session: Session) -> str:
        """Return the text of placeholders with its tokens not yet filled in."""
        return placeholder_template(self.wording) if self.wording else self.preset_of(session).wording

    def require_known_sessions(self, sessions: list[Session]) -> None:
        """Raise UnknownName for a session that the log does not hold."""
        known = {session.id for session in sessions} | {str(session.number) for session in sessions}
        for name in self.sessions.keys() - known:
            raise UnknownName.for_session(name, len(sessions) - 1)
