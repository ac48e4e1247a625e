"""What a provider does not take of images and documents, judged by the limits in its profile.

Merged; to be rewritten:
`misshapen`: Messages that are not written as any provider takes them.
`server_tools`: Calls of the provider's own tools, and their results: both are the assistant's, in blocks of their own.
"""

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from msgspec import Struct

from inspector.core.analysis.thread import ThreadContext, cached_on_thread
from inspector.core.formats.base.message_arrays import is_empty_message
from inspector.core.model.columns import BlockFlag, RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.media import MeasuredMedia, measure_media
from inspector.core.providers.message_schema import Misfit
from inspector.core.providers.profile import MediaLimits
from inspector.core.storage.json_text import parse_json, value_at

# Messages that are not written as any provider takes them.


@cached_on_thread
def malformed_messages(scene: ThreadContext) -> dict[int, list[Misfit]]:
    """What does not fit, by record; only those that the index suspects are parsed. An empty message is class M7's."""
    columns = scene.columns
    if not columns.has_mark(RecordMark.MAYBE_MALFORMED):
        return {}
    found = {}
    for record in scene.thread.path:
        if columns.marks[record] & RecordMark.MAYBE_MALFORMED:
            value = parse_json(scene.raw(record))
            if (each := scene.format.misfits(value)) and not (record in scene.empty_messages and _is_empty(value)):
                found[record] = each
    return found


def _is_empty(message: Any) -> bool:
    """Whether it is written as one that says nothing; a number or an object says nothing in another way."""
    if not isinstance(message, dict):
        return True
    return any(is_empty_message(message, key) and message.get(key) in (None, "", []) for key in ("content", "parts"))


class RefusedMedia(Struct):
    """What is refused in one block: the media, and why. `spare`: others that go make this one bearable."""

    case: str
    message: str
    media: list[MeasuredMedia]
    may_stay: bool = False


@cached_on_thread
def refused_media(scene: ThreadContext) -> dict[tuple[int, int], RefusedMedia]:
    """The blocks of the path that hold what the profile refuses, by (record, ordinal), in order."""
    limits = scene.profile.media
    blocks = _blocks(scene) if limits is not None else []
    if not blocks or limits is None:
        return {}
    held = dict(_held(scene, blocks))
    images = sum(medium.is_image for media in held.values() for medium in media)
    found: dict[tuple[int, int], RefusedMedia] = {}
    too_many: list[RefusedMedia] = []
    for (record, ordinal), media in held.items():
        row = scene.columns.first_block[record] + ordinal
        failed = scene.columns.block_kinds[row] == BlockKind.RESULT and scene.columns.block_flags[row] & BlockFlag.ERROR
        here = _refusal_of(media, bool(failed), images, limits)
        if here is not None:
            found[record, ordinal] = here
            if here.case == "many":
                too_many.append(here)
    # Once so many are gone that no more are left than may be larger, the newest can stay.
    for bearable in too_many[max(images - limits.many_images, 0) :]:
        bearable.may_stay = True
    return found


def _blocks(scene: ThreadContext) -> list[tuple[int, int]]:
    """(record, ordinal) of the blocks of the path that hold media; a log without any is not searched block by block."""
    columns, members = scene.columns, scene.session.records
    if not members:
        return []
    rows = columns.block_rows_of_kind(BlockKind.MEDIA, members.start, members.stop)
    flagged = columns.block_rows_with_flag(BlockFlag.MEDIA, members.start, members.stop)
    rows += [row for row in flagged if columns.block_kinds[row] == BlockKind.RESULT]
    places = [(columns.record_of_block(row), row) for row in rows]
    on_path = [(scene.path_positions[record], record, row) for record, row in places if record in scene.path_positions]
    return [(record, row - columns.first_block[record]) for _, record, row in sorted(on_path)]


def _held(scene: ThreadContext, blocks: list[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], list[MeasuredMedia]]]:
    """The media of each block; a record is parsed once, however many blocks it holds."""
    for record, places in groupby(blocks, itemgetter(0)):
        ordinals = [ordinal for _, ordinal in places]
        held = scene.cached_read("media", record, partial(_media_of, scene, record, ordinals))
        yield from (((record, ordinal), media) for ordinal, media in zip(ordinals, held, strict=True))


def _media_of(scene: ThreadContext, record: int, ordinals: list[int]) -> list[list[MeasuredMedia]]:
    value = parse_json(scene.raw(record))
    pointers = [scene.format.pointer(scene.columns, record, ordinal) for ordinal in ordinals]
    return [list(measure_media(value_at(value, pointer), scene.format.block_schema)) for pointer in pointers]


def _refusal_of(media: list[MeasuredMedia], failed: bool, images: int, limits: MediaLimits) -> RefusedMedia | None:
    """What the provider says first of the media of one block."""
    if failed and media and limits.error_results_text_only:
        text = f"A result that is an error holds {_named(media)}: it may hold text alone."
        return RefusedMedia("error-result", text, media)
    pictures = [medium for medium in media if medium.is_image]
    wide = [medium for medium in pictures if medium.longest_side > limits.max_side]
    if wide:
        return RefusedMedia("side", f"An image is larger than {limits.max_side} pixels: {_named(wide)}.", wide)
    heavy = [medium for medium in pictures if medium.base64_length > limits.max_base64_length]
    if heavy:
        text = f"An image has more than {limits.max_base64_length:,} characters as base64: {_named(heavy)}."
        return RefusedMedia("bytes", text, heavy)
    large = [medium for medium in pictures if medium.longest_side > limits.max_side_when_many]
    if large and images > limits.many_images:
        text = f"Where more than {limits.many_images} images are sent (here are {images}), none may be larger than "
        return RefusedMedia("many", f"{text}{limits.max_side_when_many} pixels: {_named(large)}.", large)
    return None


def _named(media: list[MeasuredMedia]) -> str:
    more = f" and {len(media) - 1} more" if len(media) > 1 else ""
    return f"{media[0].description}{more}"


# Calls of the provider's own tools, and their results: both are the assistant's, in blocks of their own.
#
# A result stands in the message of its call, or in the next one of its turn: a call beside those of the person's tools
# waits until their results have come, and the message behind them begins with its own. Code that calls those tools
# itself
# may go through several rounds. Anything else that the user says ends the turn; one that is still open goes on when it
# is
# sent as it is (platform.claude.com, "Handling stop reasons": tool_use, pause_turn).


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
