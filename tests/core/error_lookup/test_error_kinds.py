"""The kind of a pasted error: what it is about, also where no rule finds its cause."""

import json
import os
from pathlib import Path

import pytest

from inspector.core.providers.error_kinds import ERROR_KINDS, KIND_WORDINGS, REQUEST
from inspector.core.providers.error_parser import parse_error_text
from tests.core.error_lookup.quotations.kinds import OF_KINDS, UNRELATED, KindQuotation
from tests.support.paths import SHARED

CASES = Path(os.environ.get("TRANSCRIPT_ERRORS", SHARED / "errors")) / "cases.jsonl"
# Reports of which a newer rule finds the cause more closely than those that were accepted.
NEWER_RULES = {"openai/codex#36704, #36551 (text: find_string id 62983262345)": {"T8"}}


@pytest.mark.parametrize("quotation", OF_KINDS, ids=[f"{each.report} {each.kind}" for each in OF_KINDS])
def test_the_kind_of_a_text(quotation: KindQuotation) -> None:
    assert parse_error_text(quotation.text).kind == quotation.kind
    assert parse_error_text("\n   ".join(quotation.text.split(" "))).kind == quotation.kind


@pytest.mark.parametrize(("report", "text"), UNRELATED, ids=[report for report, _ in UNRELATED])
def test_what_is_no_error_of_a_session_is_declined(report: str, text: str) -> None:
    pasted = parse_error_text(text)
    assert (pasted.kind, pasted.explanation) == ("", None)


def test_there_are_texts_of_every_kind() -> None:
    assert {each.kind for each in OF_KINDS} | {"history"} == set(ERROR_KINDS)
    assert sum(each.kind == REQUEST for each in OF_KINDS) >= 10
    assert len(UNRELATED) >= 50


def test_every_wording_names_its_source() -> None:
    assert all(wording.source and wording.kind in ERROR_KINDS for wording in KIND_WORDINGS)


@pytest.mark.skipif(not CASES.exists(), reason=f"no collected errors at {CASES}")
def test_every_collected_error_has_an_accepted_rule_or_kind() -> None:
    wrong = []
    for line in CASES.read_text("utf-8").splitlines():
        case = json.loads(line)
        pasted, accepted = parse_error_text(case["text"]), {*case["accept"], *NEWER_RULES.get(case["source"], ())}
        if not accepted.intersection([*pasted.rules, f"kind:{pasted.kind}"]):
            wrong.append((case["source"], pasted.rules, pasted.kind))
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "The model used tool_reference blocks in the docs",
        "AssertionError: expected 'Session not found' to equal 'ok'",
        "requests.exceptions.HTTPError: 404 Session not found",
        "nginx: 413 Request Entity Too Large",
        "File x.py, line 3, in f: raise_exception('x')",
        "ansible: jinja2.exceptions.TemplateSyntaxError: Expected an expression, got 'end of statement block'",
        "jinja2.exceptions.UndefinedError: 'foo' is undefined",
        "HTTP 400 Bad Request: unsupported image type image/tiff for upload",
        "MCP server 'files' does not support tools",
        "const tool_choice = 'auto'",
        "OSError: [Errno 36] File name too long",
    ],
)
def test_words_that_wordings_share_are_no_error(text: str) -> None:
    pasted = parse_error_text(text)
    assert (pasted.kind, pasted.explanation) == ("", None)
