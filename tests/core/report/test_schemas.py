"""What commands print with `--format json` is what `resources/schemas` says."""

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import jsonschema
import pytest

from tests.schemas import DOCUMENTS, SCHEMAS, schema, written
from tests.support import product
from tests.support.paths import SAMPLES
from tests.support.thorough import every

LOGS = sorted(path for path in SAMPLES.glob("*-broken*") if path.is_file())
JSON = ("--format", "json")
ERROR = "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01A."


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_schema_of_a_report_is_that_of_its_struct(name: str) -> None:
    assert (SCHEMAS / f"{name}.json").read_text("utf-8") == written(DOCUMENTS[name])


def test_every_schema_is_of_a_report() -> None:
    assert sorted(path.stem for path in SCHEMAS.iterdir()) == sorted(DOCUMENTS)


def fits(name: str, *arguments: str) -> dict[str, Any]:
    """What a command printed."""
    return fits_text(name, product.run(*arguments).stdout)


def fits_text(name: str, text: str) -> dict[str, Any]:
    """A report that has the fields of the schema and no others."""
    printed: dict[str, Any] = json.loads(text)
    strict = schema(DOCUMENTS[name])
    for part in strict["$defs"].values():
        part.setdefault("additionalProperties", False)
    jsonschema.Draft202012Validator(strict).validate(printed)
    return printed


@pytest.mark.parametrize("log", every(3, LOGS), ids=lambda log: log.name)
def test_reports_on_a_log_fit(log: Path, tmp_path: Path) -> None:
    path, out = str(log), str(tmp_path / "out")
    fits("check", "check", path, *JSON, "--accepted-by", "all")
    fits("check-content-free", "check", path, *JSON, "--with-content", "--accepted-by", "all")
    fits("repair", "repair", path, *JSON, "-o", out)
    fits("trim", "trim", path, "--keep", "2", "--repair", *JSON, "-o", f"{out}-trimmed")
    fits("convert", "convert", path, "--to", "openai", *JSON, "-o", f"{out}-converted")
    fits("compare", "compare", path, path.replace("-broken", "-healthy"), *JSON)
    fits("explain", "explain", "--error", ERROR, path, *JSON)
    if (made := product.run("sent", path)).exit_code == 0:
        fits_text("sent", made.stdout)
    if product.run("bundle", path, "-o", f"{out}.zip").exit_code == 0:
        with ZipFile(f"{out}.zip") as bundle:
            fits_text("bundle-manifest", bundle.read("manifest.json").decode())


def test_reports_on_what_is_no_log_fit(tmp_path: Path) -> None:
    (tmp_path / "no.jsonl").write_bytes(b"\0\1no log")
    (tmp_path / "notes.txt").write_text("no log either")
    (tmp_path / "log.jsonl").write_bytes(LOGS[0].read_bytes())
    with ZipFile(tmp_path / "logs.zip", "w") as archive:
        for name in ("log.jsonl", "copy.jsonl", "notes.txt"):
            archive.writestr(name, (tmp_path / name.replace("copy", "log")).read_bytes())
    for path in ("no.jsonl", "nowhere.jsonl", "notes.txt", ""):
        fits("check-content-free", "check", str(tmp_path / path), "--content-free", *JSON)
        fits("check", "check", str(tmp_path / path), *JSON)
        fits("repair", "repair", str(tmp_path / path), *JSON)
        fits("trim", "trim", str(tmp_path / path), "--keep", "2", *JSON)
    found = fits("check", "check", str(tmp_path), *JSON)
    assert found.keys() >= {"not_logs", "same_bytes", "causes"}


def test_the_report_of_a_new_session_with_results_of_another_log_fits(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes((SAMPLES / "claude-code-broken.jsonl").read_bytes())
    (tmp_path / "other.jsonl").write_bytes((SAMPLES / "claude-code-healthy.jsonl").read_bytes())
    more = ("--results-from", str(tmp_path / "other.jsonl"), "--strategy", "K8=leave")
    made = fits("repair", "repair", str(log), *JSON, "--new-session", *more)
    assert made["sessions"][0]["edits"]
    fits("repair", "repair", str(log), *JSON, "--plan-out", str(tmp_path / "plan.json"), "--preset", "clean")
    fits_text("plan", (tmp_path / "plan.json").read_text("utf-8"))


def test_the_report_on_a_pasted_request_fits() -> None:
    request = (SAMPLES / "anthropic-messages-broken.json").read_text("utf-8")
    for text, path in ((request, ""), (ERROR, ""), ("400 of no kind", str(LOGS[0]))):
        assert fits("explain", "explain", "--error", text, path, *JSON)["error"]


def test_the_lists_fit() -> None:
    assert len(fits("formats", "formats", *JSON)["formats"]) > 15
    assert len(fits("sessions", "sessions", str(SAMPLES), *JSON)["logs"]) > 20
