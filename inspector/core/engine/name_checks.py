"""Checks of the names that a user may type, against the tables of the core, before anything is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.core.lazy import LazyModule
from inspector.core.providers.registry import profile_named

if TYPE_CHECKING:
    from inspector.core.convert import convert as converting
    from inspector.core.presentation import plan_preview as acceptance
    from inspector.core.repair import presets
    from inspector.core.repair import strategy_resolver as choosable
    from inspector.core.repair.choices import Choices
else:
    converting = LazyModule("inspector.core.convert.convert")
    choosable = LazyModule("inspector.core.repair.strategy_resolver")
    presets = LazyModule("inspector.core.repair.presets")
    acceptance = LazyModule("inspector.core.presentation.plan_preview")


def require_profile(name: str) -> None:
    """Raise UnknownName where there is no such profile."""
    profile_named(name)


def parse_profiles(text: str) -> list[str]:
    """Return the profiles that a comma-separated list names, or all of them. Raises UnknownName."""
    return acceptance.parse_profile_names(text) if text else []


def require_preset(name: str) -> None:
    """Raise UnknownName where there is no such preset."""
    presets.preset_named(name)


def require_choices(choices: Choices) -> None:
    """Raise UnknownName where a preset, rule, strategy or profile does not exist, or does not fit."""
    choosable.validate_choices(choices)


def conversion_targets() -> list[str]:
    """Return what a history can be converted to."""
    return list(converting.TARGETS)
