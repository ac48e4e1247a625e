"""The evidence of one call: what it did, and whether the log shows that it ran."""

from collections.abc import Iterable

from msgspec import Struct

from inspector.core.evidence.effects import ToolEffect, describe_call, tool_effect, working_directory
from inspector.core.formats.bases.traces import Trace, TracedCall, Weight

_VERDICTS = {Weight.RAN: "ran", Weight.STARTED: "started"}
_SENTENCES = {
    "ran": "The log shows that it ran.",
    "started": "The log shows that it was begun; its end was not recorded.",
    "no-trace": "Nothing in this log shows that it ran, which does not mean that it did not.",
}


class Evidence(Struct, frozen=True):
    """What is known of one call. `verdict` is ran, started or no-trace: what the log shows, not what happened.

    `command` is what it was to do (its command line, its file, its address), `folder` where, "" where nothing tells.
    """

    verdict: str
    traces: tuple[Trace, ...]
    effect: ToolEffect
    command: str
    folder: str

    @property
    def sentence(self) -> str:
        return _SENTENCES[self.verdict]


class OpenCallEvidence(Struct, frozen=True):
    """The unanswered calls of a log: the evidence of each finding by its id.

    `changing` are the ids of findings on the calls that may have changed something, one for each call.
    """

    evidence: dict[str, Evidence]
    changing: tuple[str, ...]


def build_evidence(call: TracedCall, traces: Iterable[Trace], folder: str) -> Evidence:
    """The evidence of a call from what was found of it; strongest traces first, else in the order of the log."""
    told = tuple(sorted(traces, key=lambda trace: -trace.strength))
    verdict = _VERDICTS.get(told[0].strength, "no-trace") if told else "no-trace"
    effect = tool_effect(call.name)
    return Evidence(verdict, told, effect, describe_call(call.input, effect), working_directory(call.input) or folder)
