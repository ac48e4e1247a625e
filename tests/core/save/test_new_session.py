"""A repair saved as a new session: where the agent looks for it, under a new id, its whole chain walked."""

import json
from pathlib import Path

import pytest

from inspector.core.errors import CannotWrite
from inspector.core.formats import FORMATS as PRODUCT_FORMATS
from inspector.core.formats.base.agent_behavior import agent_of
from tests.core.save.conftest import Opener
from tests.support import product
from tests.support.judges import log_error, refusals
from tests.support.notation import FORMATS, SESSION, parse
from tests.support.projection import claude_code_chain, neovate_path, printed, read

HISTORY = 'u | a"t"{A,B} | r(A=alpha) | u"stop" | a"ok"'
REPAIRED = 'u | a"t"{A,B} | r(A=alpha),PH!(B)+"stop" | a"ok"'
STORES = {"claude-code": f".claude/projects/-w/{SESSION}.jsonl", "neovate": ".neovate/projects/w/ab12cd34.jsonl"}


@pytest.fixture(params=STORES)
def stored(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Path]:
    """A broken session in the store of its agent, under a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    path = tmp_path / STORES[request.param]
    path.parent.mkdir(parents=True)
    path.write_bytes(FORMATS[request.param].render(parse(HISTORY)))
    return request.param, path


def new_file(path: Path) -> Path:
    (new,) = set(path.parent.glob("*.jsonl")) - {path}
    return new


def test_the_agent_finds_it_and_walks_its_whole_chain(stored: tuple[str, Path]) -> None:
    name, path = stored
    original = path.read_bytes()
    answer = product.repair(path, None, "--new-session")
    assert answer.code == 0, answer.report.get("reason")
    assert path.read_bytes() == original
    new = new_file(path)
    assert Path(answer.report["output"]) == new
    data = new.read_bytes()
    expected = REPAIRED if name == "claude-code" else REPAIRED.replace('+"stop"', ' | u"stop"')
    assert printed(data, name) == expected
    assert refusals(read(data, name), name) == []
    assert log_error(data, name) is None
    walked = claude_code_chain(data) if name == "claude-code" else neovate_path(data)
    records = [json.loads(line) for line in data.splitlines()]
    assert len(walked) == len([record for record in records if "uuid" in record])


def test_the_new_id_is_in_the_name_and_in_every_record(stored: tuple[str, Path]) -> None:
    name, path = stored
    product.repair(path, None, "--new-session")
    new = new_file(path)
    records = [json.loads(line) for line in new.read_bytes().splitlines()]
    assert {record["sessionId"] for record in records if "sessionId" in record} == {new.stem}
    assert len(new.stem) == {"claude-code": 36, "neovate": 8}[name]
    assert path.stem.encode() not in new.read_bytes()


def test_only_the_id_and_the_edits_differ(stored: tuple[str, Path]) -> None:
    _, path = stored
    answer = product.repair(path, None, "--new-session")
    new = new_file(path)
    back = new.read_bytes().replace(new.stem.encode(), path.stem.encode()).splitlines()
    changed = [line for line in back if line not in path.read_bytes().splitlines()]
    assert 1 <= len(changed) <= len(answer.edits)


def test_it_is_healthy_and_says_how_to_resume(stored: tuple[str, Path], opened: Opener) -> None:
    _, path = stored
    saved = opened(path).save("new-session")
    assert Path(saved.path) == new_file(path)
    assert saved.verdict == "healthy"
    assert Path(saved.path).stem in saved.command
    assert product.check(Path(saved.path)).session["id"] == Path(saved.path).stem
    assert saved.steps


def test_two_new_sessions_of_one_log_do_not_collide(stored: tuple[str, Path]) -> None:
    _, path = stored
    product.repair(path, None, "--new-session")
    first = new_file(path).read_bytes()
    answer = product.repair(path, None, "--new-session")
    others = set(path.parent.glob("*.jsonl")) - {path}
    assert first in [other.read_bytes() for other in others]
    assert answer.code == 0 or answer.report["reason"]


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_a_format_without_sessions_refuses(name: str, tmp_path: Path) -> None:
    path = tmp_path / FORMATS[name].file
    path.write_bytes(FORMATS[name].render(parse(HISTORY)))
    assert product.repair_code(path, "--new-session") in (1, 2)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ids", [["again"], ["one", "two"]])
def test_a_format_that_names_no_other_session_is_refused(
    ids: list[str], stored: tuple[str, Path], monkeypatch: pytest.MonkeyPatch, opened: Opener
) -> None:
    """Ids that come again, whose files exist, end the search for a free name."""
    name, path = stored
    agent = type(agent_of(PRODUCT_FORMATS[name]))
    tries = iter(range(1000))
    monkeypatch.setattr(agent, "new_session_id", lambda self, old, attempt: ids[next(tries) % len(ids)])
    for each in ids:
        path.with_name(f"{each}.jsonl").write_bytes(b"another session")
    with pytest.raises(CannotWrite, match=rf"{ids[0]}\.jsonl already exists.* save a copy, or save in place\."):
        opened(path).save("new-session")
    assert {each.read_bytes() for each in path.parent.glob("*.jsonl") if each != path} == {b"another session"}
