"""The engine behind the switch that hides content: the texts of a log do not leave the child then."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from inspector.core.later import LazyModule

if TYPE_CHECKING:
    from inspector.core.engine.engine import Engine
    from inspector.core.showing.hiding import answers, hider
    from inspector.core.showing.hiding.hider import ContentHider
else:
    answers = LazyModule("inspector.core.showing.hiding.answers")
    hider = LazyModule("inspector.core.showing.hiding.hider")

_TYPED = ("filter", "go_to")  # what takes a line in which a person may name what they were shown


class HidingEngine:
    """Answers as the engine does; with a salt, every answer with its texts hidden."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._salt = ""
        self._hider: ContentHider | None = None

    def set_salt(self, salt: str) -> None:
        """Hide answers from now on, with this salt; "" to give them as they are."""
        if salt != self._salt:
            self._salt, self._hider = salt, hider.ContentHider(salt) if salt else None

    def hide_in_sentence(self, sentence: str) -> str:
        """A sentence on what went wrong."""
        return sentence if self._hider is None else self._hider.sentence(sentence)

    def __getattr__(self, name: str) -> Any:
        method: Callable[..., Any] = getattr(self._engine, name)
        hides = self._hider
        if hides is None or not callable(method):
            return method

        @wraps(method)
        def hidden(*question: Any) -> Any:
            typed = tuple(map(hides.reveal_names, question[:1])) if name in _TYPED else question[:1]
            return answers.hide_content(method(*typed, *question[1:]), hides)

        return hidden
