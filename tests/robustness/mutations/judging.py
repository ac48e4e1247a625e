"""Deliberate faults where a log is judged."""

from tests.robustness.mutations.fault import Fault

JUDGING = (
    Fault(
        "the ordinal of a finding's id never counts",
        "inspector/core/check/findings.py",
        "seen[key] = number + 1",
        "seen[key] = number",
        ("tests/core/repair/test_choices.py",),
    ),
    Fault(
        "what is wrong in a side thread is an error",
        "inspector/core/check/findings.py",
        "    if context.thread.is_side:\n        return Severity.INFO\n",
        "",
        ("tests/core/repair/test_tree.py",),
    ),
    Fault(
        "what only another provider refuses is not told",
        "inspector/core/check/findings.py",
        "return Severity.WARNING if profiles_refusing(*key) else Severity.INFO",
        "return Severity.INFO",
        ("tests/core/repair/test_notes_and_ids.py::test_what_another_provider_alone_refuses_is_a_warning",),
    ),
    Fault(
        "a finding that a damaged record explains is told",
        "inspector/core/check/check.py",
        "    if not salvaged:\n        return hits\n",
        "    return hits\n",
        ("tests/core/rules/test_damage.py",),
    ),
    Fault(
        "waiting is called healthy",
        "inspector/core/check/check.py",
        "if unanswered and len(",
        "if unanswered > 9 and len(",
        ("tests/core/repair/test_seed_waiting.py",),
    ),
    Fault(
        "a lost record is no error",
        "inspector/core/check/findings.py",
        "loses = RULES[key[0]].loses_records or ",
        "loses = ",
        ("tests/core/rules/test_damage.py",),
    ),
    Fault(
        "a rule looks at some of the calls",
        "inspector/core/rules/unanswered_calls.py",
        "for tool in open_calls_of_kind(context, OpenCallKind.CONVERSATION_WENT_ON):",
        "for tool in open_calls_of_kind(context, OpenCallKind.CONVERSATION_WENT_ON)[:1]:",
        ("tests/core/repair/test_table.py::test_diagnosis[T08 two messages, none answered-openai-responses]",),
    ),
    Fault(
        "an id is legal that begins legally",
        "inspector/core/providers/profile.py",
        "pattern and re.fullmatch(pattern, value)",
        "pattern and re.match(pattern, value)",
        ("tests/core/rules/test_call_shape.py::test_profiles_differ_in_what_an_id_may_be",),
    ),
    Fault(
        "a resume loses nothing",
        "inspector/core/check/resume.py",
        "(*behavior.losses, *request.lost, *(() if starts_empty else difference.losses))",
        "behavior.losses",
        ("tests/core/resume_request/test_claude_code.py",),
    ),
    Fault(
        "the results of a call are looked up anew for each",
        "inspector/core/analysis/thread_context.py",
        "@cached_property\n    def results_by_call",
        "@property\n    def results_by_call",
        ("tests/robustness/properties/test_growth.py",),
    ),
)
