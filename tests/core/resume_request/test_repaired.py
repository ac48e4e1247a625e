"""What is repaired is what the agent sends: every case of the catalogue, in every format whose resume is modelled."""

from pathlib import Path

import pytest

from inspector.core.formats import FORMATS
from inspector.core.formats.base.agent_behavior import RequestBuilder
from inspector.core.repair import plan as planning
from tests.core.formats import WRITABLE
from tests.core.repair.every_format import beside, write
from tests.core.repair.table import CASES, REFUSED, Case
from tests.support import product
from tests.support.notation import parse
from tests.support.thorough import every

MODELLED = [name for name, written in WRITABLE.items() if isinstance(FORMATS[written.name], RequestBuilder)]
REPAIRS = [
    (case, name, strategies)
    for case in CASES
    for name in MODELLED
    if not case.cannot(WRITABLE[name]) and not case.profile
    for strategies, outcome in case.expected(WRITABLE[name]).items()
    if outcome.history != REFUSED
]


@pytest.mark.parametrize(
    ("case", "name", "strategies"), every(8, REPAIRS), ids=lambda value: str(getattr(value, "id", value))
)
def test_the_agent_sends_what_was_repaired(case: Case, name: str, strategies: str, tmp_path: Path) -> None:
    path = write(WRITABLE[name], parse(case.history), tmp_path / "log")
    out = beside(path, "repaired")
    product.repair(path, out, strategies=strategies)
    sent = product.sent(out)
    answered = [block for block in sent.blocks if block["mark"] == "answered by the agent"]
    assert (sent.dropped, answered) == ([], [])
    assert sent.report["outcome"] in ("as-is", "mends")


def test_a_repair_that_the_agent_would_not_send_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(WRITABLE["claude-code"], parse('u | a{A} | u"stop" | a"ok"'), tmp_path / "log")
    monkeypatch.setattr(planning, "unsent_result_reason", lambda *_: "the agent would not send it")
    answer = product.repair(path, tmp_path / "out.jsonl")
    assert (answer.code, answer.report["reason"]) == (1, "Nothing was written: the agent would not send it")
    assert not (tmp_path / "out.jsonl").exists()
