"""Laws of trimming on random histories: no pair is split, nothing but the beginning goes, and something always can."""

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.core.formats import FORMATS
from tests.robustness.properties.histories import damaged, sound
from tests.support import product
from tests.support.judges import merged
from tests.support.notation import Call, History, Part, Result, Text, parse, show

NAMES = ["claude-code", "neovate", "kimi-code", "codex", "gemini-cli", "qwen-code", "anthropic-messages", "openai-chat"]
# Who does not join the assistant's messages would refuse the first result: a warning, and no second session to cut.
TWO_READINGS = parse('u"task" | a{A p=0} | a{B p=1} | r(A=x) | r(B=y) | a"done"')
T57 = parse('u"task" | a{A p=1} | u"note" | r(A=x) | a"ok" | u"next" | a{B p=2} | r(B=y)')


class Trimmed:
    """One trimming of a history that is repaired on the way, as the agent's own reader loads what comes of it."""

    def __init__(self, name: str, history: History, *options: str) -> None:
        self.name, self.history = name, history
        with TemporaryDirectory() as folder:
            path = FORMATS[name].write(history, Path(folder))
            out = Path(folder) / f"out{path.suffix}"
            self.answer = product.trim(path, out, "--repair", *options)
            self.after = FORMATS[name].load(out) if self.answer.code == 0 else []

    @property
    def refusal(self) -> str | None:
        """What the format's judge says against the outcome and not against the repaired history as a whole."""
        refusal = FORMATS[self.name].judge(self.after)
        return refusal if refusal is not None and FORMATS[self.name].judge(self.before) is None else None

    @cached_property
    def before(self) -> History:
        """The repaired history."""
        with TemporaryDirectory() as folder:
            path = FORMATS[self.name].write(self.history, Path(folder))
            out = Path(folder) / f"out{path.suffix}"
            assert product.repair(path, out).code == 0
            return FORMATS[self.name].load(out)


def parts(history: History) -> list[Part]:
    return [part for turn in history for part in turn.parts]


def closed_places(history: History) -> list[int]:
    """The turns before which no call waits for its result; a note alone could stand for the first one."""
    found, waiting = [], set[str]()
    turns = merged(history)
    for number, turn in enumerate(turns):
        if number > (turn.role == "assistant") and not waiting:
            found.append(number)
        waiting |= {call.id for call in turn.of(Call)}
        waiting -= {result.id for result in turn.of(Result)}
    return found


@pytest.mark.parametrize("name", NAMES)
@given(history=sound(), tenths=st.integers(1, 9), first=st.booleans())
@example(history=T57, tenths=5, first=False)
def test_what_is_left_of_a_sound_history_is_its_end(name: str, history: History, tenths: int, first: bool) -> None:
    done = Trimmed(name, history, "--fraction", f".{tenths}", *(["--keep-first"] if first else []))
    shown = (show(done.before), show(done.after), done.answer.report["reason"])
    if done.answer.code:
        assert not closed_places(done.before), shown
        return
    assert done.refusal is None, shown
    counts = done.answer.session["trimmed"]["messages"]
    assert counts["after"] < counts["before"] or counts["wanted"] >= counts["before"] - counts["in_front"], shown
    left = [part for part in parts(done.after) if not _is_note(part)]
    kept = [parts(done.before)[0], *left] if first and left[:1] != parts(done.before)[:1] else left
    whole = parts(done.before)
    head = 1 if first else 0
    assert kept[:head] == whole[:head], shown
    assert kept[head:] == whole[len(whole) - len(kept) + head :], shown


@pytest.mark.parametrize("name", NAMES)
@given(history=damaged(), keep=st.integers(1, 12))
@example(history=T57, keep=4)
@example(history=T57, keep=5)
@example(history=TWO_READINGS, keep=1)
def test_what_is_left_of_a_repaired_history_is_valid(name: str, history: History, keep: int) -> None:
    done = Trimmed(name, history, "--keep", str(keep))
    if done.answer.code == 0:
        assert done.refusal is None, (show(history), show(done.after))
    else:
        assert not closed_places(done.before), (show(done.before), done.answer.report["reason"])


FITTED = ["claude-code", "codex", "openai-chat"]
LONG = 4000  # characters of an output; 1,500 and 1,000 stay


@pytest.mark.parametrize("name", FITTED)
@settings(max_examples=8)
@given(history=sound(), share=st.sampled_from([3, 7, 8, 9]))
def test_fitting_splits_no_pair_and_changes_only_the_shortened_texts(name: str, history: History, share: int) -> None:
    long = with_long_results(history)
    with TemporaryDirectory() as folder:
        path = FORMATS[name].write(long, Path(folder))
        fit = product.trim(path, None, "--fit", "1m", "--dry-run").session["trimmed"]["fit"]
        window = fit["unrecorded"] + (fit["before"] - fit["unrecorded"]) * share // 10 + 1
        out = Path(folder) / f"out{path.suffix}"
        answer = product.trim(path, out, "--fit", str(window + 1), "--reserve", "1")
        before, after = path.read_bytes(), out.read_bytes() if answer.code == 0 else b""
        if answer.code:
            assert "cannot be shortened to" in answer.report["reason"]
            return
        left = FORMATS[name].load(out)
    assert FORMATS[name].judge(left) is None, (show(long), show(left))
    counts = answer.session["trimmed"]["messages"]
    assert answer.session["trimmed"]["fit"]["after"] <= window
    if counts["before"] == counts["after"]:
        for loss in answer.losses:
            text, note = loss["text"], f"\\n[… {LONG - 2500:,} characters were removed to shorten the history …]\\n"
            assert text.encode() in before
            # Claude Code keeps a second copy for its own screen, which is not sent and stays.
            before = before.replace(text.encode(), f"{text[:1500]}{note}{text[-1000:]}".encode(), 1)
        assert after == before


def with_long_results(history: History) -> History:
    """The same history; each result is so long that it can be shortened."""
    return [
        replace(turn, parts=tuple(_long(part) if isinstance(part, Result) else part for part in turn.parts))
        for turn in history
    ]


def _long(result: Result) -> Result:
    return replace(result, text=(result.text * LONG)[:LONG])


def _is_note(part: Part) -> bool:
    return isinstance(part, Text) and part.text.startswith("[The beginning of this conversation was removed")
