"""Session folders of Strands from the corpus, whose counts stand at the file of the session."""

from pathlib import Path

import pytest

from tests.support import product
from tests.system.corpus.index import CORPUS, index, needs_corpus

pytestmark = needs_corpus
SESSIONS = [path for path in index() if path.startswith("strands/") and path.endswith("/session.json")]


@pytest.mark.parametrize("path", SESSIONS)
def test_a_session_is_read_whole_and_repaired(path: str, tmp_path: Path) -> None:
    folder, row = (CORPUS / path).parent, index()[path]
    session = product.check(folder).session
    counts = {key: session[key] for key in ("calls", "results", "dangling", "orphans")}
    assert counts == {key: int(row[key.removesuffix("s") if key == "orphans" else key]) for key in counts}
    assert session["verdict"] == ("heals-itself" if counts["dangling"] else "healthy")
    before = {each.relative_to(folder): each.read_bytes() for each in folder.rglob("*.json")}
    assert product.repair(folder, tmp_path / "out").code == 0
    after = {each.relative_to(tmp_path / "out"): each.read_bytes() for each in (tmp_path / "out").rglob("*.json")}
    assert {path: after[path] for path in before} == before
    assert product.check(tmp_path / "out").session["verdict"] == "healthy"
