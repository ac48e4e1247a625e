"""The content that a provider refuses: malformed messages, media over its limits, and unpaired server tools."""

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

from msgspec import Struct

from inspector.core.analysis.thread_context import ThreadContext, cached_on_thread
from inspector.core.formats.base.message_arrays import is_empty_message
from inspector.core.model.columnar_index import BlockFlag, RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.error_kinds import MEDIA
from inspector.core.providers.error_parser import MessageReference, ParsedErrorText, parse_error_text
from inspector.core.providers.media import UNKNOWN_TYPE, MeasuredMedia, measure_media
from inspector.core.providers.message_misfits import Misfit
from inspector.core.providers.profile import MediaLimits
from inspector.core.storage.json_text import parse_json, value_at
from inspector.core.translation import tr, tr_plural


@cached_on_thread
def malformed_messages(context: ThreadContext) -> dict[int, list[Misfit]]:
    """Return what does not fit the schema of messages, by record.

    Only the records that the index suspects are parsed. Empty messages are left to rule M7.
    """
    columns = context.columns
    if not columns.has_mark(RecordMark.MAYBE_MALFORMED):
        return {}
    misfits_by_record = {}
    for record in context.thread.path:
        if columns.marks[record] & RecordMark.MAYBE_MALFORMED:
            value = parse_json(context.raw(record))
            if (misfits := context.format.misfits(value)) and not (
                record in context.empty_messages and _is_empty(value)
            ):
                misfits_by_record[record] = misfits
    return misfits_by_record


def _is_empty(message: Any) -> bool:
    """Return whether a malformed message is written as an empty one.

    A number or an object as its content does not count as empty.
    """
    if not isinstance(message, dict):
        return True
    return any(is_empty_message(message, key) and message.get(key) in (None, "", []) for key in ("content", "parts"))


MediaByBlock: TypeAlias = dict[tuple[int, int], list[MeasuredMedia]]


class RefusedMedia(Struct):
    """The media that a provider refuses in one block, and why.

    `may_stay` says that they are accepted once other media are removed, and `may_be_retyped` that they are accepted
    once their media type is the one that their data show.
    """

    case: str
    message: str
    media: list[MeasuredMedia]
    may_stay: bool = False
    may_be_retyped: bool = False


@cached_on_thread
def refused_media(context: ThreadContext) -> dict[tuple[int, int], RefusedMedia]:
    """Return the blocks on the path with media that the profile refuses, by (record, ordinal), in order."""
    limits, error = context.profile.media, media_refusal(context)
    blocks = _blocks(context) if limits is not None or error is not None else []
    if not blocks:
        return {}
    media_by_block = dict(_held(context, blocks))
    measured = _over_limits(context, media_by_block, limits) if limits is not None else {}
    return measured or (_named_by_error(context, media_by_block, error) if error is not None else {})


def _over_limits(
    context: ThreadContext, media_by_block: MediaByBlock, limits: MediaLimits
) -> dict[tuple[int, int], RefusedMedia]:
    """Return the blocks whose media are over the limits of the profile, or are not what they say."""
    images = sum(medium.is_image for media in media_by_block.values() for medium in media)
    refused: dict[tuple[int, int], RefusedMedia] = {}
    too_many: list[RefusedMedia] = []
    for (record, ordinal), media in media_by_block.items():
        row = context.columns.first_block[record] + ordinal
        failed = (
            context.columns.block_kinds[row] == BlockKind.RESULT and context.columns.block_flags[row] & BlockFlag.ERROR
        )
        refusal = _refusal_of(media, bool(failed), images, limits)
        if refusal is None and context.format.sends_blocks_unchanged:
            refusal = _wrong_type_of(media, limits)
        if refusal is not None:
            refused[record, ordinal] = refusal
            if refusal.case == "many":
                too_many.append(refusal)
    # Once enough images are removed that the stricter limit no longer applies, the newest can stay.
    for newest in too_many[max(images - limits.many_images, 0) :]:
        newest.may_stay = True
    return refused


def media_refusal(context: ThreadContext) -> ParsedErrorText | None:
    """Return what the provider answered to this history, None where it is not about media."""
    parsed = parse_error_text(context.refusal) if context.refusal else None
    return parsed if parsed is not None and parsed.kind == MEDIA else None


def _named_by_error(
    context: ThreadContext, media_by_block: MediaByBlock, error: ParsedErrorText
) -> dict[tuple[int, int], RefusedMedia]:
    """Return the blocks with the media that the provider refused, for a reason that the log does not show.

    They are in the message that the error names. If it names none, they came after the last answer: every request that
    was answered shows that the media in it are accepted.
    """
    holding = {place for place, media in media_by_block.items() if media}
    named = [place for spot in error.references for place in _at_reference(context, holding, spot)]
    if not error.references:
        roles, marks = context.columns.roles, context.columns.marks
        answers = [
            at
            for at, record in enumerate(context.thread.path)
            if roles[record] == Role.ASSISTANT and not marks[record] & RecordMark.API_ERROR
        ]
        last = answers[-1] if answers else -1
        named = sorted(place for place in holding if context.path_positions[place[0]] > last)
    text = tr("The provider rejected this image or document: “{error}”", error=" ".join(error.text.split())[:200])
    return {place: RefusedMedia("named", text, media_by_block[place]) for place in dict.fromkeys(named)}


def _at_reference(
    context: ThreadContext, holding: set[tuple[int, int]], spot: MessageReference
) -> list[tuple[int, int]]:
    """Return the blocks with media at a place that an error names: the block, or else those of the message."""
    members = [
        (record, ordinal)
        for record in context.thread.path
        if context.columns.roles[record] not in (Role.OPAQUE, Role.LINK, Role.SYSTEM)
        and context.message_number(record) == spot.message
        for ordinal in range(context.columns.blocks[record])
    ]
    if 0 <= spot.block < len(members) and members[spot.block] in holding:
        return [members[spot.block]]
    return [place for place in members if place in holding]


def _blocks(context: ThreadContext) -> list[tuple[int, int]]:
    """Return (record, ordinal) of the blocks on the path that hold media.

    The columns are searched by kind and flag, so that a log without media is not searched block by block.
    """
    columns, records = context.columns, context.session.records
    if not records:
        return []
    rows = columns.block_rows_of_kind(BlockKind.MEDIA, records.start, records.stop)
    flagged = columns.block_rows_with_flag(BlockFlag.MEDIA, records.start, records.stop)
    rows += [row for row in flagged if columns.block_kinds[row] == BlockKind.RESULT]
    places = [(columns.record_of_block(row), row) for row in rows]
    on_path = [
        (context.path_positions[record], record, row) for record, row in places if record in context.path_positions
    ]
    return [(record, row - columns.first_block[record]) for _, record, row in sorted(on_path)]


def _held(
    context: ThreadContext, blocks: list[tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], list[MeasuredMedia]]]:
    """Yield the media of each block. A record is parsed once, however many blocks it holds."""
    for record, places in groupby(blocks, itemgetter(0)):
        ordinals = [ordinal for _, ordinal in places]
        media_lists = context.cached_read("media", record, partial(_media_of, context, record, ordinals))
        yield from (((record, ordinal), media) for ordinal, media in zip(ordinals, media_lists, strict=True))


def _media_of(context: ThreadContext, record: int, ordinals: list[int]) -> list[list[MeasuredMedia]]:
    value = parse_json(context.raw(record))
    pointers = [context.format.pointer(context.columns, record, ordinal) for ordinal in ordinals]
    return [list(measure_media(value_at(value, pointer), context.format.block_schema)) for pointer in pointers]


def _refusal_of(media: list[MeasuredMedia], failed: bool, images: int, limits: MediaLimits) -> RefusedMedia | None:
    """Return the first reason for which the provider refuses the media of one block, None for none."""
    if failed and media and limits.error_results_text_only:
        text = tr(
            "A failed result can contain only text, but this one contains an image or document: {named}.",
            named=_named(media),
        )
        return RefusedMedia("error-result", text, media)
    pictures = [medium for medium in media if medium.is_image]
    wide = [medium for medium in pictures if medium.longest_side > limits.max_side]
    if wide:
        return RefusedMedia(
            "side",
            tr(
                "An image is wider or taller than {max_side} pixels: {named}.",
                max_side=limits.max_side,
                named=_named(wide),
            ),
            wide,
        )
    heavy = [medium for medium in pictures if medium.base64_length > limits.max_base64_length]
    if heavy:
        text = tr(
            "An image has more than {max_base64_length:,} base64 characters: {named}.",
            max_base64_length=limits.max_base64_length,
            named=_named(heavy),
        )
        return RefusedMedia("bytes", text, heavy)
    large = [medium for medium in pictures if medium.longest_side > limits.max_side_when_many]
    if large and images > limits.many_images:
        text = tr(
            "In a request with more than {many_images} images (this one has {images}), no image may be wider "
            "or taller than {max_side} pixels. Images over this limit: {named}.",
            many_images=limits.many_images,
            images=images,
            max_side=limits.max_side_when_many,
            named=_named(large),
        )
        return RefusedMedia("many", text, large)
    return None


def _wrong_type_of(media: list[MeasuredMedia], limits: MediaLimits) -> RefusedMedia | None:
    """Return why the provider refuses media that hold other bytes than it takes, None where it may take them."""
    refused = [(medium, reason) for medium in media if (reason := _wrong_type(medium, limits))]
    if not refused:
        return None
    case, text = refused[0][1]
    can_retype = all(
        not medium.is_empty
        and medium.detected_type in (limits.image_types if medium.is_image else limits.document_types)
        for medium, _ in refused
    )
    return RefusedMedia(case, text, [medium for medium, _ in refused], may_be_retyped=can_retype)


def _wrong_type(medium: MeasuredMedia, limits: MediaLimits) -> tuple[str, str] | None:
    """Return case and message of the first reason, None for none."""
    is_image, form, detected = medium.is_image, medium.type, medium.detected_type
    accepted = limits.image_types if is_image else limits.document_types
    if medium.source_type != "base64" or not accepted or form in ("image", "document"):  # The last have no media type.
        return None
    if form not in accepted:
        text = (
            tr("An image with the media type {form} cannot be sent. Accepted types: {accepted}.")
            if is_image
            else tr("A document with the media type {form} cannot be sent. Accepted types: {accepted}.")
        )
        return ("type" if is_image else "document-type"), tr(text, form=form, accepted=", ".join(sorted(accepted)))
    if medium.is_empty:
        text = tr("This image ({form}) is empty.") if is_image else tr("This document ({form}) is empty.")
        return ("empty" if is_image else "empty-document"), tr(text, form=form)
    if detected in ("", form):
        return None
    case = "other-type" if detected in accepted else "no-image" if is_image else "no-document"
    if detected == UNKNOWN_TYPE:
        text = (
            tr("This image is declared as {form}, but its data has a different type.")
            if is_image
            else tr("This document is declared as {form}, but its data has a different type.")
        )
        return case, tr(text, form=form)
    text = (
        tr("This image is declared as {form}, but its data is {detected}.")
        if is_image
        else tr("This document is declared as {form}, but its data is {detected}.")
    )
    return case, tr(text, form=form, detected=detected)


def _named(media: list[MeasuredMedia]) -> str:
    first, others = media[0].description, len(media) - 1
    return tr_plural("{first} and {number} more", "{first} and {number} more", others, first=first) if others else first


class UnpairedServerTools(Struct):
    """The calls and results of server tools that do not pair, as (block row, record).

    `unanswered` holds calls without a result. `waiting` holds calls whose turn is still open. `orphans` holds results
    without a call.
    """

    unanswered: list[tuple[int, int]] = []
    waiting: list[tuple[int, int]] = []
    orphans: list[tuple[int, int]] = []


@cached_on_thread
def unpaired_server_tools(context: ThreadContext) -> UnpairedServerTools:
    """Return the calls and results of the provider's own tools that do not pair on the path.

    Both are written by the assistant, in blocks of their own. A result is in the message of its call or in the next
    message of the turn. A call next to calls of the user's tools waits until their results have come, and the message
    after them begins with its result. Code that calls the user's tools may go through several rounds. Any other content
    of the user ends the turn. A turn that is still open continues when it is sent as it is (platform.claude.com,
    "Handling stop reasons": tool_use, pause_turn).
    """
    unpaired = UnpairedServerTools()
    if not context.format.pairs_server_tools:
        return unpaired
    columns = context.columns
    kinds = columns.block_kinds
    if BlockKind.SERVER_CALL not in kinds and BlockKind.SERVER_RESULT not in kinds:
        return unpaired
    open_calls: dict[str, tuple[int, int]] = {}
    waited: set[str] = set()  # ids of calls that waited for results of the user's tools
    overdue: set[str] = set()  # ids of calls without a result in the message that should begin with it
    for record in context.thread.path:
        role = columns.roles[record]
        if role in (Role.OPAQUE, Role.LINK):
            continue
        rows = columns.block_rows(record)
        if role != Role.ASSISTANT:
            ends_turn = any(kinds[row] != BlockKind.RESULT for row in rows)
            unpaired.unanswered += [call for open_id, call in open_calls.items() if ends_turn or open_id in overdue]
            open_calls = {
                open_id: open_calls[open_id] for open_id in open_calls if not ends_turn and open_id not in overdue
            }
            waited |= open_calls.keys()
            continue
        for row in rows:
            call_id = columns.call_ids[row]
            if not call_id and record in malformed_messages(context):
                continue  # a malformed message, which another rule reports
            if kinds[row] == BlockKind.SERVER_CALL:
                if not call_id:  # no result can name it
                    unpaired.unanswered.append((row, record))
                    continue
                if call_id in open_calls:  # one result answers one call
                    unpaired.unanswered.append(open_calls[call_id])
                open_calls[call_id] = (row, record)
                waited.discard(call_id)
                overdue.discard(call_id)
            elif kinds[row] == BlockKind.SERVER_RESULT and open_calls.pop(call_id or "", None) is None:
                unpaired.orphans.append((row, record))
        overdue |= {open_id for open_id in waited & open_calls.keys() if _is_over(context, open_calls[open_id], record)}
    unpaired.unanswered += [call for open_id, call in open_calls.items() if open_id in overdue]
    unpaired.waiting += [call for open_id, call in open_calls.items() if open_id not in overdue]
    return unpaired


def _is_over(context: ThreadContext, call: tuple[int, int], record: int) -> bool:
    """Return whether the message of a call ended before this record, so that its result is due in this record."""
    columns = context.columns
    row, owner = call
    fragment = columns.groups[record] is not None and columns.groups[record] == columns.groups[owner]
    return not fragment and "code_execution" not in (columns.names[row] or "")
