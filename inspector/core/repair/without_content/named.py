"""The findings that a plan without content names: by hashes that only who has the log can make."""

from hashlib import blake2b

from msgspec import Struct


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
