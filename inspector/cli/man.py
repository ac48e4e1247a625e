"""`man`: the manual page, made from the help texts of the commands."""

import re
from collections.abc import Iterator

import click

from inspector.version import __version__

_CODE = re.compile(r"`([^`]+)`")


@click.command()
@click.pass_context
def man(context: click.Context) -> None:
    """Print a manual page for all commands, in the format of man.

    To read it, pipe it to `man -l -`. To install it, write it to ~/.local/share/man/man1/transcript-inspector.1.
    """
    click.echo("\n".join(_page(context.find_root())))


def _page(root: click.Context) -> Iterator[str]:
    name, group = str(root.info_name), root.command
    assert isinstance(group, click.Group)
    summary, _, description = str(group.help).partition("\n")
    yield f'.TH {name.upper()} 1 "" "{name} {__version__}"'
    yield from (".SH NAME", f"{_text(name)} \\- {_text(summary.rstrip('.'))}")
    yield from (".SH SYNOPSIS", f".B {_text(name)}", r"\fICOMMAND\fR [\fIOPTIONS\fR] [\fIARGUMENTS\fR]", ".br")
    yield from (f".B {_text(name)}", r"[\fIPATH\fR ...]")
    yield from (".SH DESCRIPTION", *_paragraphs(description))
    yield from (".SH OPTIONS", *_options(group, root))
    yield ".SH COMMANDS"
    for each in group.list_commands(root):
        command = group.get_command(root, each)
        if command is not None:
            yield from _command(command, click.Context(command, info_name=each, parent=root))


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    yield from (f'.SS "{_text(str(context.info_name))} {_text(usage)}"', *_paragraphs(str(command.help)))
    yield from _options(command, context)


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        if isinstance(parameter, click.Option) and (record := parameter.get_help_record(context)):
            option, text = record
            yield from (".TP", rf"\fB{_text(option)}\fR", _text(text))


def _paragraphs(help_text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", help_text.strip()):
        yield from (".PP", _text(" ".join(paragraph.split())))


def _text(text: str) -> str:
    r"""Return a text as roff: bold code, and no character with a meaning of its own. `\&` protects a leading dot."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    escaped = _CODE.sub(r"\\fB\1\\fR", escaped)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
