"""What a provider does not take of images and documents, judged by the limits in its profile."""

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from operator import itemgetter

from msgspec import Struct

from inspector.core.bytes.json_text import parse_json, value_at
from inspector.core.index.columns import BlockFlag
from inspector.core.index.views import BlockKind
from inspector.core.profiles.profile import MediaLimits
from inspector.core.scene.once import cached_on_thread
from inspector.core.scene.scene import ThreadContext
from inspector.core.wire.media.measured import MeasuredMedia, measure_media


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
