"""Forks of Codex, which continue another rollout: what is read of it, where it is found, and that it stays as it is.

What Codex does with such pairs was tried with 0.169.0; forks that it wrote itself are in tests/interop/agents.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from inspector.core.engine.log import OpenLog
from inspector.core.engine.window_engine import WindowEngine
from inspector.core.errors import NotVerified
from inspector.core.formats.base.writer import Writer
from inspector.core.formats.codex import Codex
from inspector.core.repair.choices import Choices
from inspector.core.search.raw_text_search import search_text
from tests.core.formats.codex import THREAD, event, message, responses, rollout
from tests.support import packing, product
from tests.support.notation import parse

FORK = "0199a213-0000-7800-8aa1-000000000002"
SECOND = "0199a213-0000-7800-8aa1-000000000003"
BASE = 'u"go" | a{A@Bash p=1} | r(A=alpha)'
COMPACTED = ("compacted", {"message": "SUMMARY", "replacement_history": [message("user", "REPLACED")]})


def lines(history: str) -> list[tuple[str, dict[str, Any]]]:
    return responses(parse(history))


class Store:
    """A store of Codex."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / ".codex"
        self.day = self.root / "sessions" / "2026" / "01" / "01"
        self.day.mkdir(parents=True)

    def path(self, thread: str) -> Path:
        return self.day / f"rollout-2026-01-01T00-00-00-{thread}.jsonl"

    def put(self, thread: str, *entries: tuple[str, dict[str, Any]], base: str = "", end: int | None = None) -> Path:
        """Write a rollout, which continues the rollout `base` up to `end`, by default all of it."""
        meta: dict[str, Any] = {"id": thread, "history_mode": "paginated"}
        if base:
            end = self.path(base).stat().st_size if end is None else end
            meta["history_base"] = {"thread_id": base, "end_ordinal_exclusive": 0, "end_byte_offset": end}
        self.path(thread).write_bytes(rollout(*entries, **meta))
        return self.path(thread)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def sent(log: Path) -> str:
    """What is sent, in short: texts, ids of calls, `=` and the texts of results."""
    answer = product.sent(log)
    assert answer.code == 0, answer.reason
    found = []
    for item in answer.report["input"]:
        if item["type"] == "message":
            found.append(item["content"][0]["text"])
        elif item["type"].endswith("_output"):
            found.append(f"={item['output']}")
        else:
            found.append(item["call_id"])
    return " ".join(found)


def test_a_fork_is_sent_behind_what_it_continues(store: Store) -> None:
    base = store.put(THREAD, *lines(BASE))
    end = base.stat().st_size
    with base.open("ab") as file:
        file.write(rollout(*lines('u"later"')).splitlines(keepends=True)[1])
    fork = store.put(FORK, *lines('u"on" | a{B@Bash p=2} | r(B=beta)'), base=THREAD, end=end)
    assert sent(fork) == "go A =alpha on B =beta"
    assert sent(store.put(SECOND, *lines('u"again"'), base=FORK)) == "go A =alpha on B =beta again"
    session = product.check(fork).session
    assert (session["verdict"], session["calls"], session["messages"]) == ("healthy", 2, 6)
    printed = product.run("check", str(fork)).stdout
    assert f"  Continues  {base} (the first {end} bytes of that file)" in printed.replace(",", "")


def test_a_fork_that_ends_its_base_in_the_middle_of_a_line_reads_whole_lines(store: Store) -> None:
    base = store.put(THREAD, *lines(BASE))
    assert sent(store.put(FORK, base=THREAD, end=base.stat().st_size - 9)) == "go A =aborted"
    assert sent(store.put(FORK, *lines('u"on"'), base=THREAD, end=0)) == "on"


def test_a_rollback_of_a_fork_reaches_into_what_it_continues(store: Store) -> None:
    store.put(THREAD, *lines('u"one" | a"1" | u"two" | a"2"'))
    fork = store.put(FORK, *lines('u"three"'), event("thread_rolled_back", num_turns=2), base=THREAD)
    assert sent(fork) == "one 1"


def test_a_compaction_in_a_fork_or_in_its_base_replaces_what_is_before_it(store: Store) -> None:
    store.put(THREAD, *lines(BASE))
    assert sent(store.put(FORK, COMPACTED, *lines('u"on"'), base=THREAD)) == "REPLACED on"
    store.put(THREAD, *lines(BASE), COMPACTED)
    assert sent(store.put(FORK, *lines('u"on"'), base=THREAD)) == "REPLACED on"


def test_what_a_compacted_fork_continues_is_not_read(store: Store) -> None:
    base = store.put(THREAD, *lines(BASE))
    fork = store.put(FORK, COMPACTED, *lines('u"on"'), base=THREAD)
    with OpenLog.at(str(fork)) as log:
        assert len(log.report.log.columns) == 4
    base.unlink()
    assert product.check(fork).rules == {"G1"}


def test_of_a_file_that_was_written_twice_the_second_copy_is_sent(store: Store) -> None:
    log = store.put(THREAD, *lines(BASE))
    log.write_bytes(2 * log.read_bytes())
    assert sent(log) == "go A =alpha"
    assert product.check(log).session["verdict"] == "healthy"
    assert sent(store.put(FORK, *lines('u"on"'), base=THREAD)) == "go A =alpha on"
    numbered = json.loads(log.read_bytes().splitlines()[0])
    assert numbered["payload"].pop("history_mode") == "paginated"
    older = rollout(*lines(BASE))
    log.write_bytes(2 * older)
    assert sent(log) == "go A =alpha go A =alpha"
    assert product.check(log).rules == {"K1"}


@pytest.mark.parametrize("place", ["archived_sessions", "sessions", "sessions/2025/12/31"])
def test_a_base_is_found_anywhere_in_the_store(place: str, store: Store) -> None:
    base = store.put(THREAD, *lines(BASE))
    fork = store.put(FORK, *lines('u"on"'), base=THREAD)
    (store.root / place).mkdir(parents=True, exist_ok=True)
    base = base.rename(store.root / place / base.name)
    assert sent(fork) == "go A =alpha on"
    base.with_name(f"{base.name}.zst").write_bytes(packing.packed(base.read_bytes()))
    base.unlink()
    assert sent(fork) == "go A =alpha on"


def test_a_base_that_is_nowhere_in_the_store_is_missed_as_codex_misses_it(store: Store, tmp_path: Path) -> None:
    base = store.put(THREAD, *lines(BASE))
    fork = store.put(FORK, *lines('u"on" | r(A=late)'), base=THREAD)
    outside = base.rename(tmp_path / base.name)
    base.symlink_to(outside)
    answer = product.check(fork)
    error, orphan = answer.findings
    assert (answer.session["verdict"], error["rule"], error["severity"], orphan["severity"]) == (
        "broken",
        "G1",
        "error",
        "info",
    )
    assert error["strategies"] == ["leave"]
    assert f"is a fork of the rollout {THREAD}, which is not in {store.root}" in error["message"]
    refusal = f"invalid paginated history lineage for {THREAD}: missing source rollout"
    assert answer.session["on_resume"]["error"] == refusal
    report = product.sent(fork).report
    assert (report["outcome"], report["error"], report["input"]) == ("refuses", refusal, [])
    assert product.repair(fork, tmp_path / "out.jsonl").code == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data[:-1], "cutoff byte offset is past the source rollout"),
        (lambda data: b" " + data[1:], "does not start with session metadata"),
        (lambda data: data.replace(b'"history_mode"', b'"history_base":{"thread_id":"%s"},"h"' % FORK.encode()), ""),
    ],
)
def test_a_base_that_codex_refuses(change: Any, said: str, store: Store) -> None:
    base = store.put(THREAD, *lines(BASE))
    fork = store.put(FORK, *lines('u"on"'), base=THREAD)
    base.write_bytes(change(base.read_bytes()))
    error = product.check(fork).session["on_resume"]["error"]
    assert error.endswith(said)
    assert bool(error) == bool(said)


def test_forks_that_continue_each_other_come_to_an_end(store: Store) -> None:
    store.put(THREAD, *lines(BASE))
    fork = store.put(FORK, *lines('u"on"'), base=THREAD)
    store.put(THREAD, *lines(BASE), base=FORK, end=10)
    store.put(FORK, *lines('u"on"'), base=THREAD, end=10)
    store.put(THREAD, *lines(BASE), base=FORK)
    store.put(FORK, *lines('u"on"'), base=THREAD)
    assert "cycle detected" in product.check(fork).session["on_resume"]["error"]


def test_outside_of_a_store_only_the_fork_itself_is_judged(store: Store, tmp_path: Path) -> None:
    store.put(THREAD, *lines(BASE))
    fork = store.put(FORK, *lines('u"on" | a{B@Bash p=2} | r(B=beta)'), base=THREAD)
    copy = tmp_path / fork.name
    copy.write_bytes(fork.read_bytes())
    answer = product.check(copy)
    assert (answer.session["verdict"], answer.session["on_resume"]["outcome"]) == ("healthy", "unknown")
    (note,) = answer.findings
    assert (note["rule"], note["severity"]) == ("G1", "info")
    assert "Only the fork's own records" in note["message"]


def test_what_codex_corrects_in_a_base_needs_no_repair(store: Store, tmp_path: Path) -> None:
    store.put(THREAD, *lines('u"go" | a{A@Bash p=1} | u"what?" | r(X=lost)'))
    fork = store.put(FORK, *lines('u"on" | a{B@Bash p=2}'), base=THREAD)
    assert sent(fork) == "go A =aborted what? on B =aborted"
    answer = product.repair(fork, tmp_path / "out.jsonl")
    assert (answer.code, {found["rule"] for found in answer.findings}) == (0, {"D1"})


def test_a_base_that_is_refused_is_named_and_stays_as_it_is(store: Store, tmp_path: Path) -> None:
    base = store.put(THREAD, *lines(BASE), *lines("a{A@Bash p=2} | r(A=beta)"))
    fork = store.put(FORK, *lines('u"on" | a{B@Bash p=2}'), base=THREAD)
    (reused,) = [found for found in product.check(fork).findings if found["rule"] == "K1"]
    assert (reused["strategies"], reused["member"], reused["bytes"]) == (["leave"], str(base), None)
    before = base.read_bytes()
    answer = product.repair(fork, tmp_path / "out.jsonl")
    assert answer.code == 1
    assert f"The problem is in {base}, which this log continues." in answer.report["reason"]
    assert product.repair(fork, tmp_path / "out.jsonl", "--strategy", "K1=drop-call").code == 1
    assert base.read_bytes() == before


def test_a_new_session_holds_the_repaired_base_of_a_fork(store: Store) -> None:
    base = store.put(THREAD, *lines(BASE), *lines("a{A@Bash p=2} | r(A=beta)"))
    middle = store.put(SECOND, *lines('u"on"'), base=THREAD)
    fork = store.put(FORK, *lines('u"and on" | a{B@Bash p=2} | r(B=gamma)'), base=SECOND)
    before = [path.read_bytes() for path in (base, middle, fork)]
    answer = product.repair(fork, None, "--new-session")
    assert answer.code == 0
    assert {edit["place"]["member"] for edit in answer.edits if edit["findings"]} == {str(base)}
    new = Path(answer.report["output"])
    assert sent(new) == "go A =alpha A-2 =beta on and on B =gamma"
    written = [json.loads(line) for line in new.read_bytes().splitlines()]
    assert [line["ordinal"] for line in written] == [*range(len(written))]
    assert [line["type"] for line in written].count("session_meta") == 1
    assert "history_base" not in written[0]["payload"]
    assert product.check(new).session["verdict"] == "healthy"
    assert [path.read_bytes() for path in (base, middle, fork)] == before
    new.unlink()
    os.utime(fork, (0, 0))  # `fix` does not ask about a log that was written long ago
    fixed = product.run("fix", str(fork), "--yes")
    assert (fixed.exit_code, "The repaired session was saved and checked." in fixed.stdout) == (0, True), fixed.output


def test_a_new_session_has_results_that_a_damaged_line_of_the_base_holds(store: Store) -> None:
    base = store.put(THREAD, *lines(BASE))
    fork = store.put(FORK, *lines('u"on"'), base=THREAD)
    start, _, end = base.read_bytes().rpartition(b"\n{")
    base.write_bytes(b"%s {%s" % (start, end))
    assert sent(fork) == "go on"
    answer = product.repair(fork, None, "--new-session")
    assert sent(Path(answer.report["output"])) == "go A =alpha on"


def test_a_fork_that_is_repaired_by_itself_still_names_its_base(store: Store) -> None:
    store.put(THREAD, *lines(BASE))
    fork = store.put(FORK, *lines('u"on" | a{B@Bash p=2}'), base=THREAD)
    new = Path(product.repair(fork, None, "--new-session").report["output"])
    assert "history_base" in json.loads(new.read_bytes().splitlines()[0])["payload"]


def test_an_id_that_a_fork_uses_again_is_renamed_in_the_fork(store: Store, tmp_path: Path) -> None:
    store.put(THREAD, *lines(BASE))
    fork = store.put(FORK, *lines('u"on" | a{A@Bash p=2} | r(A=beta)'), base=THREAD)
    assert product.check(fork).rules == {"K1"}
    answer = product.repair(fork, None, "--new-session")
    assert answer.code == 0
    assert sent(Path(answer.report["output"])) == "go A =alpha on A-2 =beta"


def test_a_damaged_line_of_a_base_is_noted_and_passed_by(store: Store) -> None:
    base = store.put(THREAD, *lines(BASE))
    data = base.read_bytes().splitlines(keepends=True)
    fork = store.put(FORK, *lines('u"on"'), base=THREAD)
    base.write_bytes(b"".join([*data[:-1], data[-1][:40] + b"x" * (len(data[-1]) - 41) + b"\n"]))
    answer = product.check(fork)
    assert (answer.session["verdict"], [found["severity"] for found in answer.findings]) == ("healthy", ["info"])
    assert sent(fork) == "go A =aborted on"


def test_no_edit_reaches_a_base(store: Store) -> None:
    """A result that answers a call of the base is displaced, and a repair could only move it into the base."""
    store.put(THREAD, *lines('u"go" | a{A@Bash p=1} | u"what?" | a"hm"'))
    fork = store.put(FORK, *lines("r(A=alpha)"), base=THREAD)
    with (
        OpenLog.at(str(fork)) as log,
        pytest.raises(NotVerified, match="A repair never changes a log that is continued in another log"),
    ):
        log.plan(Choices(rules={"R4": "move"}))


def test_nothing_is_written_over_a_base(store: Store, tmp_path: Path) -> None:
    base = store.put(THREAD, *lines(BASE))
    fork = store.put(FORK, *lines('u"on" | a{B@Bash p=2}'), base=THREAD)
    before = base.read_bytes()
    assert product.repair(fork, base).code == 2
    assert base.read_bytes() == before
    trimmed = product.run("trim", str(fork), "--keep", "1", "-o", str(tmp_path / "out.jsonl"))
    assert trimmed.exit_code == 1
    assert "is in another log, and trimming never changes" in trimmed.output
    assert product.run("bundle", str(fork), "-o", str(tmp_path / "bundle.zip")).exit_code == 0
    converted = tmp_path / "out.json"
    assert product.run("convert", str(fork), "--to", "openai", "-o", str(converted)).exit_code == 0
    roles = [each["role"] for each in json.loads(converted.read_bytes())["messages"]]
    assert roles == ["user", "assistant", "tool", "user", "assistant"]


def test_the_window_shows_what_a_fork_continues_in_a_section_of_its_own(store: Store) -> None:
    base = store.put(THREAD, *lines(BASE))
    base.with_name(f"{base.name}.zst").write_bytes(packing.packed(base.read_bytes()))
    end = base.stat().st_size
    base.unlink()
    fork = store.put(FORK, *lines('u"on"'), base=THREAD, end=end)
    engine = WindowEngine()
    opened = engine.open(str(fork))
    assert f"From {base.name}.zst, which this log continues (1)" in opened.outline.label.values()
    (attached,) = opened.overview.attached
    first = attached.record
    with open(attached.bytes_path, "rb") as file:
        file.seek(opened.starts[first + 1] - attached.offset)
        assert json.loads(file.readline())["payload"]["content"][0]["text"] == "go"
    index = engine._search_index
    assert index is not None
    assert [list(found.records) for found in search_text(index, "alpha", True)][-1] == [first + 3]
    engine.close()


def test_a_format_that_cannot_copy_what_it_continues_repairs_the_log_itself(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(THREAD, *lines(BASE))
    fork = store.put(FORK, *lines('u"and on" | a{B@Bash p=2}'), base=THREAD)
    monkeypatch.setattr(Codex, "standalone_lines", Writer.standalone_lines)
    with OpenLog.at(fork) as log:
        assert log.to_repair_as_new_session(Choices()) is log
