"""What the options of `repair` choose, as Choices."""

from inspector.core.engine.names import require_choices
from inspector.core.errors import UnknownName
from inspector.core.repair.choices import Choices, SessionChoice

UNDO = "R13"
"""The rule that finds the placeholders which stand for results."""


def choices_of(
    preset: str,
    strategies: tuple[str, ...],
    sessions: tuple[str, ...] = (),
    profile: str = "",
    wording: str = "",
    results_from: tuple[str, ...] = (),
) -> Choices:
    """`strategies` are RULE=STRATEGY or FINDING=STRATEGY, `sessions` SESSION:RULE=STRATEGY or SESSION:PRESET.

    Raises UnknownName.
    """
    rules: dict[str, str] = {}
    findings: dict[str, str] = {}
    for text in strategies:
        target, sign, name = text.rpartition("=")
        if not sign:
            raise UnknownName(f"--strategy wants RULE=STRATEGY, not {text}.")
        (findings if ":" in target else rules)[target] = name
    choices = Choices(preset, rules, findings, profile, wording, _by_session(sessions), results_from)
    require_choices(choices)
    return choices


def _by_session(texts: tuple[str, ...]) -> dict[str, SessionChoice]:
    presets: dict[str, str] = {}
    rules: dict[str, dict[str, str]] = {}
    for text in texts:
        target, sign, strategy = text.rpartition("=")
        session, colon, named = (target if sign else text).rpartition(":")
        if not colon or not session:
            raise UnknownName(f"--session wants SESSION:RULE=STRATEGY or SESSION:PRESET, not {text}.")
        if sign:
            rules.setdefault(session, {})[named] = strategy
        else:
            presets[session] = named
    return {name: SessionChoice(presets.get(name, ""), rules.get(name, {})) for name in presets | rules}
