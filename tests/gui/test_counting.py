"""People are told lines and records from 1, in terminal and window alike; messages as their provider counts them."""

from functools import partial

from inspector.core.model.views import RecordLocation
from inspector.core.report import sentences as reports
from inspector.gui.common import ui_text as window

BY_RECORD = RecordLocation(record=4)
BY_LINE = RecordLocation(record=4, line=6)
IN_AN_ARRAY = RecordLocation(record=4, line=1, index=4, document="/messages/4")


def test_records_and_lines_count_from_one_everywhere() -> None:
    for told in (reports.place_text, partial(reports.place_text, numbered=True), window.location_label):
        assert [told(BY_RECORD), told(BY_LINE)] == ["record 5", "line 6"]


def test_a_message_has_the_number_that_its_provider_gives_it() -> None:
    assert reports.place_text(IN_AN_ARRAY) == "line 1, message 4 (/messages/4)"
    assert reports.place_text(IN_AN_ARRAY, numbered=True) == "line 1, message 4 (from 0)"
    assert window.location_label(IN_AN_ARRAY) == "record 5"


def test_a_file_of_many_is_its_name_and_where_it_is_asked_for_what_is_in_it() -> None:
    place = RecordLocation(record=4, line=6, member="msg\x1b.json")
    assert reports.place_text(place, numbered=True) == r"msg\x1b.json (line 6)"
    assert reports.place_text(RecordLocation(record=4, member="msg.json")) == "msg.json"


def test_checks_that_did_not_run_are_told_by_their_reason() -> None:
    many = [(f"A{number}", "no format") for number in range(20)]
    assert window.skipped_check_lines([("C1", "fast check"), ("C2", "fast check"), *many]) == [
        "C1, C2: fast check",
        "20 checks: no format",
    ]
