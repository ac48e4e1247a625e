"""What is hidden: answers of the engine about logs of every format, records, and sentences with names in them."""

import re
import typing
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from inspector.core.analysis.evidence_search import EvidenceOfOpenCalls
from inspector.core.engine.window_engine import WindowEngine
from inspector.core.errors import NotVerified
from inspector.core.presentation.details import details_of_record
from inspector.core.presentation.diff_result import DiffRequest, DiffViewOptions
from inspector.core.presentation.hide_content import (
    HIDDEN_FIELDS,
    ContentHider,
    hide_engine_result_content,
    hide_record_content,
)
from inspector.core.presentation.opened_log_facts import view_record
from inspector.core.repair.choices import Choices
from inspector.core.trim.options import Trimming, Wish
from inspector.gui.worker.requests import REQUESTS_BY_NAME
from tests.support.canaries import BROKEN, PLANTED, planted_sample

HIDER = ContentHider("salt")
LISTS = ("turns", "largest", "waits", "failed", "files")
# By what a window works, without ever showing it: where a log is, and what its choices are keyed by.
KEYS = {"path", "bytes_at", "id", "finding_ids", "finding", "chosen", "changing", "pointer", "followed"}
# What a log says, or an outline, facets and changes, which are hidden by what they are about.
OF_LOGS = """
    ConvertNote.text DetailPiece.rows DetailPiece.text DiffSide.words Evidence.command
    Evidence.folder EvidenceOfOpenCalls.evidence Facets.states Facets.tools LogDifference.role LogDifference.summary
    LogEntry.project LogEntry.title Outline.label PredefinedListRow.text PreviewRow.role PreviewRow.summary
    RecordDetails.model RecordDetails.role RecordDetails.summary RequestPreviewBlock.text ResultInOtherLog.text
    SessionSummary.title
"""
REFUSAL = "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after"


def seen(value: Any, name: str = "") -> Iterator[str]:
    """The texts of an answer that somebody may see, and its names of those that are seen."""
    match value:
        case str() | bytes() if name not in KEYS:
            yield value if isinstance(value, str) else value.decode()
        case Struct():
            for field in value.__struct_fields__:
                yield from seen(getattr(value, field), field)
        case list() | tuple():
            for each in value:
                yield from seen(each, name)
        case dict():
            of_findings = name in KEYS or any(isinstance(each, Struct) for each in value.values())
            yield from () if of_findings else (key for key in value if isinstance(key, str))
            for each in value.values():
                yield from seen(each, name)


def answers(engine: WindowEngine, path: str) -> Iterator[Any]:
    opened = engine.open(path)
    yield from (opened, engine.check_acceptance(), engine.open_calls(), engine.facets(), engine.explain(REFUSAL))
    yield from (engine.content_list(name) for name in LISTS)
    yield from (engine.context_series(session.number) for session in opened.overview.sessions)
    yield from engine.list_logs((path,))
    yield (engine.go_to("zq000kunde"), engine.filter("tool == nothing"))
    log = engine.log.log
    yield [
        details_of_record(log.format, view_record(log.format, log.raw(at)), log.raw(at))
        for at in range(len(log.columns))
    ]
    if opened.overview.writable:
        plan = engine.preview(Choices())
        wanted = tuple(DiffRequest(each.slot, each.mark) for each in plan.changes if each.slot >= 0)
        yield (
            plan,
            engine.diff_changes(Choices(), wanted, DiffViewOptions()),
            engine.diff_changes(Choices(), wanted, DiffViewOptions(True, True)),
        )
        yield engine.convert("openai", "0")
        with suppress(NotVerified):  # some of the samples have no place to cut at
            yield engine.trim(Trimming(Wish(keep=2), repairs=Choices()))
    if opened.overview.models_resume:
        yield (engine.resume_request(None), engine.resume_request_json(None))


@pytest.mark.parametrize("name", BROKEN)
def test_no_answer_about_a_log_says_a_word_of_it(name: str, tmp_path: Path) -> None:
    engine = WindowEngine()
    for answer in answers(engine, str(planted_sample(name, tmp_path))):
        assert not [text for text in seen(hide_engine_result_content(answer, HIDER)) if PLANTED.search(text)]
    engine.close()


@pytest.mark.parametrize("name", BROKEN)
def test_a_hidden_record_is_read_as_the_record_and_says_nothing(name: str, tmp_path: Path) -> None:
    engine = WindowEngine()
    engine.open(str(planted_sample(name, tmp_path)))
    log = engine.log.log
    for record in range(len(log.columns)):
        raw = log.raw(record)
        shown = hide_record_content(raw, HIDER)
        assert not PLANTED.search(shown.decode())
        before, after = view_record(log.format, raw), view_record(log.format, shown)
        kinds = [[(each.kind, each.pointer) for each in view.blocks] for view in (before, after)]
        assert kinds[0] == kinds[1]
        assert after.time == before.time
        assert after.role == before.role or PLANTED.search(before.role)
    engine.close()


def holds_texts(kind: Any) -> bool:
    return kind is str or any(map(holds_texts, typing.get_args(kind)))


def structs_in(kind: Any, found: dict[type[Struct], dict[str, Any]]) -> dict[type[Struct], dict[str, Any]]:
    """The values that an answer is made of, with the types of their fields."""
    for part in typing.get_args(kind):
        structs_in(part, found)
    if isinstance(kind, type) and issubclass(kind, Struct) and kind not in found:
        found[kind] = {field.name: field.type for field in msgspec.structs.fields(kind)}
        for each in (*found[kind].values(), getattr(kind, "ITEM_TYPE", None)):
            structs_in(each, found)
    return found


def test_of_every_text_of_an_answer_it_is_said_what_it_is() -> None:
    """A new field is hidden as a text of the log; whether it is one is for its author to say, here or in FIELDS."""
    kinds = (*(request.answer_type for request in REQUESTS_BY_NAME.values()), EvidenceOfOpenCalls)
    found: dict[type[Struct], dict[str, Any]] = {}
    for kind in kinds:
        structs_in(kind, found)
    of_logs = {
        f"{kind.__name__}.{name}"
        for kind, fields in found.items()
        for name, field in fields.items()
        if kind.__module__.startswith("inspector.core")
        and holds_texts(field)
        and name not in HIDDEN_FIELDS.get(kind, ())
    }
    assert sorted(of_logs) == OF_LOGS.split()


def test_sentences_of_ours_keep_their_words() -> None:
    said = ContentHider("salt").sentence
    for sentence in (
        "The log shows that the call ran.",
        "The agent (claude-code 2.1.112) loads 12 of 1,204 records; `tool_use` ids were found at messages.4.content.0.",
        "The agent would load 3 messages, but the log contains 4.",
    ):
        assert said(sentence) == sentence
    told = said("The call 'toolu_01ab' to Kundentool in /home/frieda/x.py (“fix the log”) has no result.")
    assert re.sub("[0-9a-f]{6}", "…", told) == "The call '‹toolu_…›' to ‹…› in ‹….py› (“‹11 bytes›”) has no result."


def test_what_only_speaks_of_errors_shows_none_of_its_words() -> None:
    said = "I see the network errors: let me continue to check the system status of the request."
    assert HIDER.text(said) == "‹84 bytes›"
    assert HIDER.sentence(f"The log ends with a provider error: “{said}”").endswith("provider error: “‹84 bytes›”")
    assert HIDER.text("aborted by user after 2.1s, says Frieda") == "aborted by user after ‹17 bytes›"


def test_of_an_error_the_words_are_shown_that_tell_what_it_is_about() -> None:
    assert HIDER.error("API Error of Frieda: 429 rate limit of the system") == "rate limit ‹49 bytes›"
    assert HIDER.error("Frieda: `tool_use` ids were found without `tool_result` blocks") == (
        "tool_use ids were found without tool_result ‹62 bytes›"
    )
    assert HIDER.error("what Frieda said") == "‹16 bytes›"


def test_a_pseudonym_is_the_same_wherever_it_stands_and_in_no_other_window() -> None:
    hider = ContentHider("salt")
    raw = b'{"tool_use_id": "toolu_01ab"}'
    name = hider.name("toolu_01ab")
    assert name in hide_record_content(raw, hider).decode()
    assert name in hider.sentence("The call toolu_01ab has no result.")
    assert name not in hide_record_content(raw, ContentHider("other")).decode()
    assert hider.reveal_names(f"id == {name}") == "id == toolu_01ab"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ('{"role": "user", "content": "call Frieda"}', '{"role": "user", "content": "‹11 bytes›"}'),
        (
            '{"type": "text", "text": "ok", "n": 7, "code": 4711}',
            '{"type": "text", "text": "‹2 bytes›", "n": 7, "code": 0}',
        ),
        ('{"role": "user", "content": "call Fri', '{"role": "user", "content": "‹8 bytes›'),
        ("no JSON at all, of Frieda", "‹14 bytes›, ‹9 bytes›"),
        (r'{"args": "{\"code\": \"0815 47\"}"}', r'{"args": "{\"code\": \"‹7 bytes›\"}"}'),
        ('{"张三": 1, "Frieda M.": 2, "file_path": "a b"}', '{"‹…›": 0, "‹…›": 0, "file_path": "‹3 bytes›"}'),
        ('{"file": "/home/a.py", "cwd": "/home/dr.maier"}', '{"file": "‹….py›", "cwd": "‹…›"}'),
        ('{"time": "2026-03-14T09:00:00Z frieda", "version": "2.1.1"}', '{"time": "‹27 bytes›", "version": "2.1.1"}'),
    ],
)
def test_of_a_record_the_form_is_left(raw: str, shown: str) -> None:
    assert re.sub("‹[0-9a-f]{6}", "‹…", hide_record_content(raw.encode(), HIDER).decode()) == shown
