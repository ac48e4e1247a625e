"""Rules about images and other media."""

from inspector.core.analysis import refused_content
from inspector.core.rules.rule import Hits, Match, Stage, ThreadContext, rule


@rule("V1", "refused-media", Stage.BOUND_BLOCKS, ("replace-media", "leave"), preconditions=("media",))
def refused_media(context: ThreadContext) -> Hits:
    """An image that the provider does not take.

    What it finds: images with more pixels or bytes than the provider takes, images of more than 2000 pixels where a request
    holds more than 20, and images in a result that is marked as an error. The limits stand in the profile; the size is
    read from the image itself.
    Why it hurts: Anthropic refuses the whole history at every further try: "At least one of the image dimensions exceed max
    allowed size for many-image requests: 2000 pixels".
    Example: a screenshot of 2560×1440 pixels as the 21st image of a session
    Repairs: replace-media (a text says what stood there; listed as lost. Where there are too many, the oldest go until the
    others can stay).

    Sources: anthropics/claude-code #49537, #52220; earendil-works/pi#424 (bytes); vellum-ai/vellum-assistant#18387 (in an
    error).
    """
    replaceable = context.format.block_schema.text is not None
    for (record, ordinal), refused in refused_content.refused_media(context).items():
        can_stay = refused.may_stay or not replaceable
        yield Match(
            rule="V1",
            message=refused.message,
            record=record,
            ordinal=ordinal,
            default="leave" if can_stay else "",
            strategies=() if replaceable else ("leave",),
            case=refused.case,
        )
