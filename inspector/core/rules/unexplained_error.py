"""A recorded error that no finding explains.

What it finds: a provider error that is the newest entry of the log, while the history itself is sound. Errors
of the line (overload, limits, login) explain themselves.
Why it hurts: the session may be stuck for a reason that is not in the pairing of calls and results.
Example: an assistant line with isApiErrorMessage: true
Repairs: none: read the error; `explain --error` says what is known of its wording.
"""

from collections.abc import Iterator

from inspector.core.columns import Flag, Mark, Role
from inspector.core.finding import Severity
from inspector.core.provider_errors import explain, is_of_the_line
from inspector.core.scene import Hit, Scene

CODE = "E1"
SLUG = "unexplained-error"
STRATEGIES = ("leave",)
DEFAULT = "leave"


def find(scene: Scene) -> Iterator[Hit]:
    if scene.thread is not scene.session.main:
        return
    columns = scene.columns
    for record in reversed(scene.thread.path):
        if columns.marks[record] & Mark.API_ERROR:
            text = scene.format.error_text(scene.raw(record))
            if _is_mended(scene, text):
                return
            short = " ".join(text.split())[:200]
            advice = " It is about reaching the provider: try again." if is_of_the_line(text) else ""
            message = f"The log ends with an error of the provider: {short}{advice}"
            yield Hit(rule=CODE, message=message, record=record, severity=Severity.INFO)
            return
        if columns.roles[record] in (Role.USER, Role.ASSISTANT, Role.TOOL):
            return


def _is_mended(scene: Scene, text: str) -> bool:
    """Whether the error is from before a repair: what it names is answered now, or placeholders stand there."""
    if explain(text) is None:
        return False
    pairing, columns = scene.pairing, scene.columns
    named = [tool for tool, row in enumerate(pairing.rows) if (columns.call_ids[row] or " ") in text]
    if named:
        return all(pairing.peers[tool] >= 0 for tool in named)
    return any(columns.block_flags[row] & Flag.PLACEHOLDER for row in pairing.rows)
