"""What an agent itself does with a damaged log when it resumes."""

from msgspec import Struct

NOT_KNOWN = "What the agent would do with it is not known."


class OnResume(Struct, frozen=True):
    """What the agent itself does with this session: as-is, mends, refuses or unknown, and what it would lose.

    `answers` are calls that it gives results of its own, `writes` says what it puts into the file ("" for nothing),
    `error` what the provider, or the agent, answers where it cannot go on. `anew`: it goes on with an empty history.
    """

    agent: str
    outcome: str
    losses: tuple[str, ...] = ()
    label: str = ""
    answered_calls: tuple[str, ...] = ()
    file_changes: str = ""
    error: str = ""
    starts_empty: bool = False

    @property
    def recovers(self) -> bool:
        """Whether the session goes on by itself and nothing of it is lost."""
        return self.outcome in ("mends", "as-is") and not self.losses

    @property
    def sentence(self) -> str:
        if self.agent == "unknown" and not self.label:
            return NOT_KNOWN
        goes_on = "begins anew" if self.starts_empty else "mends it on resume"
        mends = (
            f"{goes_on} and {self.file_changes}" if self.file_changes else "mends it in memory; the file stays as it is"
        )
        does = {
            "as-is": "loads it as it is",
            "mends": mends,
            "refuses": "cannot go on with it",
            "unknown": "may or may not cope with it: not known for this version",
        }[self.outcome]
        answers = f"; it answers {' and '.join(self.answered_calls)} in its own words" if self.answered_calls else ""
        # "It": what stands before may be about the file.
        loses = "; it loses" if does == mends and not (self.file_changes or answers) else ", and loses"
        lost = f"{loses} {'; '.join(self.losses)}" if self.losses else ""
        error = f" ({self.error.rstrip('.')})" if self.error else ""
        return f"{self.label or self.agent} {does}{answers}{lost}{error}."


# What is lost where an agent goes no further up a chain of records, and with a line that it passes over, by rule.
BROKEN_CHAIN = {"G1": "everything before the break in the chain"}
LOOPED_CHAIN = {"G2": "everything before the loop in the chain"}
ENDLESS = ("the whole session: it walks the loop without end",)
UNREAD_LINES = {
    "F1": "the torn line",
    "F2": "the fused line",
    "F3": "the line of NUL bytes",
    "F4": "the record that is split over several lines",
    "F5": "the line with invalid UTF-8",
    "F6": "the unreadable line",
    "F8": "the line with a byte order mark",
}
# Of an agent that reads a line whose bytes are no UTF-8, with other letters in their place.
UNREAD_JSON = {rule: text for rule, text in UNREAD_LINES.items() if rule != "F5"}


def losses(table: dict[str, str], rules: set[str]) -> tuple[str, ...]:
    """What a table tells of some rules, each thing once."""
    return tuple(dict.fromkeys(text for rule, text in table.items() if rule in rules))
