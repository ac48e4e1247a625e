"""A broken session and its planned repair in a few lines, for a person who decides whether to save it."""

from collections import Counter
from collections.abc import Iterator

from inspector.core.analysis.finding import Severity
from inspector.core.check.causes import find_likely_cause
from inspector.core.check.check import SessionReport
from inspector.core.repair.plan import Plan
from inspector.core.repair.strategies import STRATEGIES
from inspector.core.report.sentences import loss_sentences, rule_title

_FEW = 3  # of one kind that are listed


def problem_line(session: SessionReport) -> str:
    """Return the kinds of errors of a session with their counts."""
    counts = session.findings.count_rules(Severity.ERROR)
    return f"Problems: {_counted(Counter({rule_title(rule): count for rule, count in counts.items()}))}"


def repair_lines(plan: Plan) -> Iterator[str]:
    """Yield what a repair loses, and what it does: two lines."""
    losses = plan.draft.losses
    if losses:
        more = f"; and {len(losses) - _FEW} more" if len(losses) > _FEW else ""
        yield f"Lost: {'; '.join(loss_sentences(losses[:_FEW], plan.draft.log))}{more}."
    else:
        yield "Lost: nothing."
    done = Counter(STRATEGIES[name].summary for name in plan.chosen.values() if name != "leave")
    yield f"Changes: {_counted(done)} Everything else stays as it is."


def cause_line(session: SessionReport) -> str:
    """Return the likely cause of what is wrong, "" where none is known."""
    likely = find_likely_cause(session)
    return f"Likely cause: {likely.cause.explanation} ({likely.cause.url})" if likely else ""


def _counted(sentences: Counter[str]) -> str:
    """Return sentences in a row, each with its count if that is not 1; the most frequent first."""
    return " ".join(
        f"{sentence.removesuffix('.')} ({count} times)." if count > 1 else sentence
        for sentence, count in sentences.most_common()
    )
