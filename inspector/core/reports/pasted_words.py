"""The sentences that all reports on a pasted text share."""

from collections.abc import Iterator

from inspector.core.judging.check import Report
from inspector.core.known_texts.provider_errors import Kind
from inspector.core.known_texts.provider_errors.reading import Pasted
from inspector.core.pasted.bodies import BodyMatch
from inspector.core.reports.shown import shown


def names_in(pasted: Pasted) -> Iterator[str]:
    """The ids and the places that a text names, as it writes them."""
    for named in pasted.ids:
        yield shown(named.text) + ("…" if named.cut else "")
    for spot in pasted.spots:
        yield shown(spot.text)


def in_common(match: BodyMatch) -> str:
    """How much of a pasted request is in the session that it begins."""
    shared = []
    if match.all_ids:
        shared.append(f"{match.ids} of its {match.all_ids} call ids")
    if match.all_texts:
        shared.append(f"{match.texts} of its {match.all_texts} texts of the user")
    return f"{' and '.join(shared)} are there"


def about_no_history(kind: Kind) -> str:
    """What there is to say of an error that is no fault of the history."""
    return f"It is about {kind.about}, which is no fault of the history."


def request_in(body: Report, format: str) -> str:
    """What a pasted request is; its format is named as the reader of the sentence knows it."""
    messages = sum(session.messages for session in body.sessions)
    return f"The text holds a request of {messages} messages ({format}, {body.verdict.word})."
