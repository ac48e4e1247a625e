"""Where a history can be cut: nowhere within an exchange, so that no attempt is lost on it."""

import pytest

from inspector.core.check.check import check
from inspector.core.discovery.opening import open_log
from inspector.core.storage.source import Source
from inspector.core.trim.boundaries import cut_points
from tests.support.notation import FORMATS, parse


@pytest.mark.parametrize(
    ("history", "before"),
    [
        ('u | a"ok" | u | a"ok"', "1 2 3"),
        ("u | a{A} | r(A=x) | a | u", "1 3 4"),
        ("u | a{A,B} | r(A=x,B=y) | a{C} | r(C=z) | u", "1 4 6"),
        ("u | a{A} | r(A=x) | u", "1 3"),
    ],
)
def test_no_place_has_a_call_before_it_and_its_result_behind(history: str, before: str) -> None:
    with Source.of_bytes(FORMATS["openai"].render(parse(history)), "log.json") as source:
        (session,) = check(open_log(source)).sessions
        found = [place.at for place in cut_points(session.threads[0].context, 0, keep_first_user=False)]
    assert found == [int(position) for position in before.split()]
