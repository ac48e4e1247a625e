"""Every log of the real agents has the verdict that its resume bears out."""

from pathlib import Path

import pytest

from tests.core.resume_request.requests import RECORDED
from tests.core.resume_request.verdicts import VERDICTS
from tests.support import product

LOGS = sorted(path for path in (RECORDED / "logs").glob("*/*") if path.is_file())
WORST_FIRST = ("broken", "heals-itself", "healthy")
EXPECTED = {
    f"{agent}/{name}": verdict
    for agent, verdicts in VERDICTS.items()
    for verdict, names in verdicts.items()
    for name in names.split()
}

pytestmark = pytest.mark.skipif(not LOGS, reason="the logs of real agents are not beside this checkout")


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_verdict_is_that_of_the_table(path: Path) -> None:
    verdicts = [session["verdict"] for session in product.check(path).report["sessions"]]
    assert min(verdicts, key=WORST_FIRST.index) == EXPECTED[f"{path.parent.name}/{path.stem}"]


def test_the_table_names_no_log_that_is_not_there() -> None:
    assert {f"{path.parent.name}/{path.stem}" for path in LOGS} == set(EXPECTED)
