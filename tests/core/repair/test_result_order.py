"""Outputs that stand somewhere behind their calls: OpenAI finds them by their id, DeepSeek's server does not."""

from pathlib import Path
from typing import Any

import pytest

from tests.core.formats import WRITABLE
from tests.core.formats.api_logs import log
from tests.core.formats.codex import FILE, responses, rollout
from tests.core.formats.written import IN_ORDER
from tests.core.repair.every_format import as_loaded, beside, contents, shown, write
from tests.support import product
from tests.support.notation import parse

ITEMS = [name for name, written in WRITABLE.items() if written.in_order]
# What is displaced, by the class that tells of it, and where it is put for a server that wants it at once.
DISPLACED = {
    'u | a{A} | dev"hook" | r(A=alpha) | a"ok"': ("R3:A", 'u | a{A} | r(A=alpha) | dev"hook" | a"ok"'),
    'u | a{A} | u"hi" | r(A=alpha) | a"ok"': ("R3:A", 'u | a{A} | r(A=alpha) | u"hi" | a"ok"'),
    'u | a{A} | u"hi" | a"mm" | r(A=alpha)': ("R4:A", 'u | a{A} | r(A=alpha) | u"hi" | a"mm"'),
    'u | a{A} | "n"+r(A=alpha) | a': ("R3:A", 'u | a{A} | r(A=alpha) | u"n" | a'),
    'u | a{A} | PH(A) | u"q" | r(A=alpha)': ("R6:A", 'u | a{A} | r(A=alpha) | u"q"'),
}


@pytest.mark.parametrize("name", ITEMS)
@pytest.mark.parametrize("history", [each for each in DISPLACED if "PH" not in each])
def test_openai_takes_an_output_anywhere_behind_its_call(name: str, history: str, tmp_path: Path) -> None:
    path = write(WRITABLE[name], parse(history), tmp_path / "log")
    answer, out = product.check(path), beside(path, "repaired")
    rule = DISPLACED[history][0].partition(":")[0]
    assert answer.session["verdict"] == "healthy"
    (finding,) = [each for each in answer.findings if each["rule"] == rule]
    assert finding["severity"] == "warning"
    assert IN_ORDER in finding["refused_by"]
    assert "openai-responses" not in finding["refused_by"]
    assert product.repair(path, out).code == 0
    assert contents(out) == contents(path)


@pytest.mark.parametrize("name", ITEMS)
@pytest.mark.parametrize("history", DISPLACED)
def test_a_server_that_looks_at_what_comes_next_gets_it_there(name: str, history: str, tmp_path: Path) -> None:
    finding, expected = DISPLACED[history]
    written = WRITABLE[name]
    path = write(written, parse(history), tmp_path / "log")
    assert finding in product.check(path, profile=IN_ORDER).errors
    out, again = beside(path, "repaired"), beside(path, "again")
    answer = product.repair(path, out, profile=IN_ORDER)
    after = written.load(out)
    assert shown(after) == as_loaded(written, expected, tmp_path / "expected")
    assert written.in_order is not None
    assert (answer.code, answer.losses, written.in_order(after)) == (0, [], None)
    assert product.repair(out, again, profile=IN_ORDER).code == 0
    assert contents(again) == contents(out)


DISPLACING = 'u | a{A} | dev"hook" | r(A=alpha) | a"ok"'


@pytest.mark.parametrize(
    ("model", "profile"), [("deepseek-v4-pro", IN_ORDER), ("DeepSeek/flash", IN_ORDER), ("gpt-5", "openai-responses")]
)
def test_a_request_names_its_server_by_the_model(model: str, profile: str, tmp_path: Path) -> None:
    items = [payload for _, payload in responses(parse(DISPLACING))]
    answer = product.check(log(tmp_path, {"model": model, "input": items}))
    assert answer.errors == ({"R3:A"} if profile == IN_ORDER else set())


@pytest.mark.parametrize(
    ("meta", "turn", "refuses"),
    [
        ({"model_provider": "deepseek"}, {}, True),
        ({"model_provider": "custom"}, {"model": "deepseek-v4-pro"}, True),
        ({"model_provider": "openai"}, {"model": "gpt-5.6-sol"}, False),
        ({}, {}, False),
    ],
)
def test_a_rollout_names_its_server(meta: dict[str, Any], turn: dict[str, Any], refuses: bool, tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_bytes(rollout(("turn_context", {"cwd": "/w", **turn}), *responses(parse(DISPLACING)), **meta))
    assert product.check(path).errors == ({"R3:A"} if refuses else set())
