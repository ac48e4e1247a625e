"""A call in one line: tools of every agent, odd inputs, and inputs too large to look at."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.presentation.formatting import summarize_call

FOLDER = "/home/mei/tea"
PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+b\n*** Add File: b.md\n+c\n*** End Patch"
SAID: list[tuple[Any, str]] = [
    ({"command": "npm test -- timer", "description": "Run the tests"}, "npm test -- timer"),
    ({"command": ["bash", "-lc", "ls -la"], "workdir": "/w"}, "ls -la"),
    ({"file_path": f"{FOLDER}/src/timer.js"}, "src/timer.js"),
    ({"file_path": "/etc/hosts", "offset": 10, "limit": 31}, "/etc/hosts  lines 10–40"),
    ({"file_path": "a", "offset": 10}, "a  from line 10"),
    ({"file_path": "a.js", "old_string": "a\nb\nc", "new_string": "a\nx\ny\nc"}, "a.js  +2 −1"),
    ({"file_path": "a", "edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c"}]}, "a  +1 −2"),
    ({"filePath": "b.md", "content": "one\ntwo\n"}, "b.md  +2"),
    ({"input": PATCH}, "src/a.py, b.md"),
    (PATCH, "src/a.py, b.md"),
    ({"pattern": "text|x", "path": f"{FOLDER}/src"}, "text|x  in src"),
    ({"pattern": "**/*.js"}, "**/*.js"),
    ({"path": FOLDER}, "tea"),
    ({"url": "https://example.org", "prompt": "what is it?"}, "https://example.org"),
    ({"subagent_type": "Explore", "description": "find the clock", "prompt": "Look at …"}, "find the clock"),
    ({"todos": [1, 2, 3]}, "todos: 3"),
    ({"a": 1, "b": "two", "c": {"x": 1}, "d": None, "e": ""}, "a: 1, b: two, c: 1"),
    ({"a": "x" * 99}, "a: " + "x" * 60 + "…"),
    ({}, "{}"),
    ([1], "[1]"),
    ("no JSON", "no JSON"),
    ('{"torn": ', '{"torn": '),
]


@pytest.mark.parametrize(("given", "said"), SAID, ids=[said[:30] for _, said in SAID])
def test_what_a_call_did_is_told(given: Any, said: str) -> None:
    assert summarize_call(given if isinstance(given, str) else json.dumps(given), FOLDER) == said


def test_an_input_too_large_to_compare_is_not_looked_at() -> None:
    text = json.dumps({"command": "x" * 100_001})
    assert summarize_call(text) == text


def test_lines_are_compared_whatever_their_order() -> None:
    """By their numbers alone: to align forty times four hundred lines that are alike takes twenty seconds."""
    old, new = "\n".join("a" * 400), "\n".join("ab" * 200)
    edits = [{"old_str": old, "new_str": new}] * 40
    assert summarize_call(json.dumps({"path": "f", "edits": edits})) == "f  +8000 −8000"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["path", "edits", "command", "pattern", "offset", "old_string", "x"]), inner)
    ),
    max_leaves=8,
)


@given(value=JSON)
def test_no_input_is_too_odd(value: Any) -> None:
    assert isinstance(summarize_call(json.dumps(value), "/f"), str)
