"""A new session of every format that declares one: written, read again, and loaded by the agent's own reader.

A format is in it by what it declares (`Agent.new_session_id`) and by its row in `tests/core/formats`.
"""

from pathlib import Path

import pytest

from inspector.core.formats import FORMATS
from inspector.core.formats.base.agent_behavior import agent_of
from tests.core.formats import WRITABLE
from tests.core.formats.test_broken_samples import contents
from tests.core.save.conftest import Opener
from tests.support import product
from tests.support.notation import parse

HISTORIES = {
    "healthy": 'u"hello" | a"t"{A p=1} | r(A=alpha) | a"ok"',
    "broken": 'u"hello" | a"t"{A p=1} | u"stop" | a"ok"',
}
NAMES = [
    name
    for name, each in WRITABLE.items()
    if each.new_session and agent_of(FORMATS[each.name]).new_session_id("old", 1)
]


def saved_as_new_session(name: str, state: str, folder: Path, opened: Opener) -> tuple[Path, Path, str, str]:
    """Save a log as a new session, and return both paths with the ids that the product reads in them."""
    store = folder / "store"  # a session of some agents is named by its folder
    store.mkdir()
    path = WRITABLE[name].write(parse(HISTORIES[state]), store)
    before, old = contents(store), product.check(path).session["id"]
    saved = opened(path).save("new-session")
    out = Path(saved.path)
    assert saved.verdict == "healthy"
    assert {
        key: value for key, value in contents(store).items() if out not in (store / key, *(store / key).parents)
    } == before
    return path, out, old, product.check(out).session["id"]


@pytest.mark.parametrize("state", HISTORIES)
@pytest.mark.parametrize("name", NAMES)
def test_it_has_a_new_id_wherever_the_old_one_was(name: str, state: str, tmp_path: Path, opened: Opener) -> None:
    """A place that keeps the old id, in a record or in the file's name, leaves two sessions of one id."""
    path, out, old, new = saved_as_new_session(name, state, tmp_path, opened)
    data, original = (b"".join(contents(each).values()) for each in (out, path))
    assert old
    assert new not in ("", old)
    assert old.encode() not in data
    assert data.count(new.encode()) >= original.count(old.encode())
    name = str(out.relative_to(tmp_path))
    assert old not in name.removeprefix("store")
    assert new[:8] in name  # Gemini CLI's names hold no more of it
    if state == "healthy":
        assert data.replace(new.encode(), old.encode()) == original


@pytest.mark.parametrize("state", HISTORIES)
@pytest.mark.parametrize("name", NAMES)
def test_it_is_a_healthy_log_of_its_format(name: str, state: str, tmp_path: Path, opened: Opener) -> None:
    written = WRITABLE[name]
    path, out, _, _ = saved_as_new_session(name, state, tmp_path, opened)
    session = product.check(out).session
    assert (session["format"], session["verdict"]) == (written.name, "healthy")
    assert (product.check(path).session["verdict"] == "healthy") == (state == "healthy")
    loaded = written.load(out)
    assert written.judge(loaded) is None
    if state == "healthy":
        assert loaded == written.load(path)


def test_formats_declare_new_sessions() -> None:
    """An empty table would pass without having tried anything."""
    assert {"claude-code", "codex"} <= {*NAMES}
