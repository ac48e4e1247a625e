"""`trim --fit`: what is shortened, in which order, and that nothing else changes."""

import base64
import json
from pathlib import Path

import pytest

from inspector.core.analysis.context_usage import TYPICAL_UNRECORDED
from inspector.core.errors import UnknownName
from inspector.core.trim.options import Fit, parse_fit
from tests.core.formats import FORMATS
from tests.core.repair.logs import saved, written
from tests.support import product
from tests.support.notation import claude_code_records, lines, parse, show
from tests.support.projection import printed

NAMES = [name for name, each in FORMATS.items() if each.holds_calls and each.written_back]
LONG = "lorem ipsum " * 1000  # 12,000 characters: 3,000 to 3,600 tokens
SHORT_HISTORY = f'u"one" | a{{A}} | r(A="{LONG}") | a"ok" | u"two" | a{{B}} | r(B="{LONG}") | a"fin"'
NOTE = "\n[… {:,} characters were removed to shorten the history …]\n"
SHORTENED = LONG[:1500] + NOTE.format(len(LONG) - 2500) + LONG[-1000:]


SMALL = ("--fit", "31k", "--reserve", "0")  # for a log of Claude Code: 25k are taken by its prompt and tools


def window(name: str, tokens: int) -> tuple[str, ...]:
    """The options for a window with so many tokens for the history itself, in a log of the format."""
    return "--fit", str(tokens + TYPICAL_UNRECORDED.get(name, 0)), "--reserve", "0"


@pytest.mark.parametrize(
    ("text", "tokens", "reserve", "model"),
    [
        ("200k", 200_000, 40_000, ""),
        ("1.5M", 1_500_000, 300_000, ""),
        ("150,000", 150_000, 30_000, ""),
        ("claude-sonnet-4-5", 200_000, 64_000, "claude-sonnet-4-5"),
        ("gpt-5-codex", 400_000, 128_000, "gpt-5-codex"),
    ],
)
def test_a_window_is_a_number_or_a_model(text: str, tokens: int, reserve: int, model: str) -> None:
    fit = parse_fit(text)
    assert (fit.window, fit.reserve, fit.model) == (tokens, reserve, model)
    assert parse_fit(text, 7).reserve == 7


@pytest.mark.parametrize("text", ["llama", "", "k", "-5", "200kb"])
def test_a_model_that_is_not_known_lists_those_that_are(text: str) -> None:
    with pytest.raises(UnknownName, match=r"200k, or a model .* claude-opus-4-6, .* kimi-k2"):
        parse_fit(text)


def test_the_reserve_leaves_something() -> None:
    with pytest.raises(UnknownName, match="nothing would be left"):
        parse_fit("8k", 8000)
    assert parse_fit("8k", 7999) == Fit(8000, 7999)


@pytest.mark.parametrize("name", NAMES)
def test_the_oldest_large_result_is_shortened_first(name: str, tmp_path: Path) -> None:
    path, out = FORMATS[name].write(parse(SHORT_HISTORY), tmp_path), tmp_path / "out"
    answer = product.trim(path, out, *window(name, 6000))
    assert answer.code == 0, answer.report["reason"]
    assert {session["verdict"] for session in product.check(out).report["sessions"]} == {"healthy"}
    after = show(FORMATS[name].load(out))
    assert after.count(NOTE.format(9500).strip()) == 1
    assert after.replace(SHORTENED.replace("\n", "\\n"), LONG) == show(parse(SHORT_HISTORY))
    assert [loss["text"] for loss in answer.losses] == [LONG]
    fit = answer.session["trimmed"]["fit"]
    assert (fit["basis"], fit["results_shortened"], fit["window"]) == ("estimated", 1, fit["unrecorded"] + 6000)
    assert fit["after"] < fit["window"] < fit["before"]


def test_nothing_is_shortened_that_need_not_be(tmp_path: Path) -> None:
    path, out = written(tmp_path, "anthropic", SHORT_HISTORY), tmp_path / "out.json"
    answer = product.trim(path, None, "--fit", "200k")
    assert (answer.code, answer.report["reason"]) == (0, "The history already fits, so nothing was written.")
    assert product.trim(path, out, "--fit", "200k").code == 0
    assert out.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", ["anthropic", "openai", "claude-code"])
def test_the_oldest_turns_go_last_and_a_note_says_so(name: str, tmp_path: Path) -> None:
    path, out = written(tmp_path, name, SHORT_HISTORY), tmp_path / "out.json"
    answer = product.trim(path, out, *window(name, 1300))
    assert answer.code == 0, answer.report["reason"]
    after = printed(out.read_bytes(), name)
    assert after.startswith('u"[The beginning of this conversation was removed to shorten it: 4 messages are no longer')
    assert after.endswith('fin"')
    assert "characters were removed" in after
    assert product.check(out).session["verdict"] == "healthy"
    again = product.trim(out, None, *window(name, 1300))
    assert again.report["reason"] == "The history already fits, so nothing was written."


def test_the_first_prompt_stays_when_asked(tmp_path: Path) -> None:
    path, out = written(tmp_path, "openai", SHORT_HISTORY), tmp_path / "out.json"
    assert product.trim(path, out, *window("openai", 1300), "--keep-first").code == 0
    assert printed(out.read_bytes(), "openai").startswith('u"one" | u"[The beginning')


def test_a_history_that_cannot_fit_is_one_sentence(tmp_path: Path) -> None:
    path, out = written(tmp_path, "anthropic", SHORT_HISTORY), tmp_path / "out.json"
    answer = product.trim(path, out, "--fit", "10", "--reserve", "9")
    assert (answer.code, out.exists()) == (1, False)
    assert answer.report["reason"].startswith("The history cannot be shortened to 1 token")


def test_a_broken_log_is_repaired_first(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", f'u"one" | a{{A}} | u"two" | a{{B}} | r(B="{LONG}") | a"ok"')
    answer = product.trim(path, tmp_path / "out.json", "--fit", "2k", "--reserve", "0")
    assert answer.code == 1
    assert "use `trim --repair`" in answer.report["reason"]
    assert product.trim(path, tmp_path / "out.json", "--fit", "2k", "--reserve", "0", "--repair").code == 0


def test_images_become_notes_after_the_results(tmp_path: Path) -> None:
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (1500).to_bytes(4) + (1000).to_bytes(4)).decode()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png}}
    call = {"type": "tool_use", "id": "toolu_1", "name": "Shot", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "see"}, image]}
    log = [
        {"role": "user", "content": [{"type": "text", "text": "one"}, image]},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": "ok"},
    ]
    path, out = tmp_path / "log.json", tmp_path / "out.json"
    path.write_text(json.dumps(log))
    answer = product.trim(path, out, "--fit", "2500", "--reserve", "0")
    note = "[image removed to shorten the history: image/png, 1500×1000 pixels, 24 bytes]"
    after = json.loads(out.read_text())
    assert after[0]["content"][1] == {"type": "text", "text": note}
    assert after[2] == log[2]
    assert answer.session["trimmed"]["fit"]["images_replaced"] == 1
    assert [loss["kind"] for loss in answer.losses] == ["media"]


def test_the_error_that_it_is_too_long_goes_with_it(tmp_path: Path) -> None:
    records = claude_code_records(parse(SHORT_HISTORY + ' | u"go on" | a"Prompt is too long"'))
    records[-1] |= {"isApiErrorMessage": True}
    path, out = saved(tmp_path, "claude-code", lines(records)), tmp_path / "out.jsonl"
    assert product.check(path).session["verdict"] == "unexplained"
    assert product.trim(path, out, *window("claude-code", 6000)).code == 0
    assert product.check(out).session["verdict"] == "healthy"
    assert "Prompt is too long" not in out.read_text()


def test_it_is_saved_as_a_new_session_with_the_command_that_resumes_it(tmp_path: Path) -> None:
    path = written(tmp_path, "claude-code", SHORT_HISTORY)
    before = path.read_bytes()
    answer = product.trim(path, None, *window("claude-code", 6000))
    output = Path(answer.report["output"])
    assert (output.parent, output.name) != (tmp_path, path.name)
    printed = product.run("trim", str(path), *SMALL).stdout
    assert f"The trimmed session is at {tmp_path}" in printed
    assert "claude --resume" in printed
    assert path.read_bytes() == before
    assert product.check(output).session["verdict"] == "healthy"


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", "u | a")
    for more, said in (
        (("--fit", "2k", "--keep", "3"), "--fit cannot be combined with --keep"),
        (("--reserve", "3"), "can be used only with --fit"),
    ):
        result = product.run("trim", str(path), *more)
        assert (result.exit_code, said in result.stderr) == (2, True)
