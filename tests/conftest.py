"""What every test gets: no screen needed, no settings, stores or caches of the person touched."""

import gc
import math
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.check import check as checking
from inspector.core.check import resume
from inspector.core.check.check import Verdict
from inspector.core.engine import workers
from inspector.core.formats.base.request import ResumeRequest
from inspector.core.model.columnar_index import Columns
from inspector.core.model.session import Thread
from inspector.core.providers.profile import Profile
from inspector.core.repair import plan as planning
from inspector.core.repair.plan import Plan
from inspector.core.rules import RULES, rules_that_may_match
from inspector.core.rules.rule import Rule
from inspector.core.save import save as saving
from inspector.core.storage.source import Source
from tests.robustness.properties import profiles  # noqa: F401  # before any property says how often it is tried
from tests.robustness.sandbox.watch import watching
from tests.support import room, thorough
from tests.support.paths import ROOT, SAMPLES

T = TypeVar("T")
OUTER_ENVIRONMENT = dict(os.environ)
room.move_in()
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """The tests themselves stay until the process ends: no look for garbage goes through all of them, then or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def samples() -> Path:
    """The sample logs that ship with the product."""
    return SAMPLES


@pytest.fixture(scope="session")
def outer_environment() -> dict[str, str]:
    """The environment that the tests were started in, for tools that need the person's own home, such as pip."""
    return dict(OUTER_ENVIRONMENT)


@pytest.fixture
def watched(tmp_path: Path, private_home: Path) -> Iterator[None]:
    """The product opens no socket, starts no process and changes nothing but what the test gave it and its own home."""
    with watching([tmp_path, private_home]):
        yield


@pytest.fixture(scope="session", autouse=True)
def private_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty home: no test may see or change the agents' stores and the settings of this machine."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR"):
            patch.delenv(name, raising=False)
        yield home


@pytest.fixture(scope="session", autouse=True)
def by_this_process() -> Iterator[None]:
    """However long a folder of logs takes on a busy machine: other processes start where a test asks for them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "FORK_AFTER_SECONDS", math.inf)
        patch.setattr(workers, "SPAWN_AFTER_SECONDS", math.inf)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_rule_is_passed_over(pytestconfig: pytest.Config) -> Iterator[None]:
    """Whatever a test judges: the rules of which a thread meets no precondition are not asked, and find nothing."""
    twice = thorough.worked_out_twice(pytestconfig)

    def asked(context: ThreadContext) -> list[Rule]:
        found = rules_that_may_match(context)
        if not next(twice):
            return found
        codes = {rule.code for rule in found}
        assert [hit for code, rule in RULES.items() if code not in codes for hit in rule.find(context)] == []
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checking, "rules_that_may_match", asked)
        yield


@pytest.fixture(scope="session", autouse=True)
def what_is_far_changes_no_resume(pytestconfig: pytest.Config) -> Iterator[None]:
    """Whatever log a test resumes: what it comes to, worked out of steps that are near, is what all of them tell.

    So is what the agent would not send of a planned repair.
    """
    twice = thorough.worked_out_twice(pytestconfig)
    near, narrowed = resume.thread_of_steps_with_anomalies, list[Thread]()

    def noted(*arguments: Any) -> Thread | None:
        found = near(*arguments)
        narrowed.extend([] if found is None else [found])
        return found

    def by_all(of_near: Callable[..., T]) -> Callable[..., T]:
        def asked(*arguments: Any) -> T:
            narrowed.clear()
            told = of_near(*arguments)
            if next(twice) and narrowed:
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(resume, "thread_of_steps_with_anomalies", lambda *_: None)
                    assert told == of_near(*arguments)
            return told

        return asked

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resume, "thread_of_steps_with_anomalies", noted)
        patch.setattr(checking, "resume_outcome", by_all(resume.resume_outcome))
        patch.setattr(planning, "unsent_result_reason", by_all(resume.unsent_result_reason))
        yield


@pytest.fixture(scope="session", autouse=True)
def the_plan_knows_the_verdict() -> Iterator[None]:
    """Whatever plan a test saves: the verdict that it tells is that on what is read again."""
    judged_again = saving.verdict_on_written

    def asked(source: Source, plan: Plan, renamed: bool) -> Verdict:
        told = judged_again(source, plan, renamed)
        assert plan.verdict in (None, told) or told == Verdict.BROKEN, "which is refused"
        return told

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(saving, "verdict_on_written", asked)
        yield


@pytest.fixture(scope="session", autouse=True)
def what_stands_in_order_is_taken(pytestconfig: pytest.Config) -> Iterator[None]:
    """Whatever request a test judges: where the short look finds nothing, pairing it finds nothing either."""
    twice = thorough.worked_out_twice(pytestconfig)
    stands_in_order = resume.passes_quick_validity_check

    def asked(request: ResumeRequest, columns: Columns, profile: Profile) -> bool:
        answer = stands_in_order(request, columns, profile)
        if not next(twice):
            return answer
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(resume, "passes_quick_validity_check", lambda *_: False)
            assert not answer or resume.request_refusal(request, columns, profile) is None
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resume, "passes_quick_validity_check", asked)
        yield


@pytest.fixture
def ends() -> Iterator[None]:
    """What somebody would wait for in vain is stopped: it takes milliseconds, or minutes to years.

    Processor time is counted: on a machine that has much else to do, nothing is stopped for that.
    """
    if not hasattr(signal, "SIGVTALRM"):
        pytest.skip("this system has no such alarm")

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 20)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)
