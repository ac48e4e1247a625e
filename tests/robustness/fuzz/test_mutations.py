"""Each mutation does what its name says; a log whose mutations are none is written as it was."""

import json
import os
import subprocess
import sys
from random import Random

import pytest

from tests.robustness.fuzz.mutations import OF_BYTES, OF_CONTAINERS, OF_VALUES
from tests.robustness.fuzz.mutations.picking import Unfit
from tests.robustness.fuzz.seeds import seed_logs
from tests.robustness.fuzz.tree import Key, Spelling, Tree, Verbatim
from tests.support.notation import claude_code, openai, parse
from tests.support.paths import ROOT

HISTORY = parse('u"a question" | a"I look."{A p=1,B p=2} | r(A="one result",B="and another") | a"an answer"')
LINES, DOCUMENT = claude_code(HISTORY), openai(HISTORY)


@pytest.mark.parametrize("data", [LINES, DOCUMENT], ids=["lines", "document"])
def test_a_tree_is_written_as_it_was_read(data: bytes) -> None:
    tree = Tree.read(data)
    assert tree is not None
    assert [*map(json.loads, tree.write(Spelling(ascii=True)).splitlines())] == [*map(json.loads, data.splitlines())]


def test_what_no_writer_of_json_would_write() -> None:
    tree = Tree(
        [{"a": Verbatim("1e400"), Key('"a"'): 2, Key('"\\u0062"'): [Verbatim("[" * 3 + "]" * 3)]}], is_lines=False
    )
    assert tree.write(Spelling()) == b'{"a":1e400,"a":2,"\\u0062":[[[[]]]]}\n'


def test_damaged_lines_stay_among_the_others() -> None:
    tree = Tree.read(b'{"a":1}\n{"b":\xff\n{"c":3}\n')
    assert tree is not None
    assert tree.write(Spelling()) == b'{"a":1}\n{"b":\xff\n{"c":3}\n'


def test_the_records_of_a_document_are_its_messages() -> None:
    tree = Tree.read(DOCUMENT)
    assert tree is not None
    assert [record["role"] for record in tree.records] == ["user", "assistant", "tool", "tool", "assistant"]


@pytest.mark.parametrize("name", OF_VALUES)
def test_every_mutation_of_values_changes_some_log(name: str) -> None:
    def changed(data: bytes, number: int) -> bool:
        tree = Tree.read(data)
        assert tree is not None
        before = tree.write(Spelling())
        try:
            OF_VALUES[name](Random(number), tree)
        except Unfit:
            return False
        return tree.write(Spelling()) != before

    assert any(changed(data, number) for number in range(40) for data in (LINES, DOCUMENT))


@pytest.mark.parametrize("name", [*OF_BYTES, *OF_CONTAINERS])
def test_every_mutation_of_bytes_changes_some_log_and_takes_any(name: str) -> None:
    mutate = OF_BYTES[name] if name in OF_BYTES else OF_CONTAINERS[name]
    assert any(mutate(Random(number), LINES) != LINES for number in range(20))
    for data in (b"", b"\n", b"{", b"\xff"):
        assert isinstance(mutate(Random(0), data), bytes)


def test_every_format_has_seed_logs() -> None:
    loaded = {log.written for log in seed_logs()}
    assert len(loaded) > 15
    assert all(log.log in log.files or any(name.startswith(log.log) for name in log.files) for log in seed_logs())


def test_no_hash_seed_changes_a_trial() -> None:
    shown = "print([(t.did, t.files) for t in (trial(3, n) for n in range(60))])"
    code = f"from tests.robustness.fuzz.trial import trial; {shown}"
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1
