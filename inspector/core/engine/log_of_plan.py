"""The log that a portable plan was made for, in the stores on this machine: found by the hash of its records."""

from __future__ import annotations

from inspector.core.discovery.stores import find_logs_in_stores
from inspector.core.engine.log import OpenLog
from inspector.core.engine.program_faults import raise_as_program_fault
from inspector.core.errors import InspectorError, UnknownName, UnreadableLog
from inspector.core.formats.base.format import Progress
from inspector.core.formats.base.stores import host_environment
from inspector.core.repair.portable_plan import PortablePlan, PortablePlanApplier
from inspector.core.translation import joined, tr

_MOST_LISTED = 5


def find_log_of_plan(plan: PortablePlan, progress: Progress | None = None) -> str:
    """Return the path of the only log in the stores that has the records of a plan.

    `progress(done, total)` is called with numbers of logs. Raises UnreadableLog if no log has them, and UnknownName if
    several have, because they are copies of each other.
    """
    candidates = [
        found.path
        for found in find_logs_in_stores(host_environment())
        if any(store.format == plan.format for store in found.stores)
    ]
    paths: list[str] = []
    for done, path in enumerate(candidates, 1):
        if _has_records(path, plan):
            paths.append(path)
        if progress is not None:
            progress(done, len(candidates))
    if not paths:
        raise UnreadableLog(
            tr(
                "The plan matches none of the {count:,} logs that agents keep on this machine. The log may "
                "have changed since the plan was made. Give the path of the log: repair --plan PLAN LOG.",
                count=len(candidates),
            )
        )
    if len(paths) > 1:
        raise UnknownName(
            tr(
                "{count:,} logs match the plan. Give the path of one of them: {paths}.",
                count=len(paths),
                paths=joined(", ", paths[:_MOST_LISTED]),
            )
        )
    return paths[0]


def _has_records(path: str, plan: PortablePlan) -> bool:
    """Return whether a log has the records that a plan names, unchanged. A log that cannot be read has none."""
    try:
        with raise_as_program_fault(), OpenLog.at(path, plan.format, plan.deep) as opened:
            PortablePlanApplier(plan, opened.log)
    except UnknownName:  # the plan names what this version does not know
        raise
    except InspectorError:
        return False
    return True
