"""The language of an outward report: sentences are written in English, and looked up where another one is asked for."""

from inspector.assets import resources
from inspector.core.bytes.json_text import parse_json


class Translator:
    """Words sentences in `language`, one of names.LANGUAGES. What has no translation stays in English."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
        table = resources() / "translations" / f"report.{language}.json"
        self._table: dict[str, str] = {} if language == "en" else parse_json(table.read_bytes())

    def __call__(self, text: str, **values: object) -> str:
        """A sentence, with `values` in the place of its {names}."""
        told = self._table.get(text, text)
        return told.format(**values) if values else told
