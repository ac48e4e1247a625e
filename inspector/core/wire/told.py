"""The forms in which a text is written where a wire wants one."""

from collections.abc import Callable
from typing import Any, TypeAlias

Told: TypeAlias = Callable[[str], Any]


def string(text: str) -> Any:
    return text


def untyped(text: str) -> Any:
    return {"text": text}


def untyped_list(text: str) -> Any:
    return [{"text": text}]


def output(text: str) -> Any:
    return {"output": text}


def typed(kind: str) -> Told:
    return lambda text: {"type": kind, "text": text}


def typed_list(kind: str) -> Told:
    return lambda text: [{"type": kind, "text": text}]
