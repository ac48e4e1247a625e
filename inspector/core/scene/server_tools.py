"""Calls of the provider's own tools, and their results: both are the assistant's, in blocks of their own.

A result stands in the message of its call, or in the next one of its turn: a call beside those of the person's tools
waits until their results have come, and the message behind them begins with its own. Code that calls those tools itself
may go through several rounds. Anything else that the user says ends the turn; one that is still open goes on when it is
sent as it is (platform.claude.com, "Handling stop reasons": tool_use, pause_turn).
"""

from msgspec import Struct

from inspector.core.index.columns import Role
from inspector.core.index.views import BlockKind
from inspector.core.scene.misshapen import malformed_messages
from inspector.core.scene.once import cached_on_thread
from inspector.core.scene.scene import ThreadContext


class UnpairedServerTools(Struct):
    """(block row, record) of calls without a result, of those whose turn is still open, of results without a call."""

    unanswered: list[tuple[int, int]] = []
    waiting: list[tuple[int, int]] = []
    orphans: list[tuple[int, int]] = []


@cached_on_thread
def unpaired_server_tools(scene: ThreadContext) -> UnpairedServerTools:
    """What does not pair on the path of a thread."""
    found = UnpairedServerTools()
    if not scene.format.pairs_server_tools:
        return found
    columns = scene.columns
    kinds = columns.block_kinds
    if BlockKind.SERVER_CALL not in kinds and BlockKind.SERVER_RESULT not in kinds:
        return found
    open_calls: dict[str, tuple[int, int]] = {}
    waited: set[str] = set()  # for results of the person's tools
    passed_over: set[str] = set()  # the message behind those began without them
    for record in scene.thread.path:
        role = columns.roles[record]
        if role in (Role.OPAQUE, Role.LINK):
            continue
        rows = columns.block_rows(record)
        if role != Role.ASSISTANT:
            ends = any(kinds[row] != BlockKind.RESULT for row in rows)
            found.unanswered += [place for name, place in open_calls.items() if ends or name in passed_over]
            open_calls = {name: open_calls[name] for name in open_calls if not ends and name not in passed_over}
            waited |= open_calls.keys()
            continue
        for row in rows:
            call_id = columns.call_ids[row]
            if not call_id and record in malformed_messages(scene):
                continue  # written as no provider takes it, of which another class tells
            if kinds[row] == BlockKind.SERVER_CALL:
                if not call_id:  # nothing can answer it
                    found.unanswered.append((row, record))
                    continue
                if call_id in open_calls:  # one result answers one call
                    found.unanswered.append(open_calls[call_id])
                open_calls[call_id] = (row, record)
                waited.discard(call_id)
                passed_over.discard(call_id)
            elif kinds[row] == BlockKind.SERVER_RESULT and open_calls.pop(call_id or "", None) is None:
                found.orphans.append((row, record))
        passed_over |= {name for name in waited & open_calls.keys() if _is_over(scene, open_calls[name], record)}
    found.unanswered += [place for name, place in open_calls.items() if name in passed_over]
    found.waiting += [place for name, place in open_calls.items() if name not in passed_over]
    return found


def _is_over(scene: ThreadContext, call: tuple[int, int], record: int) -> bool:
    """Whether the message of a call is over with this record, and its result is due in this one's."""
    columns = scene.columns
    row, owner = call
    fragment = columns.groups[record] is not None and columns.groups[record] == columns.groups[owner]
    return not fragment and "code_execution" not in (columns.names[row] or "")
