"""Presets: named tables of strategies that imitate one system's choices. PRESETS is the table; rows are data only."""

from msgspec import Struct

from inspector.core.errors import UnknownName
from inspector.core.placeholders import CLAUDE_CODE, DEEPAGENTS, HONEST

UNANSWERED = ("D1", "D2", "D3", "D4", "C1", "G5")
ORPHANS = ("R1", "R8", "R12", "C2")


class Preset(Struct, frozen=True):
    """`rules` overrides the default strategy by rule code; with `others` every class not named gets that strategy."""

    name: str
    summary: str
    rules: dict[str, str] = {}
    others: str = ""
    wording: str = HONEST
    caveat: str = ""


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset("canonical", "Loses nothing that it can keep: moves, answers, keeps orphans as marked notes."),
        Preset(
            "clean",
            "As canonical, but orphan results are dropped instead of noted.",
            {**dict.fromkeys(ORPHANS, "drop"), "R7": "keep-first"},
        ),
        Preset(
            "claude-code",
            "What Claude Code 2.1 does in memory, written to the file.",
            {
                **dict.fromkeys((*ORPHANS, "R2", "R4"), "drop"),
                "D1": "drop-call",
                "R7": "keep-first",
                "K1": "drop-call",
            },
            wording=CLAUDE_CODE,
            caveat="It drops real results that came too early or too late, and calls that reuse an id.",
        ),
        Preset(
            "deepagents",
            "Placeholders only, in the wording of deepagents' PatchToolCallsMiddleware.",
            dict.fromkeys(("D1", "D2", "D3", "D4", "C1"), "answer"),
            others="leave",
            wording=DEEPAGENTS,
            caveat="It leaves orphan, displaced and repeated results as they are: then nothing is written.",
        ),
        Preset(
            "neovate",
            "The whole assistant message goes when any of its calls is unanswered, as Neovate's design says.",
            dict.fromkeys(UNANSWERED, "drop-message"),
            others="leave",
            caveat="Results of answered sibling calls become orphans: then nothing is written.",
        ),
        Preset(
            "neovate-safe",
            "As neovate, but an exchange goes whole: the message with the results of its answered calls.",
            dict.fromkeys(UNANSWERED, "drop-exchange"),
        ),
    )
}


def preset_named(name: str) -> Preset:
    """Raises UnknownName."""
    if name not in PRESETS:
        raise UnknownName(f"There is no preset called {name}; there are {', '.join(PRESETS)}.")
    return PRESETS[name]
