"""The base class of logs of requests: each request and the response to it are one history."""

from __future__ import annotations

from array import array
from itertools import chain, groupby
from operator import attrgetter

from inspector.core.formats.base.message_arrays import MessageArrays
from inspector.core.model.columnar_index import Columns, ReadRecord
from inspector.core.model.session import Log, Session, Thread
from inspector.core.model.views import BlockKind
from inspector.core.storage.log_layout import RecordSequence


class LoggedRequests(MessageArrays):
    """Requests that were logged with their responses. An object is a request, and holds arrays of messages.

    Of a response with several choices, the first is the answer. Its calls are those that the program runs next.
    """

    logs_requests = True

    def request_among(self, sequences: list[RecordSequence]) -> RecordSequence | None:
        """Return the array with the messages that were sent, among the arrays of one request."""
        return next((each for each in sequences if not each.is_response), None)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        held = (each for each in log.sequences if each.array_start is not None or each.is_single_message)
        requests = [list(group) for _, group in groupby(held, attrgetter("outermost_object"))]
        sessions: list[Session] = []
        low = 0
        for number, sequences in enumerate(requests, log.first_session):
            request, response = self.request_among(sequences), next(filter(_is_response, sequences), None)
            # A damaged line before a request belongs to it, and what follows the last one belongs to that.
            high = sequences[-1].high if len(sessions) + 1 < len(requests) else len(columns)
            path = array("I", chain(_records(request), _records(response)[:1]))
            session = Session(number, str(number), range(low, high), [Thread(path)], self.profile)
            session.stops_before_tool_calls = response is not None
            sessions.append(session)
            self.read_context(session, log, columns, request or sequences[0], raw)
            low = high
        return sessions or [Session(0, "0", range(len(columns)), [Thread(array("I"))], self.profile)]

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the calls of the response. The provider wanted those of the request to have results."""
        rows = columns.block_rows(path[-1]) if session.stops_before_tool_calls and path else ()
        return {columns.call_ids[row] or "" for row in rows if columns.block_kinds[row] == BlockKind.CALL}


def _is_response(sequence: RecordSequence) -> bool:
    return sequence.is_response


def _records(sequence: RecordSequence | None) -> range:
    return range(0) if sequence is None else range(sequence.low, sequence.high)
