"""What a rule answers: an anomaly at a place, before it is worded for a report."""

from msgspec import Struct

from inspector.core.scene.finding import Severity


class Match(Struct, kw_only=True, gc=False):
    """An anomaly. `tool` is a tool block's number in the pairing, -1 for none.

    `severity` is set only where the class's own does not fit the case; likewise `default` and `strategies`. `case`
    tells apart what a provider answers to one class in several wordings (Profile.refusals). `value` is the id or the
    name that a profile's pattern is asked about. `no_parent`: the record's parent is not there.
    """

    rule: str
    message: str
    record: int
    ordinal: int = -1
    tool: int = -1
    peer: int = -1
    severity: Severity | None = None
    default: str = ""
    strategies: tuple[str, ...] = ()
    case: str = ""
    value: str = ""
    parent_missing: bool = False
