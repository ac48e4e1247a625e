"""What a provider does not take of images and documents, judged by the limits in its profile."""

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from operator import itemgetter

from msgspec import Struct

from inspector.core.bytes.json_text import value_at, value_of
from inspector.core.index.columns import Flag
from inspector.core.index.views import BlockKind
from inspector.core.profiles.profile import MediaLimits
from inspector.core.scene.once import once
from inspector.core.scene.scene import Scene
from inspector.core.wire.media.measured import Medium, media_in


class Refused(Struct):
    """What is refused in one block: the media, and why. `spare`: others that go make this one bearable."""

    case: str
    message: str
    media: list[Medium]
    spare: bool = False


@once
def refused_media(scene: Scene) -> dict[tuple[int, int], Refused]:
    """The blocks of the path that hold what the profile refuses, by (record, ordinal), in order."""
    limits = scene.profile.media
    blocks = _blocks(scene) if limits is not None else []
    if not blocks or limits is None:
        return {}
    held = dict(_held(scene, blocks))
    images = sum(medium.is_image for media in held.values() for medium in media)
    found: dict[tuple[int, int], Refused] = {}
    too_many: list[Refused] = []
    for (record, ordinal), media in held.items():
        row = scene.columns.first[record] + ordinal
        failed = scene.columns.block_kinds[row] == BlockKind.RESULT and scene.columns.block_flags[row] & Flag.ERROR
        here = _judged(media, bool(failed), images, limits)
        if here is not None:
            found[record, ordinal] = here
            if here.case == "many":
                too_many.append(here)
    # Once so many are gone that no more are left than may be larger, the newest can stay.
    for bearable in too_many[max(images - limits.many, 0) :]:
        bearable.spare = True
    return found


def _blocks(scene: Scene) -> list[tuple[int, int]]:
    """(record, ordinal) of the blocks of the path that hold media; a log without any is not searched block by block."""
    columns, members = scene.columns, scene.session.members
    if not members:
        return []
    rows = columns.rows_of(BlockKind.MEDIA, members.start, members.stop)
    flagged = columns.rows_flagged(Flag.MEDIA, members.start, members.stop)
    rows += [row for row in flagged if columns.block_kinds[row] == BlockKind.RESULT]
    places = [(columns.record_of(row), row) for row in rows]
    on_path = [(scene.positions[record], record, row) for record, row in places if record in scene.positions]
    return [(record, row - columns.first[record]) for _, record, row in sorted(on_path)]


def _held(scene: Scene, blocks: list[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], list[Medium]]]:
    """The media of each block; a record is parsed once, however many blocks it holds."""
    for record, places in groupby(blocks, itemgetter(0)):
        ordinals = [ordinal for _, ordinal in places]
        held = scene.read_once("media", record, partial(_media_of, scene, record, ordinals))
        yield from (((record, ordinal), media) for ordinal, media in zip(ordinals, held, strict=True))


def _media_of(scene: Scene, record: int, ordinals: list[int]) -> list[list[Medium]]:
    value = value_of(scene.raw(record))
    pointers = [scene.format.pointer(scene.columns, record, ordinal) for ordinal in ordinals]
    return [list(media_in(value_at(value, pointer), scene.format.spelling)) for pointer in pointers]


def _judged(media: list[Medium], failed: bool, images: int, limits: MediaLimits) -> Refused | None:
    """What the provider says first of the media of one block."""
    if failed and media and limits.errors_hold_text_alone:
        text = f"A result that is an error holds {_named(media)}: it may hold text alone."
        return Refused("error-result", text, media)
    pictures = [medium for medium in media if medium.is_image]
    wide = [medium for medium in pictures if medium.longest_side > limits.side]
    if wide:
        return Refused("side", f"An image is larger than {limits.side} pixels: {_named(wide)}.", wide)
    heavy = [medium for medium in pictures if medium.encoded > limits.encoded]
    if heavy:
        text = f"An image has more than {limits.encoded:,} characters as base64: {_named(heavy)}."
        return Refused("bytes", text, heavy)
    large = [medium for medium in pictures if medium.longest_side > limits.many_side]
    if large and images > limits.many:
        text = f"Where more than {limits.many} images are sent (here are {images}), none may be larger than "
        return Refused("many", f"{text}{limits.many_side} pixels: {_named(large)}.", large)
    return None


def _named(media: list[Medium]) -> str:
    more = f" and {len(media) - 1} more" if len(media) > 1 else ""
    return f"{media[0].words}{more}"
