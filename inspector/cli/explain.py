"""`explain`: the help page of a rule, or what a provider's error text means."""

import click

from inspector.cli import exits
from inspector.cli.reading import source_of
from inspector.core.check import NOT_BUILT, check
from inspector.core.errors import InspectorError
from inspector.core.finding import Severity
from inspector.core.opening import open_log
from inspector.core.profiles import PROFILES
from inspector.core.provider_errors import explain as meaning_of
from inspector.core.repair.strategies import STRATEGIES
from inspector.core.rules import RULES


@click.command()
@click.argument("rule_or_path", required=False, default="")
@click.option("--error", default="", metavar="TEXT", help="A provider's error text, pasted as it is.")
def explain(rule_or_path: str, error: str) -> None:
    """Explain RULE (a code or its slug), or with --error TEXT what an error means and where in a log it comes from."""
    code = _explain_error(error, rule_or_path) if error else _explain_rule(rule_or_path)
    raise SystemExit(code)


def _explain_rule(name: str) -> int:
    wanted = name.strip()
    for code, rule in RULES.items():
        if wanted.upper() == code or wanted.lower() == rule.SLUG:
            click.echo(
                f"{code} {rule.SLUG}\n{(rule.__doc__ or '').strip()}\n\nWhat can be done (default: {rule.DEFAULT}):"
            )
            for strategy in map(STRATEGIES.__getitem__, rule.STRATEGIES):
                click.echo(f"  {strategy.name:14}{strategy.summary} Costs: {strategy.cost}.")
            return exits.OK
    if wanted.upper() in NOT_BUILT:
        click.echo(f"{wanted.upper()}: {NOT_BUILT[wanted.upper()]}.", err=True)
    else:
        click.echo(f"There is no rule called {wanted!r}; `rules` lists them.", err=True)
    return exits.UNREADABLE


def _explain_error(text: str, path: str) -> int:
    report = None
    if path:
        try:
            with source_of(path) as source:
                report = check(open_log(source))
        except InspectorError as error:
            click.echo(str(error), err=True)
            return exits.code_of(error)
    meaning = meaning_of(text)
    if meaning is None:
        click.echo("The wording of this error is not known. `check` says whether the history itself is sound.")
        return exits.FINDINGS
    click.echo(f"{meaning.sentence}\nClasses: {', '.join(meaning.rules)}")
    if meaning.profile:
        through = f", through {', '.join(meaning.through)}" if meaning.through else ""
        click.echo(f"Profile: {meaning.profile} ({PROFILES[meaning.profile].label}{through})")
    if report is None:
        click.echo("Give the log as well to see where it comes from.")
        return exits.OK
    findings = [f for session in report.sessions for f in session.findings if f.severity > Severity.INFO]
    named = [f for f in findings if f.call_id and f.call_id in text]
    fitting = named or [f for f in findings if f.rule in meaning.rules]
    for finding in fitting:
        click.echo(f"line {finding.place.line}: {finding.message} [{finding.rule} {finding.slug}]")
    if not fitting:
        click.echo("No finding in this log explains it: it may be another session's, or already repaired.")
    return exits.OK if fitting else exits.FINDINGS
