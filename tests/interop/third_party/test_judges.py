"""The judges that are light enough to be asked at every run: mistral-common and pydantic-ai.

The others need environments of their own: `python -m tests.interop.third_party`.
"""

import sys
from functools import cache

import pytest

from tests.interop.third_party.environments import PROGRAMS
from tests.interop.third_party.judges import BROKEN, HISTORIES, JUDGES
from tests.interop.third_party.repaired import Sample, samples
from tests.interop.third_party.shapes import SHAPES
from tests.support.judges import mistral_error
from tests.support.notation import History, parse, show
from tests.support.thorough import every

PARTS = 8
PYDANTIC = next(judge for judge in JUDGES if judge.name == "pydantic-ai")


@cache
def repaired(part: int) -> list[Sample]:
    return list(samples(part, PARTS))


def refused_by_pydantic(histories: list[History]) -> list[bool]:
    """Asked as a child process of this Python, which has the package."""
    pytest.importorskip("pydantic_ai.messages", reason="pydantic-ai, a judge from outside, is not installed")
    rows = [SHAPES[PYDANTIC.shape](history) for history in histories]
    return [answer["refused"] for answer in PYDANTIC.environment.run([sys.executable], PYDANTIC.program, rows)]


def test_mistral_common_refuses_what_is_broken_and_nothing_else() -> None:
    refused = {name for name, history in HISTORIES.items() if mistral_error(parse(history))}
    assert refused == set(BROKEN)


def test_pydantic_ai_refuses_what_it_did() -> None:
    refused = refused_by_pydantic([parse(history) for history in HISTORIES.values()])
    assert {name for name, no in zip(HISTORIES, refused, strict=True) if no} == set(PYDANTIC.catches.split())


@pytest.mark.parametrize("part", every(PARTS, range(PARTS)))
def test_mistral_common_accepts_every_repaired_log(part: int) -> None:
    refusals = [(s.format, s.case, show(s.history), mistral_error(s.history)) for s in repaired(part)]
    assert [refusal for refusal in refusals if refusal[3]] == []


@pytest.mark.parametrize("part", every(PARTS, range(PARTS)))
def test_pydantic_ai_accepts_every_repaired_log(part: int) -> None:
    refused = refused_by_pydantic([sample.history for sample in repaired(part)])
    assert [(s.format, s.case, show(s.history)) for s, no in zip(repaired(part), refused, strict=True) if no] == []


def test_every_judge_has_a_row_that_is_asked() -> None:
    for judge in JUDGES:
        assert (PROGRAMS / judge.program).is_file()
        assert judge.shape in SHAPES
        assert set(judge.catches.split()) <= set(BROKEN)
        assert all("==" in each or "@" in each for each in judge.environment.packages)
