"""How an outward report is written: WRITERS is the table, a module a format."""

from collections.abc import Callable

from inspector.core.reports.outward import as_json, as_text, github, html, junit, markdown, sarif
from inspector.core.reports.outward.model import Told
from inspector.core.reports.outward.wording import Wording

WRITERS: dict[str, Callable[[Told, Wording], bytes]] = {
    "text": as_text.written,
    "json": as_json.written,
    "markdown": markdown.written,
    "html": html.written,
    "sarif": sarif.written,
    "junit": junit.written,
    "github": github.written,
}
