"""The options that several commands share, and the choices that the options of `repair` make."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import click

from inspector.core.engine.option_checks import require_valid_choices
from inspector.core.errors import UnknownName
from inspector.core.repair.choices import Choices, SessionChoice
from inspector.core.translation import tr

OptionDecorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

log_format = click.option(
    "--log-format", default="", help=tr("Read the log in this format instead of detecting its format.")
)
session = click.option(
    "--session",
    default="",
    help=tr(
        "The session to use if the log contains several sessions. SESSION is the session's id or its "
        "number, counting from 0."
    ),
)
output = click.option(
    "-o", "--output", default="", type=click.Path(), help=tr("Output file. Use - for standard output.")
)
plan = click.option(
    "--plan",
    "passed_on",
    default="",
    type=click.Path(),
    metavar="FILE",
    help=tr(
        "Apply only this plan, or the plan in an archive created by `repair --send-back`. If no path is given, "
        "the program searches the agents' stores for the log."
    ),
)
dry_run = click.option("--dry-run", is_flag=True, help=tr("Show what would be done without writing anything."))

DRY_RUN_REASON = tr("Nothing was written, because this was a dry run.")


def output_format_option(
    forms: Sequence[str] = ("text", "json"), help: str = tr("Format of the report.")
) -> OptionDecorator:
    """Return the option for the form of a command's report."""
    return click.option("--format", "form", type=click.Choice(forms), default="text", help=help)


def parse_choices(
    preset: str,
    strategies: tuple[str, ...],
    sessions: tuple[str, ...] = (),
    profile: str = "",
    wording: str = "",
    results_from: tuple[str, ...] = (),
) -> Choices:
    """Return the choices that the options of `repair` make. Raises UnknownName.

    `strategies` are RULE=STRATEGY or FINDING=STRATEGY, `sessions` SESSION:RULE=STRATEGY or SESSION:PRESET.
    """
    rules: dict[str, str] = {}
    findings: dict[str, str] = {}
    for text in strategies:
        target, sign, name = text.rpartition("=")
        if not sign:
            raise UnknownName(tr("--strategy expects RULE=STRATEGY, not {text}.", text=text))
        (findings if ":" in target else rules)[target] = name
    choices = Choices(preset, rules, findings, profile, wording, _parse_session_choices(sessions), results_from)
    require_valid_choices(choices)
    return choices


def _parse_session_choices(texts: tuple[str, ...]) -> dict[str, SessionChoice]:
    presets: dict[str, str] = {}
    rules: dict[str, dict[str, str]] = {}
    for text in texts:
        target, sign, strategy = text.rpartition("=")
        session, colon, named = (target if sign else text).rpartition(":")
        if not colon or not session:
            raise UnknownName(tr("--session expects SESSION:RULE=STRATEGY or SESSION:PRESET, not {text}.", text=text))
        if sign:
            rules.setdefault(session, {})[named] = strategy
        else:
            presets[session] = named
    return {name: SessionChoice(presets.get(name, ""), rules.get(name, {})) for name in presets | rules}
