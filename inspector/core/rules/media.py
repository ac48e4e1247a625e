"""Rules about images, documents and other media."""

from inspector.core.analysis import refused_content
from inspector.core.analysis.finding import Severity
from inspector.core.rules.rule import Hits, RepairStage, RuleMatch, ThreadContext, rule


@rule(
    "V1",
    "refused-media",
    RepairStage.BOUND_BLOCKS,
    ("replace-media", "normalise media-type", "leave"),
    preconditions=("media",),
)
def refused_media(context: ThreadContext) -> Hits:
    """The log contains an image or a document that the provider does not accept.

    What it finds: images with more pixels or bytes than the provider accepts, images of more than 2000 pixels in a
    request with more than 20 images, and images in a result that is marked as an error. The limits are those of the
    profile, and the size is read from the image data. If the agent sends blocks as they are recorded, the rule also
    finds an image or a PDF that is empty, that has a media type which the provider does not accept, or whose data does
    not match its media type. If the last error in the log, or the error that you pass to `explain --error`, is about
    media and no limit explains it, the rule also finds the media in the message that the error names. If this error
    does not name a message, the rule finds the media that came after the last answer.
    Why it matters: Anthropic rejects the whole history, and does so on every retry: "At least one of the image
    dimensions exceed max allowed size for many-image requests: 2000 pixels", "image cannot be empty", "Could not
    process image".
    Example:
      a screenshot of 2560×1440 pixels as the 21st image of a session
    Repairs: replace-media (replaces the image or document with a text that describes it; the original is reported as
    lost. If there are too many images, the oldest are replaced until the others are accepted), normalise (writes the
    media type that the data shows; nothing is lost. This is the default if only the media type is wrong).

    Sources: anthropics/claude-code #49537, #52220; earendil-works/pi#424 (bytes); vellum-ai/vellum-assistant#18387 (in
    an error); anthropics/claude-code #36712 (empty), #34517 (media type), #31620, #15004, #47391 and #25323 (other
    bytes), #6231 and #19013 (PDF). Claude Code 2.1.112 and 2.1.330 send such blocks unchanged; 2.1.330 asks again
    without images after "Could not process image".
    """
    replaceable = context.format.block_schema.text is not None
    for (record, ordinal), refused in refused_content.refused_media(context).items():
        replacing = ("replace-media", "leave") if replaceable else ("leave",)
        default = "normalise" if refused.may_be_retyped else "leave" if refused.may_stay else replacing[0]
        yield RuleMatch(
            rule="V1",
            message=refused.message,
            record=record,
            ordinal=ordinal,
            default=default,
            strategies=("normalise", *replacing) if refused.may_be_retyped else replacing,
            severity=Severity.ERROR if refused.case == "named" else None,
            case=refused.case,
        )
