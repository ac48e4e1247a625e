"""Where a history can be cut: places inside no exchange and no message, ranked by how well they fit a wish.

The place wished for is often within an exchange. A cut that moves back to the call of that result can end where it
began and remove nothing, again and again (Kilo Code's `truncateConversation`). This one first moves forward.
"""

from collections.abc import Iterator

from msgspec import Struct

from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.model.columnar_index import RecordMark, Role
from inspector.core.model.views import BlockKind

NO_MESSAGE = (Role.OPAQUE, Role.LINK)


class CutPoint(Struct, frozen=True):
    """A place where a history can be cut: before path position `at`, with `messages_after` messages after it.

    `starts_with_user` says whether a message of the user is there. `is_valid_start` says whether the message there can
    come first, or after what is kept; otherwise a note of the user has to be added.
    """

    at: int
    messages_after: int
    starts_with_user: bool
    is_valid_start: bool


def kept_head_length(context: ThreadContext, keep_first_user: bool) -> int:
    """Return how many records of the path stay at the beginning.

    These are the system's messages, and with `keep_first_user` everything before the first answer.
    """
    columns, path = context.columns, context.thread.path
    stays = {Role.OPAQUE, Role.LINK, Role.SYSTEM} | ({Role.USER} if keep_first_user else set())
    head = 0
    for position, record in enumerate(path):
        if columns.roles[record] not in stays or columns.marks[record] & RecordMark.GROUP_START:
            break
        if columns.roles[record] not in NO_MESSAGE:
            head = position + 1
    return head


def message_positions(context: ThreadContext, head: int) -> list[int]:
    """Return the first path position of every message after the head, in order."""
    first_positions: dict[int, int] = {}
    for position in range(head, len(context.thread.path)):
        number = context.pairing.messages[position]
        if number >= 0:
            first_positions.setdefault(number, position)
    return sorted(first_positions.values())


def last_valid_end_before(context: ThreadContext, position: int) -> int:
    """Return the last path position up to `position` before which the history can end, 0 if there is none.

    An end inside an exchange or a message moves back to the beginning of that exchange or message.
    """
    columns, path = context.columns, context.thread.path
    inside_pairs = _positions_inside_pairs(context)
    messages = [at for at, record in enumerate(path[: position + 1]) if columns.roles[record] not in NO_MESSAGE]
    while len(messages) > 1:
        position, before = messages.pop(), messages[-1]
        # Where a message holds its results too, the one after it is the answer to them.
        answers_results = _holds_results(context, path[before])
        continues = _continues_turn(context, position, context.pairing.turns[before]) and not answers_results
        if not inside_pairs[position] and not continues:
            break
    else:
        position = 0
    return _group_start(context, position, 0)


def cut_points(context: ThreadContext, head: int, keep_first_user: bool) -> list[CutPoint]:
    """Return every place after the head where the history can be cut, in order. Linear in the path."""
    columns, path, pairing = context.columns, context.thread.path, context.pairing
    inside_pairs = _positions_inside_pairs(context)
    starts = message_positions(context, head)
    number_at = dict(zip(starts, range(len(starts)), strict=True))
    points = []
    turn, number = -1, -1
    for position in range(starts[0] if starts else 0, len(path)):
        record = path[position]
        role = columns.roles[record]
        if role in NO_MESSAGE:
            continue
        number = number_at.get(position, number)
        turn, previous_turn = pairing.turns[position], turn
        if inside_pairs[position] or position == starts[0] or _continues_turn(context, position, previous_turn):
            continue
        starts_with_user = role == Role.USER and not _holds_results(context, record)
        if position not in number_at and not starts_with_user:
            continue
        is_valid_start = _fits(context, starts_with_user, keep_first_user and head > 0)
        if not is_valid_start and (keep_first_user or number <= 1):
            continue  # A note that replaces one message shortens nothing; after a user's message it does not help.
        at = _group_start(context, position, head)
        points.append(CutPoint(at, len(starts) - number, starts_with_user, is_valid_start))
    return points


def _continues_turn(context: ThreadContext, position: int, previous_turn: int) -> bool:
    """Return whether a message belongs to what comes before it, as a call belongs to the reasoning before it."""
    role = context.columns.roles[context.thread.path[position]]
    return role in (Role.ASSISTANT, Role.TOOL) and context.pairing.turns[position] == previous_turn


def _group_start(context: ThreadContext, position: int, lowest: int) -> int:
    """Return the path position where the group of records begins that ends with the message at `position`."""
    marks, path = context.columns.marks, context.thread.path
    while position > lowest and marks[path[position - 1]] & RecordMark.GROUP_START:
        position -= 1
    return position


def _positions_inside_pairs(context: ThreadContext) -> bytearray:
    """Return for each path position whether a pair or an assistant message extends across it."""
    pairing, size = context.pairing, len(context.thread.path)
    opened = [0] * (size + 1)

    def span(low: int, high: int) -> None:
        opened[low + 1] += 1
        opened[high + 1] -= 1

    for tool, counterpart in enumerate(pairing.counterparts):
        if counterpart > tool and pairing.path_positions[counterpart] > pairing.path_positions[tool]:
            span(pairing.path_positions[tool], pairing.path_positions[counterpart])
    ends: dict[int, list[int]] = {}
    for position, number in enumerate(pairing.messages):
        if number >= 0 and context.columns.roles[pairing.path[position]] == Role.ASSISTANT:
            bounds = ends.setdefault(number, [position, position])
            bounds[1] = position
    for low, high in ends.values():
        if high > low:
            span(low, high)
    inside, depth = bytearray(size), 0
    for position in range(size):
        depth += opened[position]
        inside[position] = depth > 0
    return inside


def _holds_results(context: ThreadContext, record: int) -> bool:
    return any(context.columns.block_kinds[row] == BlockKind.RESULT for row in context.columns.block_rows(record))


def _fits(context: ThreadContext, starts_with_user: bool, after_kept: bool) -> bool:
    """Return whether the session's own provider accepts this as the beginning, or after a user's message."""
    profile = context.profile
    if after_kept:
        return not (profile.requires_alternation and starts_with_user)
    prompt_comes_first = context.format.prompt_outside_log and context.pairing.first_role != Role.USER
    return starts_with_user or prompt_comes_first or not profile.requires_user_first


def best_cut_points(points: list[CutPoint], wanted: int) -> Iterator[CutPoint]:
    """Yield the places from best to worst for a history that keeps `wanted` messages.

    The first ones keep no more than that: before a user's message, as long as half of `wanted` stays, then anywhere.
    After them come the places that keep more, the nearest first.
    """
    short_enough = [point for point in points if point.messages_after <= wanted]
    before_user = [
        point
        for point in short_enough
        if point.starts_with_user and point.is_valid_start and 2 * point.messages_after >= wanted
    ]
    yield from before_user
    yield from (point for point in short_enough if point not in before_user)
    yield from sorted((point for point in points if point.messages_after > wanted), key=lambda point: -point.at)
