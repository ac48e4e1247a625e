"""Each cause that keeps an agent from a session, on the smallest store and on one that the agent wrote."""

import hashlib
import os
import re
import tarfile
from pathlib import Path

import pytest

from inspector.core.doctor.machine import StoreOnMachine, examine_session, stores_on
from inspector.core.doctor.store_examination import examine_stores
from inspector.core.formats.base.session_stores import CAUSES, FaultEffect, StoreFault
from inspector.core.formats.base.stores import HostEnvironment
from tests.core.doctor.made_stores import CASES, MADE, Case, Place
from tests.support.paths import SHARED

STORES = Path(os.environ.get("TRANSCRIPT_STORES", SHARED / "stores"))
ARCHIVES = {
    "claude-code": "claude-code-2.1.330",
    "codex": "codex-0.169.0",
    "gemini-cli": "gemini-cli-0.61.0",
    "kimi-code": "kimi-code-2.1.0",
    "qwen-code": "qwen-code-0.24.4",
    "opencode": "opencode-1.18.33",
    "pi": "pi-0.87.1",
    "cline-sdk": "cline-3.0.65",
}
# What is true of a store that was moved to another home, whatever else is wrong with it.
OF_A_MOVED_STORE = {"folder-gone", "index-path"}
NAMES = [f"{case.agent}: {case.name}" for case in CASES]


def hashes(home: Path) -> dict[str, str]:
    """The digests of all files below a home, with the names of folders and links."""
    found = {}
    for folder, _, names in os.walk(home):
        found[folder] = ""
        for name in names:
            path = Path(folder, name)
            found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    return found


def store_of(home: Path) -> StoreOnMachine:
    (place,) = stores_on(HostEnvironment({}, str(home)))
    return place


def faults_in(home: Path) -> list[StoreFault]:
    store = store_of(home)
    return [
        fault for session in store.store.sessions(str(store.home)) for fault in store.store.faults(store.home, session)
    ]


@pytest.mark.parametrize("agent", MADE)
def test_nothing_is_wrong_with_a_sound_store(agent: str, tmp_path: Path) -> None:
    place = MADE[agent](tmp_path)
    before = hashes(tmp_path)
    machine = HostEnvironment({}, str(tmp_path))
    report = examine_stores(machine)
    assert [(store.format, store.sessions, store.faults, store.troubled) for store in report.stores] == [
        (agent, 1, (), [])
    ]
    store = store_of(tmp_path)
    (session,) = store.store.sessions(store.home)
    assert (session.id, session.log, session.folder) == (place.id, str(place.log), str(place.project))
    opening = examine_session(store, session, machine).opening
    assert opening.command.startswith(f"cd {place.project} && ")
    assert not opening.after_remedy
    assert hashes(tmp_path) == before


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_the_cause_and_the_command(case: Case, tmp_path: Path) -> None:
    place = MADE[case.agent](tmp_path)
    case.breaks(place)
    before = hashes(tmp_path)
    store, machine = store_of(tmp_path), HostEnvironment({}, str(tmp_path))
    sessions = store.store.sessions(store.home)
    examined = [examine_session(store, session, machine) for session in sessions]
    found = [(fault.cause, fault.effect.word) for each in examined for fault in each.faults]
    if case.cause:
        assert (case.cause, case.effect) in found
        assert case.cause in CAUSES
    else:
        assert found == []
    (chosen,) = [
        each for each in examined if not case.cause or any(fault.cause == case.cause for fault in each.faults)
    ][:1]
    end = case.end.format(id=place.id, log=place.log, home=place.home, project=place.project, name=place.log.name)
    if end:
        assert end in chosen.opening.command
        assert chosen.opening.after_remedy == case.after_remedy
    else:
        assert not chosen.opening.command or case.after_remedy
    if FaultEffect.DESTROYS.word == case.effect:
        assert chosen.opening.warning
    assert all(fault.measured and fault.expected and fault.remedy for each in examined for fault in each.faults)
    assert hashes(tmp_path) == before


def written_store(agent: str, tmp_path: Path) -> Place:
    """A store that the agent wrote, in another home than it was written in."""
    path = STORES / f"{ARCHIVES[agent]}.tar.xz"
    if not path.exists():
        pytest.skip(f"no stores of the agents at {STORES}")
    with tarfile.open(path) as archive:
        members = [member for member in archive.getmembers() if "healthy/home/" in member.name]
        archive.extractall(tmp_path, members, filter="data")
    (home,) = tmp_path.glob("**/healthy/home")
    store = store_of(home)
    (session,) = store.store.sessions(store.home)
    if agent == "gemini-cli":
        # The path in the archive was replaced by another one, of which this is the hash.
        named = hashlib.sha256(session.folder.encode()).hexdigest()
        log = Path(session.log)
        log.write_text(re.sub(r'"projectHash":"\w+"', f'"projectHash":"{named}"', log.read_text()))
    return Place(home, home / "project", Path(session.log), session.id)


@pytest.mark.parametrize("agent", ARCHIVES)
def test_a_moved_store_of_the_agent(agent: str, tmp_path: Path) -> None:
    place = written_store(agent, tmp_path)
    before = hashes(place.home)
    assert {fault.cause for fault in faults_in(place.home)} <= OF_A_MOVED_STORE
    assert hashes(place.home) == before


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_the_cause_in_a_store_of_the_agent(case: Case, tmp_path: Path) -> None:
    if case.agent not in ARCHIVES:
        pytest.skip("no store of this agent is kept")
    place = written_store(case.agent, tmp_path)
    if case.name == "project renamed":
        assert "folder-gone" in {fault.cause for fault in faults_in(place.home)} or case.agent == "cline-sdk"
        return
    case.breaks(place)
    before = hashes(place.home)
    found = {(fault.cause, fault.effect.word) for fault in faults_in(place.home)}
    assert not case.cause or (case.cause, case.effect) in found
    assert hashes(place.home) == before
