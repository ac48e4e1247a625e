"""The stores of the agents on a machine, the sessions in them, and what keeps the agents from them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module

from msgspec import Struct

from inspector.core.discovery.stores import matches_agent_name
from inspector.core.formats import FORMATS
from inspector.core.formats.base.format import Format
from inspector.core.formats.base.session_stores import (
    FaultEffect,
    OpeningCommand,
    SessionStore,
    StoredSession,
    StoreFault,
)
from inspector.core.formats.base.stores import HostEnvironment


class StoreOnMachine(Struct, frozen=True):
    """A store of an agent that exists: the agent's knowledge of it, its format, and its folder."""

    store: SessionStore
    format: str
    home: str


class ExaminedSession(Struct, frozen=True, kw_only=True):
    """A session, what keeps its agent from it, and the command that opens it."""

    session: StoredSession
    faults: tuple[StoreFault, ...]
    opening: OpeningCommand

    @property
    def effect(self) -> FaultEffect:
        """The most harmful effect of what the person did not ask for."""
        return max((fault.effect for fault in self.faults if not fault.intended), default=FaultEffect.NOTE)


def session_store_of(format: Format) -> SessionStore | None:
    """Return what is known of how the agent of a format finds its sessions, None where nothing is."""
    if not format.session_store:
        return None
    module, _, name = format.session_store.partition(":")
    store = getattr(import_module(module), name)()
    assert isinstance(store, SessionStore)
    return store


def stores_on(
    machine: HostEnvironment, agent: str = "", formats: Mapping[str, Format] = FORMATS
) -> list[StoreOnMachine]:
    """Return the stores that exist on a machine, of the agents that `agent` names.

    Where a variable moves a store, the usual place of the store is looked at as well.
    """
    usual = HostEnvironment({}, machine.home)
    found: dict[tuple[str, str], StoreOnMachine] = {}
    for name, format in formats.items():
        store = session_store_of(format)
        if store is None or not matches_agent_name(name, store.agent, agent):
            continue
        for home in dict.fromkeys((store.home(machine), store.home(usual))):
            if home and store.exists(home):
                found[name, os.path.realpath(home)] = StoreOnMachine(store, name, home)
    return list(found.values())


def store_around(path: str, machine: HostEnvironment) -> StoreOnMachine | None:
    """Return the store that a path lies in, wherever that store is, None where the path lies in none."""
    for name, format in FORMATS.items():
        store = session_store_of(format)
        folder = os.path.dirname(path)
        while store is not None and os.path.dirname(folder) != folder:
            if store.exists(folder) and any(session.log == path for session in store.sessions(folder)):
                return StoreOnMachine(store, name, folder)
            folder = os.path.dirname(folder)
    return None


def examine_session(
    place: StoreOnMachine, session: StoredSession, machine: HostEnvironment, also: StoreFault | None = None
) -> ExaminedSession:
    """Return what keeps the agent from a session, and the command that opens it. `also` is a fault that is known."""
    found = [*place.store.faults(place.home, session), *([also] if also is not None else ())]
    faults = sorted(found, key=lambda fault: -fault.effect)
    opening = place.store.opening(place.home, session, faults, machine)
    return ExaminedSession(session=session, faults=tuple(faults), opening=opening)
