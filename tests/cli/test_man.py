"""The manual page has every command with its options, and man reads it without a warning."""

import subprocess
from pathlib import Path
from shutil import which

import click
import pytest
from click.testing import CliRunner

from inspector.cli.app import PROGRAM, main
from inspector.cli.command_table import COMMANDS


@pytest.fixture
def page() -> str:
    done = CliRunner().invoke(main, ["man"], prog_name=PROGRAM)
    assert done.exit_code == 0
    return done.output


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_there_with_its_options(name: str, page: str) -> None:
    section = page.partition(f'.SS "{name} ')[2].partition(".SS ")[0]
    command = main.get_command(click.Context(main), name)
    assert command
    options = [option for each in command.params if isinstance(each, click.Option) for option in each.opts]
    assert [option for option in options if option.replace("-", "\\-") not in section] == []
    assert section.startswith(("[OPTIONS]", "["))


def test_nothing_in_a_text_is_taken_for_a_request(page: str) -> None:
    known = {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".br"}
    assert {line.partition(" ")[0] for line in page.splitlines() if line.startswith((".", "'"))} == known


@pytest.mark.parametrize("reader", [["groff", "-man", "-ww", "-Kutf8", "-Tutf8"], ["man", "--warnings", "-l"]])
def test_it_is_read_without_a_warning(reader: list[str], page: str, tmp_path: Path) -> None:
    if not which(reader[0]):
        pytest.skip(f"{reader[0]} is not installed here")
    path = tmp_path / "page.1"
    path.write_text(page, "utf-8")
    done = subprocess.run([*reader, str(path)], capture_output=True, text=True, check=False)
    if "minimized" in done.stdout:
        pytest.skip("this system has no man pages")
    assert (done.returncode, done.stderr) == (0, "")
    assert "completion" in done.stdout
