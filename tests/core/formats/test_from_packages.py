"""Formats that installed packages add: taken like the program's own; one that cannot be used is named and left out."""

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from inspector.core import formats
from inspector.core.formats.base.registry import FormatRegistry
from tests.support.paths import ROOT

TINY = '''
    """Chat messages, a line each, that say by their first member whose they are."""

    from array import array

    from inspector.core.storage.json_text import parse_json
    from inspector.core.formats.base.openai_messages import ChatMessages
    from inspector.core.formats.base.json_lines import JsonLines
    from inspector.core.model.session import Session, Thread
    from inspector.core.providers.openai_chat import schema as openai
    from inspector.core.providers.message_fields import decode_fitting_members


    class Tiny(ChatMessages, JsonLines):
        name, label, profile, keys = "tiny", "Tiny session", "openai-chat", "tiny"
        detection = read = write_back = resume = unsupported = source = "told here"

        def score(self, head):
            return 0.95 if head.is_lines and "tiny" in head.lines[0] else 0.0

        def index_valid_record(self, columns, raw, start, end):
            openai.add_message(columns, start, end, decode_fitting_members(openai.ChatMessage, parse_json(raw)))

        def sessions(self, log, columns, raw):
            return [Session(0, "tiny", range(len(columns)), [Thread(array("I", range(len(columns))))], self.profile)]
'''
LOG = """\
{"tiny":1,"role":"user","content":"go"}
{"tiny":1,"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"Read","arguments":"{}"}}]}
{"tiny":1,"role":"user","content":"well?"}
"""


def installed(folder: Path, named: str, module: str = TINY, package: str = "tiny") -> Path:
    """A package as an installer leaves it: a module, and what it says of itself."""
    told = folder / f"{package}-1.2.dist-info"
    told.mkdir(parents=True)
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
    (told / "entry_points.txt").write_text(f"[transcript_inspector.formats]\n{named}\n")
    (folder / f"{package}_logs.py").write_text(dedent(module))
    return folder


def run(packages: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(packages), str(ROOT)))}
    command = [sys.executable, "-m", "inspector", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def catalogue() -> FormatRegistry:
    return FormatRegistry(formats.__name__, formats.__path__)


def test_a_log_of_it_is_told_judged_and_repaired(tmp_path: Path) -> None:
    packages, log, out = installed(tmp_path / "lib", "tiny = tiny_logs:Tiny"), tmp_path / "log", tmp_path / "out"
    log.write_text(LOG)
    checked = run(packages, "check", str(log), "--format", "json")
    session = json.loads(checked.stdout)["sessions"][0]
    assert (session["format"], [each["rule"] for each in session["findings"]]) == ("tiny", ["D2"])
    assert (run(packages, "repair", str(log), "-o", str(out)).returncode, checked.stderr) == (0, "")
    first, call, answer, rest = out.read_text().splitlines(keepends=True)
    assert first + call + rest == LOG
    assert json.loads(answer)["tool_call_id"] == "a"


def test_the_command_lists_it_with_the_package_that_it_comes_from(tmp_path: Path) -> None:
    packages = installed(tmp_path / "lib", "tiny = tiny_logs:Tiny\nbroken = tiny_logs:Huge")
    listed = run(packages, "formats", "--format", "json")
    told = json.loads(listed.stdout)
    assert {each["comes from"] for each in told["formats"] if each["name"] != "tiny"} == {"built in"}
    assert [(each["what"], each["comes from"]) for each in told["formats"] if each["name"] == "tiny"] == [
        ("Tiny session", "tiny 1.2")
    ]
    assert told["left_out"] == listed.stderr.splitlines()
    assert listed.returncode == 0


@pytest.mark.parametrize(
    ("module", "named", "why"),
    [
        ("import nothing_like_it", "tiny = left_logs:Tiny", "loading failed (ModuleNotFoundError):"),
        ("raise SystemExit(3)", "tiny = left_logs:Tiny", "loading failed (SystemExit): 3"),
        ("raise KeyboardInterrupt", "tiny = left_logs:Tiny", "loading failed (KeyboardInterrupt): "),
        ("Tiny = 5", "tiny = left_logs:Tiny", "left_logs:Tiny is not a subclass of Format."),
        (TINY, "small = left_logs:Tiny", "left_logs:Tiny has the name tiny."),
        (TINY.replace('"Tiny session"', "None").replace("def index_valid_record(", "def take("),
         "tiny = left_logs:Tiny",
         "left_logs:Tiny does not define index_valid_record."),
        (TINY.replace("detection = read =", "read ="), "tiny = left_logs:Tiny", "does not define detection."),
        (TINY.replace('"tiny", "Tiny', '"codex", "Tiny'), "codex = left_logs:Tiny",
         "a format with this name already "),
    ],
)  # fmt: skip
def test_one_that_cannot_be_used_is_named_and_left_out(
    module: str, named: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(installed(tmp_path, named, module, "left"))
    monkeypatch.delitem(sys.modules, "left_logs", raising=False)
    found = catalogue()
    assert set(found) == set(formats.FORMATS)
    (fault,) = found.faults
    assert fault.startswith(f"The {named.partition(' ')[0]} format from left 1.2 is ignored")
    assert why in fault


def test_a_package_whose_metadata_cannot_be_read_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = installed(tmp_path / "lib", "tiny = tiny_logs:Tiny")
    (entry_points,) = packages.glob("*/entry_points.txt")
    entry_points.write_bytes(entry_points.read_bytes() + b"odd = \xff\xfe:Odd\n")
    monkeypatch.syspath_prepend(packages)
    found = catalogue()
    assert set(found) == set(formats.FORMATS)
    (fault,) = found.faults
    assert "is ignored because its metadata cannot be read" in fault


def test_the_folder_that_the_program_is_started_in_adds_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(installed(tmp_path, "tiny = tiny_logs:Tiny"))
    monkeypatch.chdir(tmp_path)
    assert "tiny" not in catalogue()


def test_where_no_package_adds_any_nothing_is_loaded_to_look_for_them() -> None:
    looked = "import sys; from inspector.core.formats import FORMATS; FORMATS.entries; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", looked], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {each for each in loaded if each.startswith("importlib.metadata")} == set()
    assert {each.partition(".base")[0] for each in loaded if each.startswith("inspector.core.formats.")} == {
        "inspector.core.formats"
    }
