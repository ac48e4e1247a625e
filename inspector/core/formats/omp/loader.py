"""The entries that omp loads: pi's path, from the last entry on.

Facts: @oh-my-pi/pi-coding-agent 18.2.3, src/session/session-context.ts (`buildSessionContext`) and session-loader.ts. A
cycle of parents ends the walk. A `reset_boundary`, which `/clear` writes, hides all entries before it. The title may
stand before the header.
"""

from __future__ import annotations

from typing import Any

from inspector.core.formats.base.pi_sessions.loader import active_thread, hide_before_boundary
from inspector.core.model.columnar_index import Columns, ReadRecord
from inspector.core.model.record_tree import RecordTree
from inspector.core.model.session import Thread


def loaded_thread(columns: Columns, tree: RecordTree, read: Columns, header: dict[str, Any], raw: ReadRecord) -> Thread:
    """Return the entries of a resume in order, see `active_thread`."""
    return hide_before_boundary(active_thread(columns, tree, read, header, raw), columns, raw, "reset_boundary")
