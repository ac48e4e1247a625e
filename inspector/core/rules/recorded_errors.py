"""Rules about what the log itself reports: recorded errors, and results that deny what was done."""

import re
from collections.abc import Iterator
from functools import partial

from inspector.core.analysis import evidence_search
from inspector.core.analysis.finding import Severity
from inspector.core.analysis.reasoning import REASONING_RULES, is_error_outdated
from inspector.core.analysis.tool_references import were_tool_references_removed
from inspector.core.analysis.unmatched_results import tool_label
from inspector.core.formats.base.call_evidence import EvidenceStrength
from inspector.core.model.columnar_index import BlockFlag
from inspector.core.model.views import BlockKind
from inspector.core.providers.agent_texts import not_run_claim, record_may_hold_call_refusal
from inspector.core.providers.error_parser import explain_error, parse_error_text
from inspector.core.providers.placeholders import RESULT_NOTE_HEADING
from inspector.core.rules.rule import Hits, RuleMatch, ThreadContext, rule
from inspector.core.translation import tr

_OMITTED = re.compile(rb"\[(?:image|document) omitted: ")  # what a repair writes in the place of media
_NOTE = RESULT_NOTE_HEADING.encode()
# An answer to a call does not resolve an error about any other rule.
_OF_PAIRS = frozenset("D1 D2 D3 D4 R1 R2 R3 R4 R5".split())
_LONGEST = 16 * 1024  # of a record with a refusal alone; most are of one kilobyte
_FLAGGED = BlockFlag.ERROR | BlockFlag.PLACEHOLDER | BlockFlag.OUR_PLACEHOLDER


@rule("E1", "unexplained-error", None, ("leave",), preconditions=("error",), of_error=True)
def unexplained_error(context: ThreadContext) -> Hits:
    """A recorded error is not explained by any finding.

    What it finds: a provider error that is the newest entry of the log, while the history itself is valid. An error
    about a quota, the sign-in, an overload or the network is shown in the verdict instead.
    Why it matters: the session may be stuck for a reason other than its calls and results.
    Example:
      an assistant line with isApiErrorMessage: true
    Repairs: none. Read the error message. Use `explain --error` to see what is known about the error.
    """
    if context.thread is not context.session.main_thread:
        return
    record, text = context.last_error
    if record < 0 or context.last_error_kind is not None or _is_mended(context, text):
        return
    short = " ".join(text.split())[:200]
    message = tr("The log ends with a provider error: “{short}”", short=short)
    yield RuleMatch(rule="E1", message=message, record=record, severity=Severity.INFO)


def _is_mended(context: ThreadContext, text: str) -> bool:
    """Return whether a repair has dealt with an error.

    The error is outdated where what it names is answered or gone, or where the log holds what repairs put in.
    """
    known = explain_error(text)
    if known is None:
        return False
    if known.rules[0] in (*REASONING_RULES, "T4") and is_error_outdated(context, known.rules[0], text):
        return True
    if known.rules[0] == "X3":
        return were_tool_references_removed(context)
    if known.rules[0] == "V1":
        return any(_OMITTED.search(context.raw(record)) for record in context.thread.path)
    if not _OF_PAIRS.intersection(known.rules):
        return False
    pairing, columns = context.pairing, context.columns
    tools = [
        tool for tool, row in enumerate(pairing.block_rows) if (call_id := columns.call_ids[row]) and call_id in text
    ]
    if tools:
        return all(pairing.counterparts[tool] >= 0 for tool in tools)
    if parse_error_text(text).ids:
        return True  # What it names was dropped, or cut off, since.
    if any(columns.block_flags[row] & BlockFlag.PLACEHOLDER for row in pairing.block_rows):
        return True
    return any(_NOTE in context.raw(record) for record in pairing.path)


@rule("E2", "denied-but-ran", None, ("leave",), preconditions=("failed",))
def denied_but_ran(context: ThreadContext) -> Hits:
    """A result reports that its call did not run, but the log shows that the call ran.

    What it finds: a result in which a program says that the call was rejected, cancelled or aborted (in its own words
    or with a placeholder), although records between the call and the result show that the call was started or ran.
    Why it matters: no provider rejects such a result, but it tells the model that nothing was done, although the
    command may have changed files.
    Example:
      assistant  calls Edit
      (a snapshot of the edited file)
      result     The user doesn't want to proceed with this tool use.
    Repairs: none. Before you continue the session, check the files that the call was meant to change.
    """
    claims = dict(_claims(context))
    if not claims:
        return
    rows = [context.pairing.block_rows[context.pairing.counterparts[tool]] for tool in claims]
    until = [context.pairing.record_of(tool) for tool in claims]
    calls = evidence_search.evidence_queries(
        context.format, context.columns, context.raw, rows, context.session.faults, until
    )
    found = evidence_search.EvidenceSearch(context.format, context.columns, context.raw, calls).run()
    for (tool, claim), traces in zip(claims.items(), found, strict=True):
        shown = max(traces, key=lambda trace: trace.strength, default=None)
        if shown is not None and shown.strength > EvidenceStrength.MENTIONED:
            how = "ran" if shown.strength == EvidenceStrength.RAN else tr("was started")
            text = tr(
                'The result of {tool_label} says "{claim}", but the log shows that the call {how}: ',
                tool_label=tool_label(context, tool),
                claim=claim,
                how=how,
            )
            yield context.match_at_tool("E2", tool, text + shown.sentence, severity=Severity.INFO)


def _claims(context: ThreadContext) -> Iterator[tuple[int, str]]:
    """Yield the results of calls that claim that the call was stopped, with their words.

    Only results that report a failure, and placeholders whose words may claim it, are read.
    """
    pairing, kinds, flags = context.pairing, context.columns.block_kinds, context.columns.block_flags
    for tool, row in enumerate(pairing.block_rows):
        flagged = flags[row] & _FLAGGED
        if (
            flagged
            and flagged < BlockFlag.OUR_PLACEHOLDER
            and kinds[row] == BlockKind.RESULT
            and pairing.counterparts[tool] >= 0
        ):
            record, ordinal = context.tool_location(tool)
            if claim := context.cached_read(f"claim {ordinal}", record, partial(_claim, context, tool)):
                yield tool, claim


def _claim(context: ThreadContext, tool: int) -> str:
    columns, row = context.columns, context.pairing.block_rows[tool]
    record, ordinal = context.tool_location(tool)
    if columns.block_flags[row] & BlockFlag.PLACEHOLDER:
        return not_run_claim(context.placeholder_text(tool))
    if columns.blocks[record] == 1 and columns.ends[record] - columns.starts[record] > _LONGEST:
        return ""
    if not record_may_hold_call_refusal(context.raw(record)):
        return ""
    view = context.block_view(record, ordinal)
    return not_run_claim(view.text) if view is not None else ""
