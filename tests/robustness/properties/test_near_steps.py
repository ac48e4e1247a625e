"""What a resume comes to is worked out of the steps that something odd is in: the same as of the whole history."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.thread_context import CheckedThread
from inspector.core.check import resume
from inspector.core.check.steps_with_anomalies import thread_of_steps_with_anomalies
from inspector.core.engine.log import OpenLog
from tests.robustness.properties.histories import damaged
from tests.support.notation import History, claude_code, parse

# One that drops open calls, and one that answers them.
VERSIONS = ("2.1.112", "2.1.330")


def steps(name: str, count: int = 6) -> History:
    return parse(" | ".join(f"u | a{{{name}{number}}} | r({name}{number}=x) | a" for number in range(count)))


def judged(history: History) -> tuple[CheckedThread, set[str]]:
    session = OpenLog.of_bytes(claude_code(history), "claude-code").check().sessions[0]
    return session.threads[0], {kind.rule for kind in session.findings.kinds if kind.severity == Severity.ERROR}


def assert_alike(history: History, version: str) -> None:
    main, errors = judged(history)
    context = main.context.with_agent_version(version)
    told = resume.resume_outcome(context, main.matches, errors)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resume, "thread_of_steps_with_anomalies", lambda context, hits: None)
        assert told == resume.resume_outcome(context, main.matches, errors)


@given(history=damaged(thinking=True), version=st.sampled_from(VERSIONS))
def test_the_steps_that_are_near_tell_what_all_of_them_do(history: History, version: str) -> None:
    assert_alike(steps("before") + history + steps("behind"), version)


@given(history=damaged(thinking=True), version=st.sampled_from(VERSIONS))
def test_what_the_agent_would_not_send_of_a_repair_is_near_its_edits(history: History, version: str) -> None:
    data = claude_code(steps("before") + history + steps("behind")).replace(VERSIONS[0].encode(), version.encode())

    def reason() -> str:
        return OpenLog.of_bytes(data, "claude-code").plan().reason

    told = reason()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resume, "thread_of_steps_with_anomalies", lambda *_: None)
        assert told == reason()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_fragment_of_a_far_message_may_stand_between_the_results_of_a_near_one(version: str) -> None:
    far = parse("u | A[m]{P} | r(P=x),r(Q=x)")
    near = parse("a{A,B} | r(Z=x),r(A=x) | A[m]{Q} | r(B=x) | a")
    between = parse(" | ".join(f"a{{C{number}}} | r(C{number}=x)" for number in range(12)))
    assert_alike(far + between + near + steps("behind"), version)


def test_a_first_message_may_be_taken_out() -> None:
    assert_alike(parse("r(Z=x) | a{A} | r(A=x)") + steps("behind") + parse("u | a[th]"), VERSIONS[1])


def test_what_stands_far_from_an_open_call_is_left_out() -> None:
    main, _ = judged(steps("before") + parse("u | a{A} | u | a") + steps("behind"))
    thread = thread_of_steps_with_anomalies(main.context, main.matches)
    assert thread is not None
    named = {
        main.context.columns.call_ids[row] for record in thread.path for row in main.context.columns.block_rows(record)
    }
    assert named - {None} == {"A"}
