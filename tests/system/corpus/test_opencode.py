"""Stores of opencode from the corpus, whose files lie there one by one with dots for the folders in their names."""

import shutil
from pathlib import Path

import pytest

from tests.support import product
from tests.system.corpus.index import CORPUS, needs_corpus

pytestmark = needs_corpus

STORES = {
    "opencode/jazzyalex--agent-sessions__agent-sessions_opencode.storage_v2.": {
        "s_stage0_large": (4, 1, 1),
        "s_stage0_small": (2, 1, 1),
    },
    "opencode/jazzyalex--agent-sessions__agent-sessions_opencode.storage_legacy.": {"s_stage0_drift": (2, 1, 1)},
    "cass-mixed/Dicklesworthstone--coding_agent_session_search__": {"ses_test1": (2, 0, 0)},
}


def rebuilt(prefix: str, root: Path) -> Path:
    """The store whose files the corpus keeps under `prefix`."""
    folder, _, start = prefix.partition("/")
    for path in (CORPUS / folder).glob(f"{start}*.json"):
        parts = path.name.removeprefix(start).removesuffix(".json").split(".")
        if parts[0] in ("session", "message", "part"):
            target = root.joinpath(*parts[:-1], f"{parts[-1]}.json")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return root


@pytest.mark.parametrize("prefix", STORES)
def test_a_store_is_read_whole_and_comes_back(prefix: str, tmp_path: Path) -> None:
    store = rebuilt(prefix, tmp_path / "storage")
    found = {
        session["id"]: (session["records"], session["calls"], session["results"])
        for session in product.check(store).report["sessions"]
        if session["verdict"] == "healthy"
    }
    assert found == STORES[prefix]
    assert product.repair(store, tmp_path / "out").code == 0
    for path in store.rglob("*.json"):
        assert (tmp_path / "out" / path.relative_to(store)).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("prefix", STORES)
def test_a_file_of_it_alone_is_not_judged(prefix: str) -> None:
    folder, _, start = prefix.partition("/")
    paths = list((CORPUS / folder).glob(f"{start}*.json"))
    assert paths
    for path in paths:
        assert "opencode" not in {session["format"] for session in product.check(path).report["sessions"]}, path
