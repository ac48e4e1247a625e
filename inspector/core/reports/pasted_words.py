"""The sentences that all reports on a pasted text share."""

from collections.abc import Iterator

from inspector.core.judging.check import Report
from inspector.core.known_texts.provider_errors import ProviderErrorKind
from inspector.core.known_texts.provider_errors.reading import ParsedErrorText
from inspector.core.pasted.bodies import RequestMatch
from inspector.core.reports.shown import one_line


def mentioned_names(pasted: ParsedErrorText) -> Iterator[str]:
    """The ids and the places that a text names, as it writes them."""
    for named in pasted.ids:
        yield one_line(named.text) + ("…" if named.is_truncated else "")
    for spot in pasted.references:
        yield one_line(spot.text)


def overlap_sentence(match: RequestMatch) -> str:
    """How much of a pasted request is in the session that it begins."""
    shared = []
    if match.all_ids:
        shared.append(f"{match.ids} of its {match.all_ids} call ids")
    if match.all_texts:
        shared.append(f"{match.texts} of its {match.all_texts} texts of the user")
    return f"{' and '.join(shared)} are there"


def unrelated_error_sentence(kind: ProviderErrorKind) -> str:
    """What there is to say of an error that is no fault of the history."""
    return f"It is about {kind.about}, which is no fault of the history."


def request_sentence(body: Report, format: str) -> str:
    """What a pasted request is; its format is named as the reader of the sentence knows it."""
    messages = sum(session.messages for session in body.sessions)
    return f"The text holds a request of {messages} messages ({format}, {body.verdict.word})."
