"""Two plans of a log are kept: a choice that is taken back shows at once, and shows what a new plan would."""

from pathlib import Path
from typing import Any

import pytest

from inspector.core.engine import log as open_log
from inspector.core.engine.log import OpenLog
from inspector.core.repair.choices import Choices
from inspector.core.repair.plan import Plan
from tests.core.formats import WRITABLE
from tests.support.notation import parse
from tests.support.thorough import every

BROKEN = parse('u | a"t"{A} | u"stop" | a{B,C} | r(B=b) | a"x" | r(Z=z) | a{D} | r(D=d) | r(D=e) | a{E} | u"end"')
ALL, LEFT, DROPPED = Choices(), Choices(rules={"D2": "leave"}), Choices(rules={"D2": "drop-call"}, preset="clean")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Choices]:
    """The choices that a plan was made of, in order."""
    asked, make = list[Choices](), open_log.planning.plan_repair

    def noted(report: Any, choices: Choices, **more: Any) -> Plan:
        asked.append(choices)
        return make(report, choices, **more)

    monkeypatch.setattr(open_log.planning, "plan_repair", noted)
    return asked


def told(plan: Plan) -> list[Any]:
    """All that a plan says and does."""
    edits, draft = plan.draft.record_edits(), plan.draft
    done = [
        edits.replaced,
        edits.deleted,
        edits.inserted_after,
        edits.inserted_before,
        draft.losses,
        draft.quarantined,
        draft.reasons,
    ]
    return [*done, plan.verified, plan.reason, plan.chosen, plan.refusals, plan.on_resume, plan.effects, plan.verdict]


@pytest.mark.parametrize("name", every(3, WRITABLE))
def test_a_choice_taken_back_is_planned_as_before(name: str, tmp_path: Path) -> None:
    path = WRITABLE[name].write(BROKEN, tmp_path)
    with OpenLog.at(path) as log:
        for choices in (ALL, LEFT, ALL, DROPPED, ALL, LEFT, LEFT, ALL):
            with OpenLog.at(path) as anew:
                assert told(log.plan(choices)) == told(anew.plan(choices))


def test_the_last_two_are_kept(tmp_path: Path, made: list[Choices]) -> None:
    with OpenLog.at(WRITABLE["claude-code"].write(BROKEN, tmp_path)) as log:
        for choices in (ALL, LEFT, ALL, DROPPED, ALL, DROPPED, LEFT, ALL):
            log.plan(choices)
        assert made == [ALL, LEFT, DROPPED, LEFT, ALL]
        log.check()
        log.plan(ALL)
        assert made[-2:] == [ALL, ALL]
