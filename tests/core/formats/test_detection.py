"""Every sample against every format: the right one is sure of it, and no two are equally sure."""

import json
from pathlib import Path

import pytest

from inspector.core import formats
from inspector.core.discovery.opening import open_source
from inspector.core.formats import FORMATS, UNKNOWN_FORMAT, detect_format
from inspector.core.formats.base.log_head import Head
from inspector.core.storage import json_document
from inspector.core.storage.source import HEAD_SIZE, Source
from tests.core.formats import FORMATS as WRITTEN
from tests.core.formats.test_broken_samples import BROKEN, HEALTHY
from tests.support import paths, product
from tests.support.notation import parse

SAMPLES = sorted(paths.SAMPLES.iterdir())


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
        assert detect_format(Head(source)).name == name


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_the_likely_formats_are_enough_to_tell(sample: Path) -> None:
    """The keys of a row let a log be told without loading every format; a bare list has none."""
    with open_source(str(sample)) as source:
        head = Head(source)
        own = detect_format(head).name
        likely = FORMATS.likely_names(head)
    assert own in likely or not (head.keys and FORMATS.entries[own].keys)


@pytest.mark.parametrize("code", ["", *BROKEN])
@pytest.mark.parametrize("name", WRITTEN)
def test_what_the_tests_write_is_claimed_by_its_own_format(name: str, code: str, tmp_path: Path) -> None:
    if code in WRITTEN[name].cannot:
        pytest.skip(WRITTEN[name].cannot[code])
    log = WRITTEN[name].write(parse(BROKEN.get(code, HEALTHY)), tmp_path)
    assert_only(name, scores(log))


LINE_FORMATS = ("claude-code", "claude-stream", "codex", "gemini-cli", "kimi-code", "pi", "qwen-code")


@pytest.mark.parametrize("name", LINE_FORMATS)
@pytest.mark.parametrize("between", [b"", b" "])
def test_a_log_is_told_though_every_line_holds_two_records(name: str, between: bytes, tmp_path: Path) -> None:
    """Two writers of one file do that. The records are whole, and a repair divides them again."""
    log = WRITTEN[name].write(parse("u | a{A} | r(A=x) | a"), tmp_path)
    lines = log.read_bytes().splitlines()
    for count in (2, len(lines)):
        log.write_bytes(b"".join(between.join(lines[at : at + count]) + b"\n" for at in range(0, len(lines), count)))
        answer = product.check(log)
        assert (answer.session["format"], answer.rules >= {"F2"}) == (name, True)
        out = tmp_path / f"out{count}.jsonl"
        assert product.repair(log, out).code == 0
        assert [line for line in lines if line not in out.read_bytes()] == []


def test_a_stream_is_told_by_the_one_line_after_the_cut(tmp_path: Path) -> None:
    log = WRITTEN["claude-stream"].write(parse("u | a{A} | r(A=x)"), tmp_path)
    *_, torn, last = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(torn[len(torn) // 2 :].lstrip(b"{[") + last)
    answer = product.check(log)
    assert (answer.session["format"], answer.errors) == ("claude-stream", {"F6"})


LINES = [sample for sample in SAMPLES if sample.suffix == ".jsonl"]


def detected(data: bytes, name: str) -> str:
    with Source.of_bytes(data, name) as source:
        return detect_format(Head(source)).name


@pytest.mark.parametrize("sample", LINES, ids=lambda path: path.name)
@pytest.mark.parametrize("damage", ["torn", "words", "bracket", "long"])
def test_the_first_line_does_not_decide_alone(sample: Path, damage: str) -> None:
    """It may be torn, a warning that a shell caught along with the log, or longer than the head."""
    data = sample.read_bytes()
    first, _, rest = data.partition(b"\n")
    own = detected(data, sample.name)
    changed = {
        "torn": first[len(first) // 2 :] + b"\n" + rest,
        "words": b"Warning: no input on stdin\n" + data,
        "bracket": b"[notice] a new version is there\n" + data,
        "long": first[:-1] + b',"more":"' + b"x" * HEAD_SIZE + b'"}\n' + rest,
    }[damage]
    assert detected(changed, sample.name) == own


A_LINE = {
    "openai-chat": ['{"role":"system","content":"be brief"}', '{"role":"user","content":"hi"}',
                    '{"role":"assistant","content":"yes"}'],
    "openai-responses": ['{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}',
                         '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"yes"}]}'],
    "gemini-contents": ['{"role":"user","parts":[{"text":"hi"}]}', '{"role":"model","parts":[{"text":"yes"}]}'],
    "langchain": ['{"type":"human","data":{"content":"hi"}}', '{"type":"ai","data":{"content":"yes"}}'],
}  # fmt: skip


@pytest.mark.parametrize("name", A_LINE)
def test_a_torn_first_line_of_messages_is_set_aside(name: str, tmp_path: Path) -> None:
    """A message a line: what is behind the torn one is read and judged."""
    log = A_LINE[name]
    path, out = tmp_path / "log.jsonl", tmp_path / "out.jsonl"
    path.write_text("\n".join([log[0][7:], *log]) + "\n")
    answer = product.repair(path, out)
    assert (answer.code, answer.session["format"], answer.session["messages"]) == (0, name, len(log))
    assert out.read_text() == "\n".join(log) + "\n"


def test_a_first_message_longer_than_the_head_does_not_make_it_another_format() -> None:
    contents = [{"role": "user", "parts": [{"text": "x" * HEAD_SIZE}]}, {"role": "model", "parts": [{"text": "yes"}]}]
    assert detected(json.dumps(contents).encode(), "log.json") == "gemini-contents"


def test_messages_of_bedrock_a_line_are_not_taken_for_openai() -> None:
    lines = ['{"role":"user","content":[{"text":"hi"}]}', '{"role":"assistant","content":[{"text":"yes"}]}']
    assert detected("\n".join(lines).encode(), "log.jsonl") == UNKNOWN_FORMAT.name


def test_a_message_longer_than_the_head_shows_its_own_format() -> None:
    """Words alone stand before it, which several providers could have been sent."""
    calls = [{"type": "tool_use", "id": f"call_{number}", "name": "f", "input": {}} for number in range(5000)]
    results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "ok"} for call in reversed(calls)]
    words = [{"type": "text", "text": "first"}]
    messages = [("user", "go"), ("assistant", calls), ("user", words + results)]
    text = json.dumps([{"role": role, "content": content} for role, content in messages]).encode()
    assert len(text) > 2 * HEAD_SIZE
    assert detect_format(Head(Source.of_bytes(text))).name == "anthropic-messages"


def test_a_place_in_a_tail_is_measured_once_for_all_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b'{"pad":"%s","list":[%s]}' % (b"x" * 2 * HEAD_SIZE, b",".join([b'{"a":[{"b":1}]}'] * 2000))
    spans_at, measured = json_document._message_spans_at, list[int]()

    def measure(text: bytes, start: int, most: int | None) -> list[tuple[int, int]]:
        measured.append(start)
        return spans_at(text, start, most)

    monkeypatch.setattr(json_document, "_message_spans_at", measure)
    assert detect_format(Head(Source.of_bytes(text))) is UNKNOWN_FORMAT
    assert measured
    assert len(measured) == len(set(measured))


def test_a_first_message_longer_than_the_head_is_not_taken_for_plain_words(tmp_path: Path) -> None:
    calls = [{"type": "tool_use", "id": f"toolu_{n}", "name": "Read", "input": {"p": "x" * 60}} for n in range(3000)]
    path = tmp_path / "body.json"
    path.write_text(json.dumps([{"role": "user", "content": "go"}, {"role": "assistant", "content": calls}]))
    assert path.stat().st_size > 256 * 1024
    assert product.check(path).session["verdict"] != "healthy"


@pytest.mark.parametrize("odd", [5, [{}], {}], ids=json.dumps)
@pytest.mark.parametrize("key", ["type", "role", "id", "uuid", "content", "message", "payload", "parts", "data"])
def test_no_format_falls_over_a_value_of_another_type(key: str, odd: object) -> None:
    sound = {"type": "message", "role": "user", "content": "hi", "message": {"role": "user"}, "payload": {"type": "x"}}
    for messages in ([sound, sound | {key: odd}], [sound | {"content": [{key: odd}], "message": {key: odd}}] * 2):
        lines = "\n".join(map(json.dumps, messages))
        document = {"messages": messages, "contents": messages}
        for log in (lines, *map(json.dumps, (messages, [0, *messages], document))):
            with Source.of_bytes(log.encode(), "log.json") as source:
                assert all(0 <= format.score(Head(source)) <= 1 for format in FORMATS.values())


_TOOL_USE = '{"type":"tool_use","id":"a","name":"Read","input":{"p":1]}'
_DAMAGED = f'[{{"role":"user","content":"go"}},{{"role":"assistant","content":[{_TOOL_USE}]}}'
_DAMAGED += ',{"role":"assistant","content":"done"}]'


@pytest.mark.parametrize(
    ("log", "name"),
    [
        (_DAMAGED, "unknown"),
        (f'{{"model":"claude-x","max_tokens":9,"messages":{_DAMAGED}}}', "anthropic-messages"),
        (f'{{"session":"s","messages":{_DAMAGED}}}'.replace("tool_use", "text"), "unknown"),
        (f'{{"model":"gpt-x","messages":{_DAMAGED}}}'.replace("tool_use", "text"), "openai-chat"),
    ],
)
def test_a_damaged_message_is_not_taken_for_plain_words(log: str, name: str) -> None:
    """What stands around the messages, and what is spelled in the damaged one, is looked at all the same."""
    assert detected(log.encode(), "log.json") == name


def test_a_record_that_names_no_parent_is_still_of_its_session() -> None:
    line = '{"type":"user","message":{"role":"user","content":"hi"},"uuid":"u","sessionId":"s"}'
    assert detected(line.encode(), "log.jsonl") == "claude-stream"
    assert detected(line.replace('"uuid"', '"isSidechain":true,"uuid"').encode(), "log.jsonl") == "claude-code"


def test_the_time_of_the_first_line_does_not_decide_alone() -> None:
    first = '{"tim":"2026-03-04T09:00:00.000Z","type":"session_meta","payload":{"id":"s"}}\n'
    rest = '{"timestamp":"2026-03-04T09:00:01.000Z","type":"turn_context","payload":{"model":"gpt-x"}}\n'
    assert detected((first + rest).encode(), "log.jsonl") == "codex"


def test_an_empty_history_is_told_by_its_name() -> None:
    assert detected(b"[]", "api_conversation_history.json") == "cline-task"
    assert detected(b"[]", "messages.json") == "unknown"
    assert detected(b'{"messages": []}', "messages.json") == "openai-chat"


class Certain:
    """A format that is so certain of every log."""

    def __init__(self, certainty: float) -> None:
        self.certainty = certainty

    def score(self, _: Head) -> float:
        return self.certainty


class Table(dict[str, Certain]):
    """Formats of which nothing is known before they are asked."""

    def likely_names(self, head: Head) -> list[str]:
        return []


@pytest.mark.parametrize(
    ("certainties", "taken"),
    [((0.4, 0.0), 0.4), ((0.39, 0.0), None), ((0.39, 0.38), None), ((0.5, 0.5), None), ((0.6, 0.5), 0.6)],
)
def test_a_guess_is_taken_that_is_certain_enough_and_the_only_one(
    certainties: tuple[float, ...], taken: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table({str(number): Certain(certainty) for number, certainty in enumerate(certainties)})
    monkeypatch.setattr(formats, "FORMATS", table)
    with Source.of_bytes(b'{"a":1}\n', "log.jsonl") as source:
        found = detect_format(Head(source))
    assert getattr(found, "certainty", None) == taken
    assert taken is not None or found is UNKNOWN_FORMAT
