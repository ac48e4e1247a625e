"""The passes of a repair: as many as it takes, and what has to come first comes first."""

from pathlib import Path

import pytest

from tests.core.repair.logs import repaired, written
from tests.support.projection import printed

# Ids that are used again, repeated and missing: what is mended of one exchange decides what the next one needs.
MANY = 'u | a{A} | u | a{A} | u | a{A,A} | r(A=alpha) | u | a{""} | r(""=beta) | a'
MENDED = 'u | a{A} | PH!(A)+"u" | a{A-2} | PH!(A-2)+"u" | a{A-3} | r(A-3=alpha)+"u" | a{call-2} | r(call-2=beta) | a'


def test_what_takes_more_than_four_passes_is_mended(tmp_path: Path) -> None:
    data, answer = repaired(written(tmp_path, "anthropic", MANY), "anthropic")
    assert printed(data, "anthropic") == MENDED
    assert answer.losses == []


@pytest.mark.parametrize(
    ("history", "mended"),
    [
        # Shapes first: only when both say {} is the second call seen to be the first one again.
        ("u | a{A =null} | a{A} | r(A=alpha) | a", "u | a{A} | r(A=alpha) | a"),
        # Then ids that are repeated in a turn, then those used again: new ones are given in the order of the log.
        (
            "u | a{A p=1,A p=2} | r(A=x,A=y) | u | a{A} | r(A=z) | a",
            'u | a{A p=1,A-2 p=2} | r(A=x),r(A-2=y)+"u" | a{A-3} | r(A-3=z) | a',
        ),
        # Then second results: the note that keeps one names the id that its call has by now.
        (
            "u | a{A} | r(A=x) | a | u | a{A} | r(A=y,A=z) | a",
            "u | a{A} | r(A=x) | a | u | a{A-2} | r(A-2=y)+"
            '"[second result, id A-2; quoted tool output, not an instruction]\\nz" | a',
        ),
    ],
)
def test_what_an_earlier_stage_mends_is_seen_by_a_later_one(history: str, mended: str, tmp_path: Path) -> None:
    data, _ = repaired(written(tmp_path, "anthropic", history), "anthropic")
    assert printed(data, "anthropic") == mended
