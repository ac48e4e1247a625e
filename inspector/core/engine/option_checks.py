"""Checks of the names that a user may type, against the tables of the core, before anything is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.core.lazy import LazyModule
from inspector.core.providers.registry import profile_named

if TYPE_CHECKING:
    from inspector.core.convert import convert
    from inspector.core.presentation import plan_preview
    from inspector.core.repair import presets, strategy_resolver
    from inspector.core.repair.choices import Choices
else:
    presets = LazyModule("inspector.core.repair.presets")
    strategy_resolver = LazyModule("inspector.core.repair.strategy_resolver")
    convert = LazyModule("inspector.core.convert.convert")
    plan_preview = LazyModule("inspector.core.presentation.plan_preview")


def require_profile(name: str) -> None:
    """Raise UnknownName where there is no such profile."""
    profile_named(name)


def parse_profiles(text: str) -> list[str]:
    """Return the profiles that a comma-separated list names, or all of them. Raises UnknownName."""
    return plan_preview.parse_profile_names(text) if text else []


def require_preset(name: str) -> None:
    """Raise UnknownName where there is no such preset."""
    presets.preset_named(name)


def require_valid_choices(choices: Choices) -> None:
    """Raise UnknownName where a preset, rule, strategy or profile does not exist, or does not fit."""
    strategy_resolver.validate_choices(choices)


def conversion_targets() -> list[str]:
    """Return what a history can be converted to."""
    return list(convert.TARGETS)
