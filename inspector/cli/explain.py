"""`explain`: the help page of a rule, or what a provider's error text means."""

import click

from inspector.cli import exits, options
from inspector.cli.explain_error import explain_error
from inspector.cli.terminal import say
from inspector.core.reports.pages import build_rule_page, rule_named, rule_page_lines


@click.command()
@click.argument("rule_or_path", required=False, default="")
@click.option("--error", metavar="TEXT", help="An error text or a request body, pasted as it is; - for standard input.")
@options.form(help="How to tell of an error.")
def explain(rule_or_path: str, error: str | None, form: str) -> None:
    """Explain RULE (a code or its slug), or with --error TEXT what an error means and where it comes from.

    With a PATH it is looked for in that log, without one in the sessions that the agents keep on this machine.
    """
    with exits.at_errors():
        if error is not None:
            raise SystemExit(explain_error(error, rule_or_path, form))
        say("\n".join(rule_page_lines(build_rule_page(rule_named(rule_or_path)))))
