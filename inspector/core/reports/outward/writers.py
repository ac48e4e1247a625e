"""How an outward report is written: WRITERS is the table, a module a format."""

from collections.abc import Callable

from inspector.core.reports.outward import as_json, as_text, github, html, junit, markdown, sarif
from inspector.core.reports.outward.model import ShareableReport
from inspector.core.reports.outward.wording import Translator

RENDERERS: dict[str, Callable[[ShareableReport, Translator], bytes]] = {
    "text": as_text.render_text,
    "json": as_json.render_json,
    "markdown": markdown.render_markdown,
    "html": html.render_html,
    "sarif": sarif.render_sarif,
    "junit": junit.render_junit,
    "github": github.render_github,
}
