"""What a person may name, looked up in the tables of the core before anything is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.core.later import LazyModule
from inspector.core.profiles import profile_named

if TYPE_CHECKING:
    from inspector.core.convert import converting
    from inspector.core.repair import choosable, presets
    from inspector.core.repair.choices import Choices
    from inspector.core.showing import acceptance
else:
    converting = LazyModule("inspector.core.convert.converting")
    choosable = LazyModule("inspector.core.repair.choosable")
    presets = LazyModule("inspector.core.repair.presets")
    acceptance = LazyModule("inspector.core.showing.acceptance")


def require_profile(name: str) -> None:
    """Raises UnknownName where there is no such profile."""
    profile_named(name)


def parse_profiles(text: str) -> list[str]:
    """The profiles that a list with commas names, or all of them. Raises UnknownName."""
    return acceptance.parse_profile_names(text) if text else []


def require_preset(name: str) -> None:
    """Raises UnknownName where there is no such preset."""
    presets.preset_named(name)


def require_choices(choices: Choices) -> None:
    """Raises UnknownName where a preset, rule, strategy or profile does not exist, or does not fit."""
    choosable.validate_choices(choices)


def conversion_targets() -> list[str]:
    """What a history can be converted to."""
    return list(converting.TARGETS)
