"""Laws of the repair on random histories, in every format: judged by others, re-read from the written bytes."""

import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests import product
from tests.judges import log_error, merged, refusals
from tests.notation import FORMATS, PLACEHOLDER_START, Call, History, Result, parse, show
from tests.projection import read, texts
from tests.properties.histories import damaged, sound
from tests.properties.pairs import owners

settings.register_profile("default", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

NAMES = list(FORMATS)


class Repaired:
    """One repair of a history: its input and output bytes, and the product's answer."""

    def __init__(self, name: str, data: bytes, preset: str = "") -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / FORMATS[name].file
            path.write_bytes(data)
            out, twin, again = (Path(folder) / f"{stem}{path.suffix}" for stem in ("out", "twin", "again"))
            self.answer = product.repair(path, out, preset=preset)
            assert path.read_bytes() == data
            self.data = out.read_bytes() if out.exists() else b""
            self.twin = self.again = self.data
            if self.answer.code == 0:
                product.repair(path, twin, preset=preset)
                product.repair(out, again, preset=preset)
                self.twin, self.again = twin.read_bytes(), again.read_bytes()


def pieces(name: str, data: bytes) -> list[bytes]:
    """The records of a log as the bytes that they are: lines, or the messages of an array."""
    if name in ("claude-code", "neovate"):
        return data.splitlines()
    body = data[data.index(b'"messages"') :]
    spans, depth, start = [], 0, 0
    for match in re.finditer(rb'"(?:\\.|[^"\\])*"|[{}]', body):
        if match[0] == b"{":
            start, depth = (match.start() if not depth else start), depth + 1
        elif match[0] == b"}" and depth:
            depth -= 1
            if not depth:
                spans.append(body[start : match.end()])
    return spans


@pytest.mark.parametrize("name", NAMES)
@given(history=sound())
def test_a_sound_history_comes_back_as_the_same_bytes(name: str, history: History) -> None:
    data = FORMATS[name].render(history)
    done = Repaired(name, data)
    assert done.answer.code == 0
    assert done.data == data
    assert done.answer.edits == []


@pytest.mark.parametrize("name", NAMES)
@given(history=damaged())
@example(history=parse('u | a{A p=1,B p=2} | u"hi" | r(A=alpha) | a{A p=3} | r(B=beta)'))
@example(history=parse('u | a{A p=1} | a{B p=2} | r(A=x) | a{C p=3} | r(B=y) | r(C=z) | a"ok"'))
@example(history=parse("u | a{A p=1} | r(B=y) | a | r(A=x) | u | a{B p=2} | r(Z=z) | a"))
@example(history=parse("u | r(A=x) | a{A p=1} | r(D=y) | a{D p=2} | r(Z=z) | a"))
@example(history=parse("u | r(A=alpha) | a{A p=1} | r(A=beta) | a{A p=2} | a"))
def test_a_damaged_history_is_repaired(name: str, history: History) -> None:
    data = FORMATS[name].render(history)
    done = Repaired(name, data)
    shown = show(history)

    assert done.answer.code == 0, (shown, done.answer.report.get("reason"))
    after = read(done.data, name)
    assert refusals(after, name) == [], (shown, show(after))
    assert log_error(done.data, name) is None, shown
    assert done.twin == done.data, "not deterministic"
    assert done.again == done.data, ("not idempotent", shown)

    kept = " ".join(texts(after))
    missing = [text for text in texts(history) if text not in kept and text not in done.answer.lost_text]
    assert missing == [], (shown, show(after), done.answer.losses)

    turns = merged if FORMATS[name].profile == "anthropic" else list
    assert no_new_owner(turns(history), turns(after)) == [], (shown, show(after))

    old = pieces(name, data)
    changed = [piece for piece in pieces(name, done.data) if piece not in old]
    assert len(changed) <= len(done.answer.edits), shown


def no_new_owner(before: History, after: History) -> list[str]:
    """Results that answer another call than before, or one that never had their id."""
    was: dict[str, list[Call]] = {}
    for result, calls in owners(before):
        was.setdefault(result.text, []).extend(calls)
    ids = {(result.text, result.id) for turn in before for result in turn.of(Result)}
    id_of = {str(call.input): call.id for turn in before for call in turn.of(Call)}
    return [
        f"{result.text} answers {call}"
        for result, (call,) in owners(after)
        if not result.text.startswith(PLACEHOLDER_START)
        and (
            (result.text, id_of[str(call.input)]) not in ids
            or call.input not in [old.input for old in was.get(result.text, [call])]
        )
    ]


@pytest.mark.parametrize("name", NAMES)
@given(history=damaged(), preset=st.sampled_from(["clean", "claude-code", "deepagents", "neovate", "neovate-safe"]))
@example(
    history=parse("u | a{A,B} | r(B=alpha) | a{C} | r(A=beta) | a{D} | r(C=gamma) | r(D=delta) | a"),
    preset="neovate-safe",
)
def test_every_preset_writes_only_what_is_valid(name: str, history: History, preset: str) -> None:
    done = Repaired(name, FORMATS[name].render(history), preset)
    assert done.answer.code in (0, 1)
    if done.answer.code:
        assert done.data == b""
        return
    after = read(done.data, name)
    assert refusals(after, name) == [], (preset, show(history), show(after))
    assert done.again == done.data
    kept = " ".join(texts(after))
    missing = [text for text in texts(history) if text not in kept and text not in done.answer.lost_text]
    assert missing == [], (preset, show(history), show(after))


@pytest.mark.parametrize("name", NAMES)
@given(history=sound(), share=st.floats(0.05, 1.0))
def test_a_file_cut_anywhere(name: str, history: History, share: float) -> None:
    whole = FORMATS[name].render(history)
    data = whole[: int(len(whole) * share)]
    done = Repaired(name, data)
    if done.answer.code:
        assert done.answer.code in (1, 2, 3)
        assert done.data == b""
        return
    assert refusals(read(done.data, name), name) == [], show(history)
    assert done.again == done.data
    old = pieces(name, data) if b'"messages"' in data or name in ("claude-code", "neovate") else []
    missing = [piece for piece in old[:-2] if piece not in pieces(name, done.data)]
    assert missing == []
