"""Each report format is read by an independent parser, and says the same."""

import json
import re
from collections.abc import Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import junitparser
import pytest

from inspector.core.report.shareable.model import REPORT_FORMATS, REPORT_LANGUAGES
from inspector.core.report.shareable.renderers import RENDERERS
from inspector.core.translation import Translator
from tests.core.report.planted import written
from tests.support import paths, product
from tests.support.thorough import every
from tests.translations import translated

MODES = ["--content-free", "--with-content"]
SAMPLES = sorted(path.name for path in paths.SAMPLES.glob("*-broken.*"))
# The schema of OASIS as SchemaStore and Microsoft's jest-sarif (MIT) have it.
SCHEMA = Path(__file__).with_name("sarif-2.1.0-rtm.5.json")


@cache
def report(path: Path, form: str, *more: str) -> str:
    return product.run("check", str(path), "--format", form, *more).output


def test_the_names_are_those_of_the_table() -> None:
    assert tuple(RENDERERS) == REPORT_FORMATS


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("sample", every(3, SAMPLES))
def test_sarif_passes_the_schema(sample: str, mode: str, samples: Path) -> None:
    sarif = json.loads(report(samples / sample, "sarif", mode))
    jsonschema.Draft4Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(sarif)
    told = [(each["ruleId"], each["level"]) for each in sarif["runs"][0]["results"]]
    words = {"error": "error", "warning": "warning", "info": "note"}
    assert told == [(each["rule"], words[each["severity"]]) for each in product.check(samples / sample).findings]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("sample", every(3, SAMPLES))
def test_junit_is_read(sample: str, mode: str, samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "junit.xml"
    path.write_text(report(samples / sample, "junit", mode), "utf-8")
    suites = list(junitparser.JUnitXml.fromfile(str(path)))
    sessions = product.check(samples / sample).report["sessions"]
    failed = sum(any(each["severity"] == "error" for each in session["findings"]) for session in sessions)
    assert [(suite.name, suite.tests, suite.failures) for suite in suites] == [("log-1", len(sessions), failed)]
    assert len(list(suites[0])) == len(sessions)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]


@pytest.mark.parametrize("mode", MODES)
def test_html_fetches_nothing_and_runs_nothing(mode: str, tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_text(path.read_text("utf-8").replace("done", "<script>alert(1)</script><img src=x>"), "utf-8")
    page = _Page()
    page.feed(report(path, "html", mode))
    shape = "html head meta title style body h1 h2 h3 h4 p span dl dt dd table tr th td pre details summary a"
    assert page.tags <= set(shape.split())
    assert page.attributes <= {"charset", "http-equiv", "content", "lang", "class", "id", "href"}
    assert [link for link in page.links if not re.fullmatch(r"#log-\d+|https://github\.com/[\w./-]+", link)] == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("sample", every(3, SAMPLES))
def test_github_gets_one_command_a_line(sample: str, mode: str, samples: Path) -> None:
    lines = report(samples / sample, "github", mode).splitlines()
    commands = [
        re.fullmatch(r"::(error|warning|notice) title=([^:,\r\n]*)(?:,\w+=[^:,\r\n]*)*::([^\r\n]*)", line)
        for line in lines
    ]
    assert all(commands)
    titles = [found[2].partition(" ")[0] for found in commands if found and sample not in found[2]]
    assert titles[:-1] == [each["rule"] for each in product.check(samples / sample).findings]


def test_github_reads_a_percent_sign_and_line_ends_back(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_text(path.read_text("utf-8").replace("mcp__", "100%0A, a:b "), "utf-8")
    (line,) = [line for line in report(path, "github", "--with-content").splitlines() if "100%" in line][:1]
    assert "%0A" in line
    assert "100%250A, a:b " in line


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("sample", every(3, SAMPLES))
def test_json_has_the_fields_of_the_house(sample: str, mode: str, samples: Path) -> None:
    def shape(session: dict[str, Any], key: str) -> set[str]:
        found = session[key]
        return {name for each in (found if isinstance(found, list) else [found]) for name in each}

    ours = json.loads(report(samples / sample, "json"))["sessions"]
    outward = json.loads(report(samples / sample, "json", mode))["sessions"]
    for one, other in zip(ours, outward, strict=True):
        assert one.keys() <= other.keys()
        assert shape(one, "findings") <= shape(other, "findings")
        assert shape(one, "on_resume") <= shape(other, "on_resume")
        assert {name: one[name] for name in ("verdict", "messages", "calls", "results", "profile", "records")} == {
            name: other[name] for name in ("verdict", "messages", "calls", "results", "profile", "records")
        }


@pytest.mark.parametrize("language", REPORT_LANGUAGES[1:])
def test_every_sentence_is_translated(language: str, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missed: set[str] = set()

    class Noting(Translator):
        def singular(self, template: str, values: Mapping[str, object]) -> str:
            missed.update({template} - translated(language))
            return super().singular(template, values)

    monkeypatch.setattr("inspector.cli.redacted_check_report.Translator", Noting)
    for form in REPORT_FORMATS:
        everything = [str(samples), str(samples / "nothing"), "--language", language, "--accepted-by", "all"]
        product.run("check", *everything, "--format", form, "--content-free")
    assert missed == set()
