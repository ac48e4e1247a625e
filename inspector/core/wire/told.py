"""The forms in which a text is written where a wire wants one."""

from collections.abc import Callable
from typing import Any, TypeAlias

TextEncoder: TypeAlias = Callable[[str], Any]


def encode_string(text: str) -> Any:
    return text


def encode_text_object(text: str) -> Any:
    return {"text": text}


def encode_text_object_list(text: str) -> Any:
    return [{"text": text}]


def encode_output_object(text: str) -> Any:
    return {"output": text}


def typed_text_encoder(kind: str) -> TextEncoder:
    return lambda text: {"type": kind, "text": text}


def typed_text_list_encoder(kind: str) -> TextEncoder:
    return lambda text: [{"type": kind, "text": text}]
