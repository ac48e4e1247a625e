"""Report on a pasted error or request: as lines of text, and as places that a front can show."""

from collections.abc import Iterator

from inspector.core.analysis.finding import Severity
from inspector.core.check.check import Report
from inspector.core.doctor.report import mentioned_sessions_lines, session_match_lines
from inspector.core.error_lookup.accepted_history import AcceptedHistory, CauseCandidate
from inspector.core.error_lookup.locate import Certainty, ErrorPlace, LocateErrorResult
from inspector.core.error_lookup.lookup import ErrorLookup, LogMatch
from inspector.core.error_lookup.request_bodies import SessionOfRequest
from inspector.core.formats.base.stores import with_tilde
from inspector.core.model.views import RecordLocation
from inspector.core.presentation.engine_results import LookupAnswer, LookupPlace
from inspector.core.providers.error_kinds import ERROR_KINDS, REQUEST
from inspector.core.providers.error_parser import ParsedErrorText, ServiceErrorKind, classify_service_error
from inspector.core.providers.registry import PROFILES, TEMPLATE_PROFILES
from inspector.core.report.sentences import one_line, place_text
from inspector.core.translation import joined, tr, tr_plural

_LOG_LINES = {
    "named": tr("{path} ({format}, {verdict})"),
    "id": tr("{path} ({format}, {verdict}) contains an id from the error:"),
    "recorded": tr("{path} ({format}, {verdict}) contains this error:"),
    "fits": tr(
        "The findings in {path} ({format}, {verdict}) match the error. The error contains no id, so it may "
        "belong to another session."
    ),
}
_PLACE_LINES = {
    Certainty.BY_ID: tr("{sentence} (found by id)"),
    Certainty.BY_INDEX: tr("{sentence} (found by index)"),
    Certainty.BY_CLASS: tr("{sentence} (found by error type)"),
}

UNKNOWN_ERROR = tr("This error is unknown. `check` shows whether the history is valid.")
_WRONG_IN_A_REQUEST = 5


def lookup_lines(answer: ErrorLookup) -> Iterator[str]:
    """Yield the whole answer as lines of text."""
    yield from _meaning_lines(answer)
    if answer.in_stores is not None and (answer.in_stores.matches or answer.kind):
        yield from mentioned_sessions_lines(answer.in_stores)
        return
    for log in answer.logs:
        yield ""
        yield from _log_lines(log)
    if answer.body is not None:
        yield ""
        yield from _body(answer)
    yield from _search(answer)


def _meaning_lines(answer: ErrorLookup) -> Iterator[str]:
    meaning = answer.pasted.explanation
    if meaning is not None:
        yield tr(meaning.sentence)
        yield tr("Rules: {rules}", rules=", ".join(meaning.rules))
        profiles = PROFILES | TEMPLATE_PROFILES
        if meaning.profile in profiles:
            servers, label = ", ".join(meaning.servers), profiles[meaning.profile].label
            through = (
                tr("Profile: {profile} ({label}, through {servers})") if servers else tr("Profile: {profile} ({label})")
            )
            yield tr(through, profile=meaning.profile, label=label, servers=servers)
        elif meaning.servers:
            yield tr("Through: {servers}", servers=", ".join(meaning.servers))
        if meaning.profile in TEMPLATE_PROFILES:
            yield tr("Next: {step}", step=next_step(answer))
    elif answer.kind:
        yield kind_sentence(answer)
    elif (kind := classify_service_error(answer.pasted.text)) is not None:
        yield unrelated_error_sentence(kind)
    elif answer.body is None:
        yield UNKNOWN_ERROR
    if answer.kind and meaning is None:
        yield tr("Kind: {kind}", kind=answer.kind)
        if not answer.explains:
            yield tr("Next: {step}", step=next_step(answer))
    named = ", ".join(mentioned_ids_and_places(answer.pasted))
    if named and answer.body is None:
        yield tr("The error names: {named}", named=named)


def error_sentence(answer: ErrorLookup) -> str:
    """Return what an error means, or is about, "" where that is not known."""
    if answer.pasted.explanation is not None:
        return tr(answer.pasted.explanation.sentence)
    return kind_sentence(answer) if answer.kind else ""


def next_step(answer: ErrorLookup) -> str:
    """Return what to do next about an error of a known kind."""
    if answer.pasted.profile in TEMPLATE_PROFILES:
        return tr(
            "`transcript-inspector repair LOG --profile {profile} -o OUT` writes a history that the template accepts.",
            profile=answer.pasted.profile,
        )
    return tr(ERROR_KINDS[answer.kind].step)


def kind_sentence(answer: ErrorLookup) -> str:
    """Return what an error of a kind is about, where no rule finds its cause."""
    wording = answer.pasted.kind_wording
    if wording is None:
        return tr("The text refers to a session.")
    return tr(wording.sentence or ERROR_KINDS[wording.kind].sentence)


def _log_lines(log: LogMatch) -> Iterator[str]:
    path = one_line(with_tilde(log.path), 1000)
    yield tr(_LOG_LINES[log.match_reason], path=path, format=log.format, verdict=log.verdict)
    yield from _place_lines(_without_candidates(log))
    for recorded in log.recorded_places:
        yield tr("  {place}: This error was recorded here.", place=place_text(recorded.place, numbered=True))
    yield from accepted_lines(log)
    yield from (f"  {sentence}" for sentence in log.context)
    if not (log.location.places or log.recorded_places or log.accepted or log.context):
        yield tr(
            "  No finding in this log explains the error. The log may have been repaired already, or the error may "
            "belong to another session."
        )


def _without_candidates(log: LogMatch) -> LocateErrorResult:
    """Return the places of a log without those that are listed as candidates."""
    if not log.accepted:
        return log.location
    places = tuple(place for place in log.location.places if place.certainty > Certainty.BY_CLASS)
    return LocateErrorResult(places, log.location.remarks)


def accepted_lines(log: LogMatch) -> Iterator[str]:
    """Yield how far a history was accepted, what came after that, and what may be wrong with it."""
    for history in log.accepted:
        yield f"  {_accepted_sentence(history)}"
        yield from (f"    {sentence}" for sentence in _later_sentences(history))
        if history.candidates:
            yield tr("    Findings that may be the cause, most likely first:")
        for number, candidate in enumerate(history.candidates, 1):
            yield f"    {number}. {_candidate_sentence(candidate)}"


def _accepted_sentence(history: AcceptedHistory) -> str:
    """Return up to which record a history was certainly accepted, and what proves it."""
    if history.up_to is not None and history.answer is not None:
        up_to, answer = place_text(history.up_to, numbered=True), place_text(history.answer, numbered=True)
        if history.is_side:
            return tr(
                "The provider accepted a side thread up to {up_to}: it answered the request that ended there "
                "(the answer is at {answer}).",
                up_to=up_to,
                answer=answer,
            )
        return tr(
            "The provider accepted the history up to {up_to}: it answered the request that ended there (the "
            "answer is at {answer}).",
            up_to=up_to,
            answer=answer,
        )
    if history.compaction is not None:
        place = place_text(history.compaction, numbered=True)
        return tr(
            "No requests were answered after the compaction at {place}, so any message may be the cause.", place=place
        )
    if history.is_side:
        return tr("In one side thread, no requests were answered, so any message in that thread may be the cause.")
    return tr("No requests were answered, so any message may be the cause.")


def _later_sentences(history: AcceptedHistory) -> Iterator[str]:
    """Yield what came with and after the last answer, and what else is known of it."""
    if history.first is not None:
        calls = tr_plural("{number:,} call", "{number:,} calls", history.calls)
        messages = tr_plural("{number:,} message", "{number:,} messages", history.messages)
        template = (
            tr("The rest of this history, starting at {first}, has {messages} ({calls}, {results}).")
            if history.answer is not None
            else tr("The history has {messages} ({calls}, {results}), starting at {first}.")
        )
        results = tr_plural("{number:,} result", "{number:,} results", history.results)
        first = place_text(history.first, numbered=True)
        yield tr(template, messages=messages, calls=calls, results=results, first=first)
    else:
        yield tr("This history contains no later messages.")
    if history.error is not None:
        yield tr("An error is recorded at {place}.", place=place_text(history.error, numbered=True))
    yield from history.remarks


def _candidate_sentence(candidate: CauseCandidate) -> str:
    finding = candidate.finding
    values = {
        "place": place_text(finding.place, numbered=True),
        "message": one_line(finding.message, 400),
        "rule": f"{finding.rule} {finding.slug}",
    }
    if not candidate.is_new:
        return tr("{place}: {message} [{rule}], before that answer", **values)
    if candidate.is_refused:
        return tr("{place}: {message} [{rule}] (rejected by the provider)", **values)
    return tr("{place}: {message} [{rule}]", **values)


def _place_lines(location: LocateErrorResult) -> Iterator[str]:
    for place in location.places:
        yield f"  {place_text(place.place, numbered=True)}: {_place_sentence(place)}"
    for remark in location.remarks:
        yield f"  {one_line(remark, 400)}"


def _place_sentence(place: ErrorPlace) -> str:
    finding = place.finding
    location = place.place.pointer if place.place.document is None else place.place.document
    if finding is not None:
        info_note = ", info" if finding.severity == Severity.INFO else ""
        sentence = f"{one_line(finding.message, 400)} [{finding.rule} {finding.slug}{info_note}]"
    else:
        sentence = f"{one_line(place.tool)} {one_line(place.call_id)}".strip() or tr(
            "The error refers to this message."
        )
    if location:
        sentence = tr("{sentence} at {location}", sentence=sentence, location=location)
    return tr(_PLACE_LINES[place.certainty], sentence=sentence)


def _body(answer: ErrorLookup) -> Iterator[str]:
    body = answer.body
    assert body is not None
    yield request_sentence(body, body.format.name)
    if answer.body_location.places and answer.pasted.explanation is not None:
        yield from _place_lines(answer.body_location)
    else:
        for finding in answer.body_findings:
            yield tr(
                "  Message {number} of the request: {message} [{rule} {slug}]",
                number=finding.place.record,
                message=one_line(finding.message, 400),
                rule=finding.rule,
                slug=finding.slug,
            )
    yield from (line for match in answer.matching_sessions for line in _match_lines(match))
    if not answer.matching_sessions:
        yield tr("No stored sessions begin with this request.")


def _match_lines(match: SessionOfRequest) -> Iterator[str]:
    path = one_line(with_tilde(match.path), 1000)
    yield tr(
        "Session {session} in {path} ({format}) begins with this request: {request_overlap_sentence}.",
        session=one_line(match.session),
        path=path,
        format=match.format,
        request_overlap_sentence=request_overlap_sentence(match),
    )
    if match.place is not None:
        place = place_text(match.place, numbered=True)
        yield tr(
            "  The request ends at {place}, which is message {message} of {messages}.",
            place=place,
            message=match.message,
            messages=match.messages,
        )


def _search(answer: ErrorLookup) -> Iterator[str]:
    search = answer.search
    if search is None:
        return
    yield ""
    if not answer.logs and not answer.matching_sessions and answer.kind != REQUEST:
        yield tr("No sessions on this machine match the text. To search a specific log, specify its path.")
    values = {"logs": search.logs, "of": search.of, "size": search.size / 1e6, "unread": search.unread}
    if search.unread:
        yield tr(
            "Searched {logs:,} of {of:,} logs on this machine ({size:,.0f} MB). {unread:,} could not be read.", **values
        )
    else:
        yield tr("Searched {logs:,} of {of:,} logs on this machine ({size:,.0f} MB).", **values)


def lookup_answer(answer: ErrorLookup) -> LookupAnswer:
    """Return the answer as places with sentences, light enough to cross a pipe."""
    body = answer.body
    places = [place for log in answer.logs for place in _pasted_places(log)]
    places += _session_places(answer)
    places += [_end_of_request(match) for match in answer.matching_sessions if match.place is not None]
    paths = {place.path for place in places}
    accepted = [history for log in answer.logs for history in log.accepted]
    remarks = dict.fromkeys(
        one_line(remark, 400)
        for remark in (
            *(remark for log in answer.logs for remark in (*log.location.remarks, *log.context)),
            *(sentence for history in accepted for sentence in _sentences_on_accepted(history)),
        )
    )
    return LookupAnswer(
        meaning=request_sentence(body, body.format.label) if body else _meaning_sentence(answer),
        named=tuple(mentioned_ids_and_places(answer.pasted)) if body is None else (),
        is_request=body is not None,
        explains=answer.explains,
        fits=bool(answer.logs) and all(log.match_reason == "fits" for log in answer.logs),
        places=tuple(places),
        remarks=(*remarks, *_in_stores(answer), *_wrong_in_request(answer), *answer.faults),
        searched=_searched(answer),
        looked_at=answer.search.logs if answer.search else 0,
        origins=len(paths.intersection(log.path for log in answer.likely_logs) or paths),
    )


def _meaning_sentence(answer: ErrorLookup) -> str:
    if answer.pasted.explanation is None and answer.kind:
        step = "" if answer.explains else next_step(answer)
        return joined(" ", filter(None, (kind_sentence(answer), step)))
    if sentence := error_sentence(answer):
        return sentence
    kind = classify_service_error(answer.pasted.text)
    return unrelated_error_sentence(kind) if kind is not None else ""


def _in_stores(answer: ErrorLookup) -> Iterator[str]:
    """Yield what keeps an agent from the sessions that the text names, and the commands that open them."""
    for match in answer.in_stores.matches if answer.in_stores else ():
        yield from (line.strip() for line in session_match_lines(match))


def _session_places(answer: ErrorLookup) -> Iterator[LookupPlace]:
    """Yield the beginnings of the logs that the text names."""
    for match in answer.in_stores.matches if answer.in_stores else ():
        session = match.examined.session
        if session.log and match.how != "agent":
            sentence = tr("{agent} stores the session here.", agent=match.agent)
            yield LookupPlace(path=session.log, place=RecordLocation(0), how="id", sentence=sentence)


def _sentences_on_accepted(history: AcceptedHistory) -> Iterator[str]:
    yield _accepted_sentence(history)
    yield from _later_sentences(history)


def _pasted_places(log: LogMatch) -> Iterator[LookupPlace]:
    for history in log.accepted:
        for candidate in history.candidates:
            place, sentence = candidate.finding.place, one_line(candidate.finding.message, 400)
            how = "candidate" if candidate.is_new else "before-answer"
            yield LookupPlace(path=log.path, place=place, how=how, sentence=sentence, finding=candidate.finding.id)
        if history.up_to is not None:
            sentence = tr("The provider accepted the history up to this message.")
            yield LookupPlace(path=log.path, place=history.up_to, how="accepted", sentence=sentence)
    for located in _without_candidates(log).places:
        yield LookupPlace(
            path=log.path,
            place=located.place,
            how=located.certainty.word,
            sentence=_what_is_there(located),
            finding=located.finding.id if located.finding else "",
        )
    for recorded in log.recorded_places:
        sentence = tr("This error was recorded here.")
        yield LookupPlace(path=log.path, place=recorded.place, how="recorded", sentence=sentence)


def _what_is_there(located: ErrorPlace) -> str:
    if located.finding is not None:
        shows_id = located.call_id and located.call_id not in located.finding.message
        call_id = f" ({one_line(located.call_id)})" if shows_id else ""
        return f"{one_line(located.finding.message, 400)}{call_id}"
    subject = f"{one_line(located.tool)} {one_line(located.call_id)}".strip()
    return subject or tr("The error refers to this message.")


def _end_of_request(match: SessionOfRequest) -> LookupPlace:
    assert match.place is not None
    sentence = tr(
        "The request ends here, at message {message} of {messages}: {request_overlap_sentence}.",
        message=match.message,
        messages=match.messages,
        request_overlap_sentence=request_overlap_sentence(match),
    )
    return LookupPlace(path=match.path, place=match.place, how="request", sentence=sentence)


def _wrong_in_request(answer: ErrorLookup) -> Iterator[str]:
    for finding in answer.body_findings[:_WRONG_IN_A_REQUEST]:
        yield tr(
            "Message {record} of the request: {message}",
            record=finding.place.record,
            message=one_line(finding.message, 400),
        )


def _searched(answer: ErrorLookup) -> str:
    search = answer.search
    if search is None:
        return ""
    if not search.of:
        return tr("No known agent has sessions on this machine.")
    size = f"{search.size / 1e6:,.0f} MB" if search.size >= 1e6 else f"{search.size / 1e3:,.0f} KB"
    values = {"logs": search.logs, "of": search.of, "size": size, "unread": search.unread}
    if search.unread:
        return tr(
            "Searched {logs:,} of {of:,} sessions on this machine ({size}). {unread:,} could not be read.", **values
        )
    return tr("Searched {logs:,} of {of:,} sessions on this machine ({size}).", **values)


def mentioned_ids_and_places(pasted: ParsedErrorText) -> Iterator[str]:
    """Yield the ids and places that a text names, as it spells them."""
    for named in pasted.ids:
        yield one_line(named.text) + ("…" if named.is_truncated else "")
    for spot in pasted.references:
        yield one_line(spot.text)


def request_overlap_sentence(match: SessionOfRequest) -> str:
    """Return how much of a pasted request is in the session that begins with it."""
    values = {"ids": match.ids, "all_ids": match.all_ids, "texts": match.texts, "all_texts": match.all_texts}
    if match.all_ids and match.all_texts:
        return tr("{ids} of the {all_ids} call ids and {texts} of the {all_texts} user messages match", **values)
    if match.all_ids:
        return tr("{ids} of the {all_ids} call ids match", **values)
    return tr("{texts} of the {all_texts} user messages match", **values)


def unrelated_error_sentence(kind: ServiceErrorKind) -> str:
    """Return a sentence on an error that is no fault of the history."""
    return tr("The error is about {about}. The history is not the cause.", about=tr(kind.about))


def request_sentence(body: Report, format: str) -> str:
    """Return what a pasted request is. `format` is its format as the reader knows it."""
    messages = sum(session.messages for session in body.sessions)
    return tr(
        "The text contains a request with {messages} messages ({format}, {word}).",
        messages=messages,
        format=format,
        word=body.verdict.word,
    )
