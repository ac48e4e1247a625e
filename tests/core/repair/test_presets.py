"""What each preset makes of a history: what the system that it imitates would send, where that is valid.

`refused` are blind spots of the system: nothing is written, and the reason says whose they are.
"""

from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.repair.presets import PRESETS
from inspector.core.repair.strategies import STRATEGIES
from inspector.core.rules import RULES
from tests.core.repair.logs import refused, repaired, written
from tests.core.repair.table import REFUSED
from tests.support import product
from tests.support.projection import as_read, notes_in, printed

SOUND = 'u | a"t"{A,B} | r(A=alpha,B=beta) | a"ok"'
PARTLY = 'u | a"t"{A,B} | r(A=alpha) | u"next"'
OPEN = 'u | a"t"{A} | u"next" | a"ok"'
TAIL = 'u | a"t"{A}'
DISPLACED = 'u | a{A} | u"hi" | r(A=alpha) | a"ok"'
LATE = 'u | a{A} | u"hi" | a"mm" | r(A=alpha) | a"ok"'
EARLY = 'u | r(A=alpha) | a{A} | u"next"'
ORPHAN = 'u | a"ok" | r(Z=zeta) | a"fine"'
TWICE = "u | a{A} | r(A=alpha,A=alpha) | a"
DIFFERENT = "u | a{A} | r(A=alpha,A=beta) | a"
REUSED = "u | a{c0} | r(c0=one) | u | a{c0} | r(c0=two) | a"
REPEATED = "u | a{A,A} | r(A=alpha) | a"

WITHOUT_B = 'u | a"t"{A} | r(A=alpha) | u"next"'
IN_PLACE = 'u | a{A} | r(A=alpha) | u"hi" | a"ok"'
LATE_IN_PLACE = 'u | a{A} | r(A=alpha) | u"hi" | a"mm" | a"ok"'
ONE = "u | a{A} | r(A=alpha) | a"


def stand_in(system: str, call: str = "B") -> str:
    text = PLACEHOLDER_WORDINGS[system].text.replace("{name}", "Read").replace("{id}", call)
    return f'r({call}="{text}")'


def answered(system: str) -> str:
    return f'u | a"t"{{A,B}} | r(A=alpha),{stand_in(system)} | u"next"'


# What becomes of OpenAI messages, by preset and history.
CASES: dict[str, dict[str, str]] = {
    "canonical": {
        PARTLY: 'u | a"t"{A,B} | r(A=alpha),PH(B) | u"next"',
        DISPLACED: IN_PLACE,
        LATE: LATE_IN_PLACE,
        ORPHAN: 'u | a"ok" | note(Z=zeta) | a"fine"',
    },
    "minimal-loss": {
        ORPHAN: 'u | a"ok" | note(Z=zeta) | a"fine"',
        DIFFERENT: "u | a{A} | r(A=alpha) | note(A=beta) | a",
        REPEATED: "u | a{A,A-2} | r(A=alpha),PH(A-2) | a",
        EARLY: 'u | a{A} | r(A=alpha) | u"next"',
    },
    "clean": {ORPHAN: 'u | a"ok" | a"fine"', DIFFERENT: ONE, PARTLY: 'u | a"t"{A,B} | r(A=alpha),PH(B) | u"next"'},
    "claude-code": {
        TAIL: 'u | a"t"',
        PARTLY: answered("claude-code"),
        OPEN: 'u | a"t"{A} | ' + stand_in("claude-code", "A") + ' | u"next" | a"ok"',
        DISPLACED: IN_PLACE,
        LATE: "u | a{A} | " + stand_in("claude-code", "A") + ' | u"hi" | a"mm" | a"ok"',
        ORPHAN: 'u | a"ok" | a"fine"',
        TWICE: ONE,
        DIFFERENT: ONE,
        REPEATED: ONE,
    },
    "neovate": {TAIL: "u", PARTLY: REFUSED, ORPHAN: REFUSED},
    "neovate-safe": {TAIL: "u", PARTLY: 'u | a"t" | u"next"'},
    "deepagents": {PARTLY: answered("deepagents"), DISPLACED: REFUSED, ORPHAN: REFUSED, TWICE: REFUSED},
    "kilo": {ORPHAN: 'u | a"ok" | a"fine"', PARTLY: REFUSED, EARLY: REFUSED, DISPLACED: REFUSED},
    "kimi": {
        PARTLY: answered("kimi-resume"),
        DISPLACED: IN_PLACE,
        LATE: LATE_IN_PLACE,
        ORPHAN: 'u | a"ok" | a"fine"',
        DIFFERENT: ONE,
        REPEATED: ONE,
        EARLY: REFUSED,
    },
    "cline": {PARTLY: answered("cline"), DISPLACED: IN_PLACE, TWICE: ONE, ORPHAN: REFUSED, LATE: REFUSED},
    "codex": {PARTLY: answered("codex"), ORPHAN: 'u | a"ok" | a"fine"', DISPLACED: REFUSED, EARLY: REFUSED},
    "goose": {
        PARTLY: WITHOUT_B,
        OPEN: 'u | a"t" | u"next" | a"ok"',
        ORPHAN: 'u | a"ok" | a"fine"',
        DIFFERENT: ONE,
        EARLY: 'u | u"next"',
        DISPLACED: REFUSED,
        LATE: REFUSED,
    },
    "gemini-cli": {PARTLY: answered("gemini-cli"), DISPLACED: IN_PLACE, LATE: REFUSED, TWICE: REFUSED},
    "litellm": {
        PARTLY: answered("litellm"),
        LATE: "u | a{A} | " + stand_in("litellm", "A") + ' | u"hi" | a"mm" | a"ok"',
        ORPHAN: 'u | a"ok" | a"fine"',
        DIFFERENT: "u | a{A} | r(A=beta) | a",
        DISPLACED: REFUSED,
    },
    "pydantic-ai": {
        OPEN: 'u | a"t"{A} | ' + stand_in("pydantic-ai", "A") + ' | u"next" | a"ok"',
        DISPLACED: IN_PLACE,
        ORPHAN: 'u | a"ok" | a"fine"',
        TAIL: REFUSED,
        LATE: REFUSED,
        TWICE: REFUSED,
    },
}
ROWS = [
    pytest.param(preset, history, expected, id=f"{preset}-{number}")
    for preset, rows in CASES.items()
    for number, (history, expected) in enumerate(rows.items())
]


@pytest.mark.parametrize(("preset", "history", "expected"), ROWS)
def test_a_preset_does_what_its_system_would(preset: str, history: str, expected: str, tmp_path: Path) -> None:
    path = written(tmp_path, "openai", history)
    if expected == REFUSED:
        reason = refused(path, preset=preset).report["reason"]
        assert f"Neither the {preset} preset nor {PRESETS[preset].imitates} repairs " in reason
        return
    data, answer = repaired(path, "openai", preset=preset)
    assert printed(data, "openai", notes_in(expected)) == as_read(expected, "openai")
    assert answer.session["caveat"] == (PRESETS[preset].caveat or None)


def test_every_preset_is_in_the_table() -> None:
    assert set(CASES) == set(PRESETS)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", ["openai", "anthropic", "claude-code"])
def test_a_sound_history_stays_as_it_is(name: str, preset: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, SOUND)
    assert repaired(path, name, preset=preset)[0] == path.read_bytes()


def test_reused_ids_are_renamed_by_ours_and_dropped_as_claude_code_does(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", REUSED)
    expected = as_read("u | a{c0} | r(c0=one) | u | a{c0-2} | r(c0-2=two) | a", "anthropic")
    assert printed(repaired(path, "anthropic")[0], "anthropic") == expected
    data, answer = repaired(path, "anthropic", preset="claude-code")
    assert b"two" not in data
    assert "two" in answer.lost_text


@pytest.mark.parametrize("name", ["openai", "anthropic", "claude-code", "neovate"])
def test_gemini_cli_invents_a_call_that_says_so(name: str, tmp_path: Path) -> None:
    data, answer = repaired(written(tmp_path, name, ORPHAN), name, preset="gemini-cli")
    assert b"[No call was recorded for the result that follows." in data
    assert b"unrecorded_call" in data
    assert "r(Z=zeta)" in printed(data, name)
    assert answer.losses == []


@pytest.mark.parametrize("preset", PRESETS)
def test_a_real_result_beats_a_placeholder_whatever_is_imitated(preset: str, tmp_path: Path) -> None:
    path = written(tmp_path, "openai", 'u | a{A} | r(A=alpha) | a"ok" | r(A=aborted) | a"fine"')
    answer = product.repair(path, tmp_path / "out.json", preset=preset)
    kept = (tmp_path / "out.json").read_bytes() if answer.code == 0 else b"alpha"
    assert b"alpha" in kept


@pytest.mark.parametrize("preset", PRESETS)
def test_a_damaged_end_is_mended_whatever_is_imitated(preset: str, tmp_path: Path) -> None:
    path = written(tmp_path, "claude-code", SOUND)
    path.write_bytes(path.read_bytes() + b'{"type":"assis')
    assert printed(repaired(path, "claude-code", preset=preset)[0], "claude-code") == as_read(SOUND, "claude-code")


@pytest.mark.parametrize("preset", PRESETS)
def test_rows_name_what_there_is(preset: str) -> None:
    row = PRESETS[preset]
    for rule, strategy in row.rules.items():
        assert strategy in STRATEGIES
        assert rule in RULES
        assert strategy in RULES[rule].strategies or preset.startswith("neovate")
    assert bool(row.imitates) == bool(row.source)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_has_a_page(preset: str) -> None:
    answer = CliRunner().invoke(main, ["presets", preset])
    assert answer.exit_code == 0
    row = PRESETS[preset]
    for told in (row.summary, row.wording, row.caveat, row.source, "What it does:", "Costs:"):
        assert told in answer.output
    assert ("Not repaired (" in answer.output) == any(
        row.strategy_of(code) == "leave" and rule.strategy != "leave" for code, rule in RULES.items()
    )


def test_the_preview_says_what_is_to_be_known_of_a_preset(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", PARTLY)
    told = CliRunner().invoke(main, ["repair", str(path), "--dry-run", "--preset", "codex"])
    assert f"Limitations of this preset: {PRESETS['codex'].caveat}" in told.output
    assert "Limits of this preset" not in CliRunner().invoke(main, ["repair", str(path), "--dry-run"]).output
