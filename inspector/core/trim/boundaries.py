"""Where a history can be cut: places that no exchange and no message spans, and which of them fits a wish.

The place wished for is often within an exchange. A cut that moves back to the call of the result at hand can end where
it began and remove nothing, again and again (Kilo Code's `truncateConversation`); this one goes forward first.
"""

from collections.abc import Iterator

from msgspec import Struct

from inspector.core.analysis.thread import ThreadContext
from inspector.core.model.columns import RecordMark, Role
from inspector.core.model.views import BlockKind

_NO_MESSAGE = (Role.OPAQUE, Role.LINK)


class CutPoint(Struct, frozen=True):
    """A place where a history can be cut: before path position `at`; `messages` begin there or behind it.

    `leads`: a message of the user stands there. `fits`: what stands there can come first, or behind what is kept; else
    a user's note has to be put there.
    """

    at: int
    messages_after: int
    starts_with_user: bool
    is_valid_start: bool


def kept_head_length(scene: ThreadContext, keep_first_user: bool) -> int:
    """How many records of the path stay in front: the system's words; with `first` all before the first answer."""
    columns, path = scene.columns, scene.thread.path
    stays = {Role.OPAQUE, Role.LINK, Role.SYSTEM} | ({Role.USER} if keep_first_user else set())
    head = 0
    for position, record in enumerate(path):
        if columns.roles[record] not in stays or columns.marks[record] & RecordMark.GROUP_START:
            break
        if columns.roles[record] not in _NO_MESSAGE:
            head = position + 1
    return head


def message_positions(scene: ThreadContext, head: int) -> list[int]:
    """The first path position of every message behind the head, in order."""
    found: dict[int, int] = {}
    for position in range(head, len(scene.thread.path)):
        number = scene.pairing.messages[position]
        if number >= 0:
            found.setdefault(number, position)
    return sorted(found.values())


def cut_points(scene: ThreadContext, head: int, keep_first_user: bool) -> list[CutPoint]:
    """Every place behind the head where the history can be cut, in order. Linear in the path."""
    columns, path, pairing = scene.columns, scene.thread.path, scene.pairing
    spanned = _positions_inside_pairs(scene)
    begins = message_positions(scene, head)
    begin_at = dict(zip(begins, range(len(begins)), strict=True))
    found = []
    turn, number = -1, -1
    for position in range(begins[0] if begins else 0, len(path)):
        record = path[position]
        role = columns.roles[record]
        if role in _NO_MESSAGE:
            continue
        number = begin_at.get(position, number)
        turn, before = pairing.turns[position], turn
        if spanned[position] or position == begins[0]:
            continue
        if role in (Role.ASSISTANT, Role.TOOL) and turn == before:
            continue  # What it says belongs to what stands before it: reasoning, say, to the call behind it.
        leads = role == Role.USER and not _holds_results(scene, record)
        if position not in begin_at and not leads:
            continue
        fits = _fits(scene, leads, keep_first_user and head > 0)
        if not fits and (keep_first_user or number <= 1):
            continue  # A note in the place of one message shortens nothing; behind a user's message it does not help.
        at = position
        while at > head and columns.marks[path[at - 1]] & RecordMark.GROUP_START:
            at -= 1
        found.append(CutPoint(at, len(begins) - number, leads, fits))
    return found


def _positions_inside_pairs(scene: ThreadContext) -> bytearray:
    """By path position: whether a pair, or a message of the assistant, lies on both sides of it."""
    pairing, size = scene.pairing, len(scene.thread.path)
    opened = [0] * (size + 1)

    def span(low: int, high: int) -> None:
        opened[low + 1] += 1
        opened[high + 1] -= 1

    for tool, peer in enumerate(pairing.counterparts):
        if peer > tool and pairing.path_positions[peer] > pairing.path_positions[tool]:
            span(pairing.path_positions[tool], pairing.path_positions[peer])
    ends: dict[int, list[int]] = {}
    for position, number in enumerate(pairing.messages):
        if number >= 0 and scene.columns.roles[pairing.path[position]] == Role.ASSISTANT:
            known = ends.setdefault(number, [position, position])
            known[1] = position
    for low, high in ends.values():
        if high > low:
            span(low, high)
    found, depth = bytearray(size), 0
    for position in range(size):
        depth += opened[position]
        found[position] = depth > 0
    return found


def _holds_results(scene: ThreadContext, record: int) -> bool:
    return any(scene.columns.block_kinds[row] == BlockKind.RESULT for row in scene.columns.block_rows(record))


def _fits(scene: ThreadContext, leads: bool, behind_kept: bool) -> bool:
    """Whether the session's own provider takes what is there as the beginning, or behind a user's message."""
    profile = scene.profile
    if behind_kept:
        return not (profile.requires_alternation and leads)
    apart = scene.format.prompt_outside_log and scene.pairing.first_role != Role.USER
    return leads or apart or not profile.requires_user_first


def best_cut_points(found: list[CutPoint], wanted: int, only_fitting: bool) -> Iterator[CutPoint]:
    """The places from the most to the least fitting for a history of which `wanted` messages are to stay.

    The first ones leave no more than that: before a user's message, as long as that leaves half of what was wanted,
    then anywhere. Where there is none of them, the ones before, from the nearest on.
    """
    found = [place for place in found if place.is_valid_start or not only_fitting]
    behind = [place for place in found if place.messages_after <= wanted]
    near = [
        place
        for place in behind
        if place.starts_with_user and place.is_valid_start and 2 * place.messages_after >= wanted
    ]
    yield from near
    yield from (place for place in behind if place not in near)
    yield from sorted((place for place in found if place.messages_after > wanted), key=lambda place: -place.at)
