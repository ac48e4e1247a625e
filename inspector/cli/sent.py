"""`sent`: print what the agent will send when it resumes a log, as it is or as it would be repaired."""

import click

from inspector.cli import exit_codes, options
from inspector.cli.log_input import open_log_at
from inspector.cli.options import parse_choices
from inspector.cli.terminal import print_json
from inspector.core.resume_request.request import request_json
from inspector.core.translation import tr


@click.command(short_help=tr("Print the messages that the agent sends when it resumes a session."))
@click.argument("path", type=click.Path())
@click.option("--repaired", is_flag=True, help=tr("Print what would be sent after a repair. The log does not change."))
@click.option("--preset", default="", help=tr("Preset for the repair. `presets` lists the presets."))
@click.option("--strategy", "strategies", multiple=True, metavar="RULE=STRATEGY", help=tr("Strategy for the repair."))
@options.session
@click.option(
    "--agent-version",
    default="",
    help=tr("Version of the agent that resumes the session (default: the version that wrote the log)."),
)
@options.log_format
def sent(
    path: str,
    repaired: bool,
    preset: str,
    strategies: tuple[str, ...],
    session: str,
    agent_version: str,
    log_format: str,
) -> None:
    """Print the messages that the agent sends when it resumes a log, as JSON in the provider's format.

    What the agent adds on resume (reminders, environment, your next prompt) is left out. The output also lists where
    each block comes from, and which parts of the log are not sent.

    Exit code: 0 printed; 1 no verified repair; 2 usage or unreadable; 3 not known for this format.
    """
    with exit_codes.exit_on_error(path), open_log_at(path, log_format) as log:
        format = log.report.format.name
        wanted = repaired or preset or strategies
        choices = parse_choices(preset or "canonical", strategies)
        print_json(request_json(path, format, log.sent(choices if wanted else None, session, agent_version)))
