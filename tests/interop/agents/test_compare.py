"""A request is compared by its calls, results and texts, whatever the wire."""

from typing import Any

import pytest

from tests.interop.agents.compare import Item, difference, items, unkept
from tests.interop.agents.provider import WIRES
from tests.interop.agents.test_provider import SHAPE_OF
from tests.interop.third_party.shapes import SHAPES
from tests.support.notation import PLACEHOLDER, parse

TEXT = 'u"Words?" | a"Two."{A@Bash command=alpha,B@Bash command=beta} | r(A=alpha-real,B=beta-real) | a"Said."'
REAL = {"alpha": "alpha-real", "beta": "beta-real"}


def shaped(wire: str, text: str) -> list[dict[str, Any]]:
    return SHAPES[SHAPE_OF[wire]](parse(text))


@pytest.mark.parametrize("wire", WIRES)
def test_a_history_is_the_same_on_every_wire(wire: str) -> None:
    assert items(wire, shaped(wire, TEXT)) == [
        Item("user", "Words?"),
        Item("assistant", "Two."),
        Item("call", '{"command": "alpha"}', "A", "Bash"),
        Item("call", '{"command": "beta"}', "B", "Bash"),
        Item("result", "alpha-real", "A"),
        Item("result", "beta-real", "B"),
        Item("assistant", "Said."),
    ]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("other", "difference_is"),
    [
        (TEXT, ""),
        (TEXT + ' | u"go on"', ""),  # the prompt with which it was resumed
        (TEXT.replace("Words?", "Hello?"), "which was not sent"),
        (TEXT.replace("B=beta-real", "B=other"), "sent was result B 'other'"),
        (TEXT.replace('a"Said."', 'a"No."'), "sent was assistant 'No.'"),
        (TEXT.replace(' | a"Said."', ""), "sent was nothing more"),
        (TEXT + ' | u"more" | a"More."', "predicted was nothing more"),
    ],
)
def test_the_first_difference_is_named(wire: str, other: str, difference_is: str) -> None:
    said = difference(wire, shaped(wire, TEXT), shaped(wire, other))
    assert difference_is in said
    assert bool(said) == bool(difference_is)


def test_what_a_program_says_itself_is_no_difference() -> None:
    stand_ins = TEXT + ' | u"Continue from where you left off." | a"No response requested."'
    assert not difference("anthropic", shaped("anthropic", TEXT), shaped("anthropic", stand_ins))


@pytest.mark.parametrize(
    ("sent", "there", "why"),
    [
        (TEXT, "alpha-real beta-real", ""),
        (TEXT, "alpha-real", ""),  # more than the log had is no loss
        (TEXT.replace("B=beta-real", f'B="{PLACEHOLDER.format("Bash")}"'), "alpha-real", ""),
        (TEXT.replace("B=beta-real", "B=aborted"), "alpha-real", "not in our words"),
        (TEXT.replace("B=beta-real", "B=aborted"), "alpha-real aborted", ""),  # the agent's own, in the log
        (TEXT.replace("B=beta-real", "B=aborted"), "alpha-real beta-real", "is not sent"),
        (TEXT.replace("B=beta-real", "B=no") + ' | u"beta-real"', "beta-real", "is answered with"),
        ('u"Words?" | a"Two." | u"quoted: alpha-real"', "alpha-real", ""),  # its call is not sent
    ],
)
def test_a_repair_is_held_to_its_promise(sent: str, there: str, why: str) -> None:
    said = unkept("openai-chat", shaped("openai-chat", sent), REAL, there)
    assert why in said
    assert bool(said) == bool(why)
