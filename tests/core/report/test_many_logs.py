"""A report on many logs: a section for each ticket, the worst first, an overview on top, and what is fine folded."""

import json
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.support import product

TICKETS = {
    "T-1.zip": ("codex-healthy.jsonl",),
    "T-2.zip": ("opencode-broken.json",),
    "T-3.zip": ("pi-healthy.jsonl", "pi-broken.jsonl"),
    "T-4.tar.zip": ("kimi-cli-healthy.jsonl",),
}


@pytest.fixture
def tickets(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tickets"
    folder.mkdir()
    for name, members in TICKETS.items():
        with zipfile.ZipFile(folder / name, "w") as archive:
            for member in members:
                archive.write(samples / member, member)
    (folder / "T-5.zip").write_bytes((folder / "T-2.zip").read_bytes()[:300])
    monkeypatch.chdir(tmp_path)
    return folder


def report(*arguments: str) -> str:
    return product.run("check", *arguments).output


def lines(text: str, pattern: str) -> list[str]:
    return [line for line in text.splitlines() if re.match(pattern, line)]


def test_markdown_has_a_section_for_each_ticket_the_worst_first(tickets: Path) -> None:
    text = report("tickets", "--format", "markdown")
    assert lines(text, "#|</?details|<summary") == [
        "# Report on LLM agent logs",
        "## T-5: unreadable",
        "## T-3",
        "### T-3 (2): broken: the provider rejects the history, or the agent loses part of it",
        "### T-3: healthy: nothing is wrong with the history",
        "## T-2: repairs itself: the agent repairs the history on resume, and nothing is lost",
        "<details>",
        "<summary>Healthy: 2</summary>",
        "## T-1: healthy: nothing is wrong with the history",
        "## T-4: healthy: nothing is wrong with the history",
        "</details>",
    ]
    assert lines(text, r"\| (log|T-)") == [
        "| log | verdict | problem |",
        "| T-5 | unreadable | The upload was cut off. Ask for the file again. |",
        "| T-3 (2) | broken | A compaction removed calls but left their results. |",
        "| T-2 | heals-itself | opencode was interrupted while a tool was running. "
        "Older versions send the call without a result. |",
    ]
    assert "(<https://github.com/openclaw/openclaw/issues/8525>)" in text


def test_html_links_the_overview_to_the_sections(tickets: Path) -> None:
    text = report("tickets", "--format", "html")
    assert re.findall(r'<a href="#(log-\d)">([^<]+)</a>', text) == [
        ("log-6", "T-5"),
        ("log-4", "T-3 (2)"),
        ("log-2", "T-2"),
    ]
    assert re.findall(r'<h[23](?: id="(log-\d)")?>([^<:]+)', text) == [
        ("log-6", "T-5"), ("", "T-3"), ("log-4", "T-3 (2)"), ("log-3", "T-3"), ("log-2", "T-2"), ("log-1", "T-1"),
        ("log-5", "T-4"),
    ]  # fmt: skip
    assert '(<a href="https://github.com/openclaw/openclaw/issues/8525">https://github.com' in text
    assert text.index("<details>") < text.index('id="log-1"')


def test_text_tells_of_what_is_healthy_in_a_line(tickets: Path) -> None:
    told = " ".join(line.split(":")[0].strip() for line in lines(report("tickets", "--content-free"), "T-|  Format"))
    assert told == "T-5 T-3 (2) Format T-3 T-2 Format T-1 T-4 Format", "T-4 has a warning"


def test_one_of_several_folders_is_a_ticket(samples: Path, tmp_path: Path) -> None:
    for name in ("acme", "umbra"):
        (tmp_path / name).mkdir()
        shutil.copy(samples / "pi-broken.jsonl", tmp_path / name)
    folders = [str(tmp_path / name) for name in ("acme", "umbra")]
    assert [line[:9] for line in lines(report(*folders, "--format", "markdown"), "##")] == ["## acme: ", "## umbra:"]
    assert [line[:9] for line in lines(report(folders[0], "--format", "markdown"), "##")] == ["## log-1:"]


@pytest.mark.parametrize(
    ("names", "titles"),
    [
        ("ticket", ["T-3 (2)", "T-3", "T-2", "T-1"]),
        (
            "path",
            [
                f"tickets/{zip}"
                for zip in ("T-3.zip/pi-broken.jsonl", "T-3.zip/pi-healthy.jsonl", "T-2.zip/", "T-1.zip/")
            ],
        ),
        ("none", ["log-4", "log-2", "log-3", "log-1"]),
    ],
)
def test_names_are_those_that_are_asked_for(names: str, titles: list[str], tickets: Path) -> None:
    text = report(*(f"tickets/{name}.zip" for name in ("T-1", "T-2", "T-3")), "--content-free", "--names", names)
    told = [line.split(": ")[0] for line in lines(text, r"\S+( \(2\))?: (broken|repairs|healthy)")]
    assert len(told) == 4
    assert sorted(told, key=told.index)[0].startswith("log-" if names == "none" else titles[0])
    assert {name for name in told if any(name.startswith(title) for title in titles)} == set(told)


def test_ci_formats_have_the_paths_of_logs(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my logs").mkdir()
    shutil.copy(samples / "pi-broken.jsonl", tmp_path / "my logs" / "a,b.jsonl")
    monkeypatch.chdir(tmp_path)
    (first, second) = [
        line for line in report("my logs", "--format", "github").splitlines() if line.startswith("::error")
    ]
    assert first.startswith("::error title=R4 late-result,file=my logs/a%2Cb.jsonl,line=9::my logs/a,b.jsonl, line 9: ")
    assert "line=11::" in second
    assert "file=" not in report("my logs", "--format", "github", "--names", "none")
    monkeypatch.chdir(samples)
    for names, uri in (("path", (tmp_path / "my logs" / "a,b.jsonl").as_uri()), ("none", "log-1")):
        sarif = json.loads(report(str(tmp_path / "my logs"), "--format", "sarif", "--names", names))["runs"][0]
        assert sarif["artifacts"][0]["location"] == {"uri": uri}
        assert {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in sarif["results"]} == {
            uri
        }


def test_a_path_is_no_markup(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(samples / "pi-broken.jsonl", tmp_path / "<b>*[x](y)*\n::error::.jsonl")
    monkeypatch.chdir(tmp_path)
    names = ("--names", "path")
    assert "<b>" not in report(".", "--format", "html", *names)
    assert r"## \<b\>\*\[x\](y)\*\\u000a::error::.jsonl: broken" in report(".", "--format", "markdown", *names)
    told = report(".", "--format", "github", *names).splitlines()
    assert [line for line in told if not re.match("::(error|notice|warning) title=", line)] == []


def test_names_need_a_report_without_content(samples: Path) -> None:
    done = product.run("check", str(samples / "codex-healthy.jsonl"), "--names", "none")
    assert done.exit_code == 2
    assert "--names applies only to tables and to reports without content" in done.output
