"""Positions of numbers in a list: those of a dict, in the space between the lowest and the highest number."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.core.model.columnar_index import PositionByNumber


@given(st.lists(st.integers(0, 200), unique=True), st.integers(1, 100))
def test_it_answers_as_a_dict(numbers: list[int], more: int) -> None:
    stop = max(numbers, default=0) + more
    index, places = PositionByNumber(numbers), {number: place for place, number in enumerate(numbers)}
    for number in range(-1, stop + 2):
        assert index.get(number) == places.get(number, -1)
        assert (number in index) == (number in places)
    assert index.absent_flags(stop) == bytes(number not in places for number in range(stop))


def test_one_of_many_sessions_needs_no_space_for_the_others() -> None:
    index = PositionByNumber(range(1_000_000, 1_000_004))
    assert index.__dict__["_places"].buffer_info()[1] == 4
    assert (index[1_000_003], 0 in index, 1_999_999 in index) == (3, False, False)
