"""Find how far a history was certainly accepted, for an error that says no more than that something is invalid.

A request holds the whole history before it. A request that was answered was therefore accepted with everything that
came before the answer, and what a later request was refused for came with or after that answer. An answer of another
provider or model proves less, and an error that the agent recorded in place of an answer proves nothing.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from msgspec import Struct

from inspector.core.analysis.compactions import last_compaction
from inspector.core.analysis.finding import Finding, Severity
from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.check.check import Report, SessionReport
from inspector.core.error_lookup.locate import is_same_error, place_of_record, threads_with_sessions
from inspector.core.formats.base.registry import safe_view
from inspector.core.model.columnar_index import BlockFlag, RecordMark, Role
from inspector.core.model.record_tree import RecordTree
from inspector.core.model.views import BlockKind, RecordLocation, RecordView
from inspector.core.providers.error_parser import ParsedErrorText
from inspector.core.providers.registry import PROFILES, profile_name_of
from inspector.core.report.sentences import one_line, place_text
from inspector.core.rules import RULES
from inspector.core.translation import tr

_MOST = 20
# How many records are searched for the name of a model at most: agents name it in every turn, or nowhere.
_SEARCHED_FOR_MODEL = 200
_SPEAKERS = (Role.USER, Role.ASSISTANT, Role.TOOL)
_RULES_OF_READING = "FG"  # of damaged records and of links between records
# Profiles of APIs through which the same models are reached.
_SAME_MODELS = (
    frozenset({"anthropic", "anthropic-prefix-bound", "bedrock-converse"}),
    frozenset({"openai-chat", "openai-responses", "responses-in-order", "mistral", "lax"}),
)


class CauseCandidate(Struct, frozen=True):
    """A finding that may have caused the error. `is_new`: it came with or after the last answer.

    `is_refused`: the provider in question refuses it, as far as its rules are known.
    """

    finding: Finding
    is_new: bool
    is_refused: bool


class AcceptedHistory(Struct, frozen=True, kw_only=True):
    """How far the history of one thread was certainly accepted, and what may be wrong with the rest.

    * `up_to` is the last record that was accepted, and `answer` the record that proves it; None if nothing does.
    * `model` is the model that gave the answer, "" if the log does not name it.
    * `compaction` is the newest compaction, if no answer came after it: what is sent since then was never accepted.
    * `first` and `last` enclose the `messages` that came with and after the answer, with their `calls` and `results`.
    * `error` is the record with the newest error after the answer.
    * `candidates` are in the order of their likelihood, the likeliest first.
    """

    session: str
    is_side: bool = False
    up_to: RecordLocation | None = None
    answer: RecordLocation | None = None
    model: str = ""
    compaction: RecordLocation | None = None
    first: RecordLocation | None = None
    last: RecordLocation | None = None
    messages: int = 0
    calls: int = 0
    results: int = 0
    error: RecordLocation | None = None
    candidates: tuple[CauseCandidate, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def explains(self) -> bool:
        """Whether a finding that matters came with or after the answer, or is refused by the provider."""
        return any(
            (each.is_new or each.is_refused) and each.finding.severity > Severity.INFO for each in self.candidates
        )


class _Answer(Struct, frozen=True):
    """An answer in `record`, whose request held the path up to `position` (exclusive)."""

    record: int
    position: int


def accepted_histories(report: Report, pasted: ParsedErrorText) -> tuple[AcceptedHistory, ...]:
    """Return for each thread how far its history was accepted. `pasted` is the error that is looked up.

    Side threads, and the sessions of a log with several, are left out if they have neither an error nor a candidate.
    """
    found: list[AcceptedHistory] = []
    for session, context in threads_with_sessions(report):
        if not any(context.columns.roles[record] in _SPEAKERS for record in context.thread.path):
            continue
        history = _history_of(report, session, context, pasted)
        is_only = len(report.sessions) == 1 and context.thread is session.session.main_thread
        if is_only or history.error is not None or history.explains:
            found.append(history)
    return tuple(found[:_MOST])


def _history_of(
    report: Report, session: SessionReport, context: ThreadContext, pasted: ParsedErrorText
) -> AcceptedHistory:
    boundary = last_compaction(context)
    answer = _newest_answer(context, pasted, boundary)
    start = answer.position if answer is not None else 0
    path, columns = context.thread.path, context.columns
    new = [record for record in path[start:] if columns.roles[record] in _SPEAKERS]
    rows = [columns.block_kinds[row] for record in new for row in columns.block_rows(record)]
    error = _newest_error(context, start)
    model, other_model = _models(context, answer)
    doubts = [*_doubts(context, pasted, answer, model, other_model)]
    candidates = tuple(_candidates(session, context, pasted, start, bool(doubts)))
    return AcceptedHistory(
        session=session.session.id,
        is_side=context.thread.is_side,
        up_to=place_of_record(report, path[_last_spoken(context, start)]) if answer is not None else None,
        answer=place_of_record(report, answer.record) if answer is not None else None,
        model=model,
        compaction=place_of_record(report, boundary) if answer is None and boundary >= 0 else None,
        first=place_of_record(report, new[0]) if new else None,
        last=place_of_record(report, new[-1]) if new else None,
        messages=len({context.pairing.messages[at] for at in range(start, len(path))} - {-1}),
        calls=rows.count(BlockKind.CALL),
        results=rows.count(BlockKind.RESULT) + rows.count(BlockKind.TOLD_RESULT),
        error=place_of_record(report, error) if error >= 0 else None,
        candidates=candidates,
        remarks=(*(doubts or _contradiction(candidates)), *_outdated_error(report, context, pasted, answer)),
    )


def _last_spoken(context: ThreadContext, stop: int) -> int:
    """Return the position of the last message before a position on the path."""
    roles, path = context.columns.roles, context.thread.path
    return next((at for at in range(stop - 1, -1, -1) if roles[path[at]] in _SPEAKERS), stop - 1)


def _newest_answer(context: ThreadContext, pasted: ParsedErrorText, boundary: int) -> _Answer | None:
    """Return the answer whose request held most of the path, None if there is none since the newest compaction."""
    path = context.thread.path
    after = context.path_positions.get(boundary) if boundary >= 0 else -1
    on_path = None
    for position in range(len(path) - 1, after, -1):
        if _came_after(context, path[position], boundary) and _is_answer(context, path[position], pasted):
            start = _start_of_response(context, position)
            if _last_spoken(context, start) > after:
                on_path = _Answer(path[start], start)
            break
    known = on_path.position if on_path is not None else after + 1
    return _answer_on_other_branch(context, pasted, boundary, known) or on_path


def _came_after(context: ThreadContext, record: int, boundary: int) -> bool:
    """Return whether a record was written after a compaction. One that it kept stands behind it on the path, too.

    The records of a log that a fork continues are numbered after its own.
    """
    return record > boundary or bool(context.columns.marks[record] & RecordMark.INHERITED)


def _is_answer(context: ThreadContext, record: int, pasted: ParsedErrorText) -> bool:
    """Return whether a record is the answer of a model, and not an error or a message that the agent wrote itself."""
    columns = context.columns
    if columns.roles[record] != Role.ASSISTANT or columns.marks[record] & RecordMark.API_ERROR:
        return False
    rows = columns.block_rows(record)
    if all(columns.block_kinds[row] == BlockKind.TEXT and columns.block_flags[row] & BlockFlag.BLANK for row in rows):
        return False  # It says nothing, or has no block at all.
    view = _view(context, record)
    if view.model in context.format.own_model_names:
        return False
    texts = [block.text for block in view.blocks if block.kind == BlockKind.TEXT]
    return not (len(rows) == len(texts) == 1 and is_same_error(pasted, texts[0]))


def _view(context: ThreadContext, record: int) -> RecordView:
    return safe_view(context.format, context.raw(record), context.session.faults)


def _start_of_response(context: ThreadContext, position: int) -> int:
    """Return the position of the first record of the response that the record at a position is a part of.

    A response may be several records: fragments of one message, between which results may stand, or items in a row.
    """
    columns, path, start = context.columns, context.thread.path, position
    group = columns.groups[path[position]]
    for at in range(position - 1, -1, -1):
        record, role = path[at], columns.roles[path[at]]
        is_part = role == Role.ASSISTANT and (
            not _holds_result(context, record) if group is None else columns.groups[record] == group
        )
        if is_part:
            start = at
        elif role == Role.ASSISTANT or (role in _SPEAKERS and (group is None or not _holds_result(context, record))):
            break
    return start


def _holds_result(context: ThreadContext, record: int) -> bool:
    kinds = context.columns.block_kinds
    return any(kinds[row] == BlockKind.RESULT for row in context.columns.block_rows(record))


def _answer_on_other_branch(
    context: ThreadContext, pasted: ParsedErrorText, boundary: int, known: int
) -> _Answer | None:
    """Return an answer on a branch that the conversation left, if it proves more of the path than up to `known`.

    Its request held the part of the path that both branches share.
    """
    columns, best = context.columns, None
    if context.thread.is_side or not any(columns.uuids):
        return None
    others = [
        record
        for record in context.session.records
        if columns.roles[record] == Role.ASSISTANT
        and not columns.marks[record] & RecordMark.SIDE_THREAD
        and record > boundary
        and record not in context.path_positions
    ]
    parents = RecordTree(columns).parents if others else array("i")
    joins: dict[int, int] = {}
    for record in others:
        # Fragments of the answer itself were no part of its request.
        group, first = columns.groups[record], record
        while (parent := parents[first]) >= 0 and group is not None and columns.groups[parent] == group:
            first = parent
        shared = _position_of_join(context, parents[first], parents, joins)
        if shared >= known and _is_answer(context, record, pasted):
            best, known = _Answer(record, shared + 1), shared + 1
    return best


def _position_of_join(context: ThreadContext, record: int, parents: array[int], joins: dict[int, int]) -> int:
    """Return the path position at which the chain of parents from a record joins the path, -1 where it does not.

    `joins` remembers what is known of records off the path.
    """
    passed = []
    while record >= 0 and record not in joins and record not in context.path_positions:
        joins[record] = -1  # in case the chain is a circle
        passed.append(record)
        record = parents[record]
    position = joins.get(record, context.path_positions.get(record)) if record >= 0 else -1
    joins.update(dict.fromkeys(passed, position))
    return position


def _newest_error(context: ThreadContext, start: int) -> int:
    """Return the record of the newest error on the path from a position on, -1 where there is none."""
    marks, path = context.columns.marks, context.thread.path
    return next((record for record in reversed(path[start:]) if marks[record] & RecordMark.API_ERROR), -1)


def _models(context: ThreadContext, answer: _Answer | None) -> tuple[str, str]:
    """Return the model of the answer, and the newest model that the log names after it, "" for what it does not name.

    Some agents name the model in each answer, others at the beginning of a turn.
    """
    if answer is None:
        return "", ""
    columns, records = context.columns, context.session.records
    before = range(answer.record, max(records.start - 1, answer.record - _SEARCHED_FOR_MODEL), -1)
    after = range(records.stop - 1, max(answer.record, records.stop - 1 - _SEARCHED_FOR_MODEL), -1)
    turns = [record for record in before if record == answer.record or columns.marks[record] & RecordMark.TURN_EVENT]
    later = [record for record in after if not columns.marks[record] & (RecordMark.SIDE_THREAD | RecordMark.UNREADABLE)]
    return _first_model(context, turns), _first_model(context, later)


def _first_model(context: ThreadContext, records: Iterable[int]) -> str:
    models = (_view(context, record).model for record in records)
    return next((model for model in models if model and model not in context.format.own_model_names), "")


def _doubts(
    context: ThreadContext, pasted: ParsedErrorText, answer: _Answer | None, model: str, later_model: str
) -> Iterator[str]:
    """Yield why an answer proves less than that the history was accepted."""
    if answer is None:
        return
    shown, later = one_line(model), one_line(later_model)
    api = profile_name_of("", model) or context.profile.name
    if later_model and model and later_model != model:
        yield tr(
            "The last answer came from {model}, but later records are from {later}. Models differ in what they "
            "accept, so this answer does not prove that {later} accepts the history.",
            model=shown,
            later=later,
        )
    elif pasted.profile in PROFILES and not _is_same_provider(api, pasted.profile):
        yield tr(
            "The last answer came from {model}, but the error came from {provider}. Providers differ in what "
            "they accept, so this answer does not prove that {provider} accepts the history.",
            model=shown or PROFILES[api].label,
            provider=PROFILES[pasted.profile].label,
        )
    if context.format.is_provider_api:
        yield tr(
            "This log contains only a request, so it does not show whether the provider generated the last answer."
        )


def _is_same_provider(api: str, other: str) -> bool:
    """Return whether two APIs, by the names of their profiles, may lead to the same models."""
    return api == other or any({api, other} <= names for names in _SAME_MODELS)


def _contradiction(candidates: Iterable[CauseCandidate]) -> Iterator[str]:
    """Yield a remark if the provider refuses something that it seems to have accepted."""
    if any(each.is_refused and not each.is_new for each in candidates):
        yield tr(
            "The provider would reject content that comes before the last answer, so the log must differ "
            "from the request that was actually sent. Either the log was damaged or changed after that "
            "request, or the agent repairs the history before each request."
        )


def _outdated_error(
    report: Report, context: ThreadContext, pasted: ParsedErrorText, answer: _Answer | None
) -> Iterator[str]:
    """Yield a remark if the log holds this very error before the answer, so that the session went on since."""
    marks, path = context.columns.marks, context.thread.path
    if answer is None or not context.columns.has_mark(RecordMark.API_ERROR):
        return
    errors = [record for record in reversed(path[: answer.position]) if marks[record] & RecordMark.API_ERROR]
    for record in errors[:_MOST]:
        if is_same_error(pasted, context.format.error_text(context.raw(record))):
            place = place_text(place_of_record(report, record), numbered=True)
            yield tr(
                "The log contains this error at {place}, before the last answer, so the session continued "
                "after the error.",
                place=place,
            )
            return


def _candidates(
    session: SessionReport, context: ThreadContext, pasted: ParsedErrorText, start: int, is_doubtful: bool
) -> list[CauseCandidate]:
    """Return the findings that may have caused the error, the likeliest first.

    Those before the answer count where it proves less, and where the log may not be what was sent then: where the
    provider refuses them, or they change what the agent reads of the log.
    """
    provider = PROFILES.get(pasted.profile, context.profile)
    first_new = context.thread.path[start] if start < len(context.thread.path) else len(context.columns)
    found = []
    for finding in session.findings:
        position = _position_in_thread(session, context, finding.place.record, start, first_new)
        if position is None or RULES[finding.rule].of_error:
            continue
        values = finding.refusal_values
        is_refused = values is not None and provider.refuses(finding.rule, values.value, values.case)
        candidate = CauseCandidate(finding, position >= start, is_refused)
        may_differ = is_refused or finding.rule[0] in _RULES_OF_READING
        matters = finding.severity > Severity.INFO or (candidate.is_new and is_refused)
        if matters and (candidate.is_new or is_doubtful or may_differ):
            found.append((_rank(candidate, pasted, position), candidate))
    return [candidate for _, candidate in sorted(found, key=lambda each: each[0])[:_MOST]]


def _position_in_thread(
    session: SessionReport, context: ThreadContext, record: int, start: int, first_new: int
) -> int | None:
    """Return the position of a finding on the path, None if it is in another thread.

    A record on no path (a damaged line) counts to the main thread, as new if it stands after the first new record.
    """
    position = context.path_positions.get(record)
    if position >= 0:
        return position
    if context.thread.is_side or any(record in other.context.path_positions for other in session.threads):
        return None
    return start if not start or record >= first_new else -1


def _rank(candidate: CauseCandidate, pasted: ParsedErrorText, position: int) -> tuple[bool, bool, bool, int, int]:
    """Return what findings are sorted by: new, of a rule that the wording names, refused, severe, early."""
    finding = candidate.finding
    return (
        not candidate.is_new,
        finding.rule not in pasted.rules,
        not candidate.is_refused,
        -finding.severity,
        position,
    )
