"""The tests' own tools: the notation, the independent reader, and the judges, before anyone trusts their word."""

import pytest
from hypothesis import given

from tests.robustness.properties.histories import sound
from tests.robustness.properties.pairs import owners
from tests.robustness.properties.profiles import FEW
from tests.support.judges import anthropic_error, log_error, mistral_error, openai_error, refusals
from tests.support.notation import FORMATS, Call, History, Note, claude_code, parse, show, uuid
from tests.support.projection import printed, read

SOUND = [
    'u"hi" | a"text"{A,B} | r(B=y),r(A=x) | a"ok"',
    "u | a{A} | r(A=x) | a{B} | r(B=y)",
    'u | a{A p=1,B@Bash q="two words"} | r!(A=x),PH!(B) | a | u',
    'u | a | u"q" | a"done"',
    'u | a{A} | r(A="with, comma=and (brackets) | bar") | a',
]
BROKEN = {
    "one of two unanswered": "u | a{A,B} | r(A=x) | a",
    "orphan": "u | a | r(A=x) | a",
    "result before its call": "u | r(A=x) | a{A} | u",
    "repeated result": "u | a{A} | r(A=x),r(A=x) | a",
    "user between": 'u | a{A} | u"hi" | r(A=x) | a',
    "repeated id in a turn": "u | a{A,A} | r(A=x),r(A=y) | a",
    "call at the end": "u | a{A}",
    "unanswered, then user": 'u | a{A} | u"hi"',
}


@pytest.mark.parametrize("text", [*SOUND, *BROKEN.values(), 'u | A[m1][th]"t"{A} | "n"+r(A=x)+note(B=y) | dev"d"'])
def test_notation_prints_what_it_parses(text: str) -> None:
    assert show(parse(text)) == text


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("text", SOUND)
def test_what_is_written_is_read_again(text: str, name: str) -> None:
    expected = text.replace("!(", "(") if name == "openai" else text  # OpenAI has no error flag
    assert printed(FORMATS[name].render(parse(text)), name) == expected


@pytest.mark.parametrize(
    ("text", "name", "read_as"),
    [
        ('u | a{A} | u"hi" | r(A=x) | a', "anthropic", 'u | a{A} | "hi"+r(A=x) | a'),
        ('u | a{A} | u"hi" | r(A=x) | a', "claude-code", 'u | a{A} | "hi"+r(A=x) | a'),
        ('u | a{A} | r(A=x)+"hi" | a', "openai", 'u | a{A} | r(A=x) | u"hi" | a'),
        ('u | a{A} | r(A=x)+"hi" | a', "neovate", 'u | a{A} | r(A=x) | u"hi" | a'),
        ("u | a{A,B} | r(A=x) | r(B=y) | a", "anthropic", "u | a{A,B} | r(A=x),r(B=y) | a"),
        (
            'u | A[m1]th | A[m1]"t" | A[m1]{A} | r(A=x) | A[m1]{B} | r(B=y)',
            "claude-code",
            'u | a[th]"t"{A,B} | r(A=x),r(B=y)',
        ),
    ],
)
def test_turns_are_merged_as_the_provider_merges_them(text: str, name: str, read_as: str) -> None:
    assert printed(FORMATS[name].render(parse(text)), name) == read_as


def test_results_off_the_walked_path_are_recovered() -> None:
    text = "u | a{A,B} | r(A=x),r(B=y) | a"
    forked = claude_code(parse(text), fork=True)
    assert b'{"parentUuid":"%s","isSidechain":false,"type":"user"' % uuid(2).encode() in forked
    assert printed(forked, "claude-code") == text


def test_notes_are_recognized_by_id_and_text() -> None:
    data = FORMATS["anthropic"].render(parse('u | a"ok" | u"quoted result of call_7: alpha"'))
    assert printed(data, "anthropic", [Note("call_7", "alpha")]) == 'u | a"ok" | note(call_7=alpha)'


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("text", SOUND)
def test_judges_accept_sound_histories(text: str, name: str) -> None:
    assert refusals(read(FORMATS[name].render(parse(text)), name), name) == []


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("case", BROKEN)
def test_judges_refuse_broken_ones(case: str, name: str) -> None:
    history = read(FORMATS[name].render(parse(BROKEN[case])), name)
    own, other = refusals(history, name), mistral_error(history)
    assert own
    assert other


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("u | a{c0} | r(c0=1) | u | a{c0} | r(c0=2) | a", "not unique"),
        ('u | a{A} | "n"+r(A=x) | a', "do not lead"),
        ("a | u", "first turn"),
        ('u | a""{A} | r(A=x) | a', "blank"),
        ('u | a{""} | r(""=x) | a', "illegal id"),
    ],
)
def test_anthropic_judge_knows_what_mistral_does_not_ask(text: str, reason: str) -> None:
    assert reason in (anthropic_error(read(FORMATS["anthropic"].render(parse(text)), "anthropic")) or "accepted")


def test_openai_judge_takes_an_id_again_in_a_later_turn() -> None:
    history = read(FORMATS["openai"].render(parse("u | a{c0} | r(c0=1) | u | a{c0} | r(c0=2) | a")), "openai")
    assert openai_error(history) is None


def test_adjacent_answers_are_one_message_to_anthropic_and_two_to_openai() -> None:
    text = "u | a{A} | a{B} | r(A=x),r(B=y) | a"
    assert anthropic_error(parse(text)) is None
    assert openai_error(parse(text))


@pytest.mark.parametrize("name", FORMATS)
@given(history=sound())
@FEW
def test_random_sound_histories_are_accepted(name: str, history: History) -> None:
    data = FORMATS[name].render(history)
    assert refusals(read(data, name), name) == []
    assert log_error(data, name) is None
    pairs = list(owners(read(data, name)))
    assert [result.text for result, _ in pairs] == [f"output-{call.input['p']}-" for _, (call,) in pairs]
    assert len(pairs) == sum(len(turn.of(Call)) for turn in history)
