"""Many edits of one array at once, against one edit after another."""

import json

from hypothesis import given
from hypothesis import strategies as st

from inspector.core.storage import json_edits

SPACES = ["", " ", "\n  "]


@st.composite
def arrays(draw: st.DrawFn) -> bytes:
    spaces = st.sampled_from(SPACES)
    items = [f"{draw(spaces)}{number}{draw(spaces)}" for number in range(draw(st.integers(0, 4)))]
    return f'{{"a":[{",".join(items) or draw(spaces)}], "b":[1]}}'.encode()


@given(text=arrays(), data=st.data())
def test_an_array_taken_apart_takes_edits_as_one_by_one(text: bytes, data: st.DataObject) -> None:
    array, plain = json_edits.ArrayEditor(text, "/a"), text
    for number in range(data.draw(st.integers(0, 5))):
        if data.draw(st.booleans()) and array.items:
            index = data.draw(st.integers(0, len(array.items) - 1))
            array.remove(index)
            plain = json_edits.remove_element(plain, "/a", index)
        else:
            index, value = data.draw(st.integers(0, 5)), str(100 + number).encode()
            array.insert(index, value)
            plain = json_edits.insert_element(plain, "/a", index, value)
        assert array.text == plain
    assert json.loads(plain) == {"a": [int(item) for item in array.items], "b": [1]}
    assert text.partition(b"]")[2] == plain.partition(b"]")[2]


def edited(text: bytes, pointer: str, how: str) -> bytes:
    if how == "set":
        return json_edits.set_member(text, pointer, "new", b"9")
    if how == "drop":
        return json_edits.remove_member(text, pointer, "n")
    return json_edits.replace_value(text, pointer, b'{"n": 0}')


@given(st.lists(st.tuples(st.sampled_from(["/a", "/b", "/a/0", "/a/1", "/b/0"]), st.sampled_from(["set", "drop", ""]))))
def test_the_lists_of_a_text_taken_apart_take_edits_as_the_whole_does(edits: list[tuple[str, str]]) -> None:
    text = b'{ "a": [ {"n": 1}, {"n": [2] } ], "c": 3, "b": [{"n":4,"m":5}] }'
    lists, plain = json_edits.JsonEditor(text), text
    for pointer, how in edits:
        if pointer in ("/a", "/b"):
            lists.set_member("", pointer[1:] * 2, b"[7]")
            plain = json_edits.set_member(plain, "", pointer[1:] * 2, b"[7]")
        else:
            lists.edit(pointer, lambda item, inner, how=how: edited(item, inner, how))  # type: ignore[misc]
            plain = edited(plain, pointer, how)
    assert lists.text == plain
