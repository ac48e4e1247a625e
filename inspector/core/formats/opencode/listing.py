"""What a list says of a database of opencode: its newest session, and how many others it holds."""

import sqlite3
from pathlib import Path

from inspector.core.containers.sqlite import open_for_listing
from inspector.core.errors import UnreadableLog
from inspector.core.formats.bases.store import Headline

# Sessions of subagents have a parent; the columns of time came with the database, and order is all that they are for.
_NEWEST = "SELECT directory, title, count(*) OVER () FROM session WHERE parent_id IS NULL ORDER BY time_updated DESC"


def headline_of_database(path: str) -> Headline:
    """Folder and title of the newest session; what cannot be read is left out of the list, and told on opening."""
    try:
        with open_for_listing(Path(path)) as database:
            row = database.execute(f"{_NEWEST} LIMIT 1").fetchone()
    except (sqlite3.Error, UnreadableLog):
        return Headline()
    if row is None:
        return Headline()
    folder, title, sessions = row
    more = f" (and {sessions - 1} more session{'s' if sessions > 2 else ''})" if sessions > 1 else ""
    return Headline(str(folder or ""), f"{title or ''}{more}".strip())
