"""What is asked of a repaired history: QUESTIONS is the table. Each gives the words of a "no", or nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.interop.comparison.repairers import Made, Messages
from tests.support.judges import mistral_error, openai_error
from tests.support.notation import PLACEHOLDER_START
from tests.support.projection import OTHERS_PLACEHOLDERS, from_chat


@dataclass(frozen=True)
class Repair:
    """One history before, after, and after a second repair."""

    made: Made
    twice: Messages


def valid(repair: Repair) -> str:
    if repair.made.refused:
        return repair.made.refused
    history = from_chat(repair.made.messages)
    return openai_error(history) or mistral_error(history) or ""


def results_kept(repair: Repair) -> str:
    return _missing(repair.made, ("tool",))


def texts_kept(repair: Repair) -> str:
    return _missing(repair.made, ("user", "assistant", "developer"))


def untouched_identical(repair: Repair) -> str:
    """Messages that had no part in what was wrong: all but results, and calls whose ids are empty or repeated."""
    after = repair.made.messages
    for message in repair.made.base:
        ids = [call["id"] for call in message.get("tool_calls") or ()]
        sound = "" not in ids and len(set(ids)) == len(ids)
        if sound and message["role"] != "tool" and message not in after:
            return f"{message} is not in the output"
    return ""


def idempotent(repair: Repair) -> str:
    return "" if repair.twice == repair.made.messages else "a second repair changes something"


QUESTIONS: dict[str, Callable[[Repair], str]] = {
    "valid?": valid,
    "real results kept?": results_kept,
    "texts kept?": texts_kept,
    "untouched messages identical?": untouched_identical,
    "idempotent?": idempotent,
}


def _missing(made: Made, roles: tuple[str, ...]) -> str:
    """The texts of these roles that stand nowhere in the output. Placeholders are nobody's words."""
    kept = "\n".join(_text(message) for message in made.messages)
    said = [_text(message) for message in made.base if message["role"] in roles]
    real = [text for text in said if not text.startswith(PLACEHOLDER_START) and text not in OTHERS_PLACEHOLDERS]
    return ", ".join(text for text in real if text not in kept)


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())
