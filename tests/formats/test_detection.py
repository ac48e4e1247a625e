"""Every sample against every format: the right one is sure of it, and no two are equally sure."""

from pathlib import Path

import pytest

from inspector.core.formats import FORMATS, ROWS, detect
from inspector.core.head import Head
from inspector.core.opening import open_source
from tests.formats import FORMATS as WRITTEN
from tests.formats.test_broken_samples import BROKEN, HEALTHY
from tests.notation import parse

SAMPLES = sorted((Path(__file__).resolve().parents[2] / "resources" / "samples").iterdir())


def scores(path: Path) -> dict[str, float]:
    with open_source(str(path)) as source:
        head = Head(source)
        return {name: format.score(head) for name, format in FORMATS.items()}


def assert_only(name: str, found: dict[str, float]) -> None:
    assert max(found, key=found.__getitem__) == name, found
    assert list(found.values()).count(found[name]) == 1, found


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_sample_is_claimed_by_its_own_format(sample: Path) -> None:
    name = max((name for name in FORMATS if sample.name.startswith(f"{name}-")), key=len)
    assert_only(name, scores(sample))
    with open_source(str(sample)) as source:
        assert detect(Head(source)).name == name


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_the_likely_formats_are_enough_to_tell(sample: Path) -> None:
    """The keys of a row let a log be told without loading every format; a bare list has none."""
    with open_source(str(sample)) as source:
        head = Head(source)
        own = detect(head).name
        likely = {name for name, row in ROWS.items() if row.is_likely(head)}
    assert own in likely or not (head.keys and ROWS[own].keys)


@pytest.mark.parametrize("code", ["", *BROKEN])
@pytest.mark.parametrize("name", WRITTEN)
def test_what_the_tests_write_is_claimed_by_its_own_format(name: str, code: str, tmp_path: Path) -> None:
    if code in WRITTEN[name].cannot:
        pytest.skip(WRITTEN[name].cannot[code])
    log = WRITTEN[name].write(parse(BROKEN.get(code, HEALTHY)), tmp_path)
    assert_only(name, scores(log))
