"""Every loss is listed: what each strategy gives up, by kind and with the reason."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.core.repair.logs import written
from tests.support import product

OPEN = 'u | a"say"{A,B} | r(A=alpha) | u"next" | a"ok"'
ORPHAN = "u | a | r(X=xi) | a"
TWICE = "u | a{A} | r(A=alpha) | r(A=beta) | a"
THOUGHT = 'u | a[th]"say"{A} | u"next" | a"ok"'

LOSSES = [
    ("R1=drop", ORPHAN, "result 'xi': dropped"),
    ("R7=keep-first", TWICE, "result 'beta': dropped"),
    ("R7=keep-last", TWICE, "result 'alpha': a later result was kept"),
    ("D3=drop-call", OPEN, "call 'Read {}': dropped"),
    (
        "D3=drop-exchange",
        OPEN,
        "result 'alpha': the whole exchange was dropped; call 'Read {}': the whole exchange was dropped; "
        "call 'Read {}': the whole exchange was dropped",
    ),
    (
        "D2=drop-call",
        THOUGHT,
        "call 'Read {}': dropped; reasoning 'th': the reasoning depends on a message that was changed",
    ),
    (
        "D3=cut-tail",
        OPEN,
        "text 'say': the end of the history was cut off; call 'Read {}': the end of the history was cut off; "
        "call 'Read {}': the end of the history was cut off; "
        "result 'alpha': the end of the history was cut off; text 'next': the end of the history was "
        "cut off; text 'ok': the end of the history was cut off",
    ),
]


def losses(folder: Path, history: str, *options: str) -> str:
    answer = product.repair(written(folder, "anthropic", history), None, "--dry-run", *options)
    return "; ".join(f"{loss['kind']} {loss['text']!r}: {loss['reason']}" for loss in answer.losses)


@pytest.mark.parametrize(("strategy", "history", "told"), LOSSES)
def test_what_a_strategy_gives_up_is_told(strategy: str, history: str, told: str, tmp_path: Path) -> None:
    assert losses(tmp_path, history, "--strategy", strategy) == told


def test_a_message_that_goes_takes_its_calls_along(tmp_path: Path) -> None:
    assert losses(tmp_path, 'u | a"say"{A} | u"next" | a"ok"', "--preset", "neovate") == (
        "call 'Read {}': its message was dropped; text 'say': its message was dropped"
    )


@pytest.mark.parametrize("history", [OPEN, ORPHAN])
def test_the_default_gives_up_nothing(history: str, tmp_path: Path) -> None:
    assert losses(tmp_path, history) == ""


TEXT, LINK = {"type": "text", "text": "xi"}, "https://example.org/a.png"
CHAT = {"type": "image_url", "image_url": {"url": LINK}}
OUTPUT = [{"type": "input_text", "text": "xi"}, {"type": "input_image", "image_url": LINK}]
HUMAN, ORPHAN_OF_LANGCHAIN = {"content": "u"}, {"content": [TEXT, CHAT], "tool_call_id": "X"}


@pytest.mark.parametrize(
    "history",
    [
        pytest.param(
            [{"role": "user", "content": "u"}, {"role": "tool", "tool_call_id": "X", "content": [TEXT, CHAT]}],
            id="a message",
        ),
        pytest.param(
            [{"role": "user", "content": "u"}, {"type": "function_call_output", "call_id": "X", "output": OUTPUT}],
            id="an item",
        ),
        pytest.param(
            [{"type": "human", "data": HUMAN}, {"type": "tool", "data": ORPHAN_OF_LANGCHAIN}],
            id="wrapped",
        ),
    ],
)
def test_a_note_tells_what_media_it_does_not_hold(history: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(history))
    answer = product.repair(path, None, "--dry-run", "--strategy", "R1=keep-as-note")
    assert [(loss["kind"], loss["text"]) for loss in answer.losses] == [("media", LINK)]


def test_a_note_holds_the_images_of_a_document(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "url", "url": LINK}}
    document = {"type": "document", "source": {"type": "content", "content": [TEXT, image]}}
    orphan = {"type": "tool_result", "tool_use_id": "X", "content": [document]}
    path, out = tmp_path / "log.json", tmp_path / "out.json"
    path.write_text(json.dumps([{"role": "user", "content": "u"}, {"role": "user", "content": [orphan]}]))
    assert product.repair(path, out, strategies="R1=keep-as-note").losses == []
    note, kept = json.loads(out.read_bytes())[1]["content"]
    assert (note["type"], kept) == ("text", image)


CALL = {"type": "function", "id": "A", "function": {"name": "Bash", "arguments": '{"command": "npm test"}'}}
ASKED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
USER = {"role": "user", "content": "go on"}
STRAY = {"role": "tool", "tool_call_id": "X", "content": "all 12 tests pass"}
CUT_EMOJI = '{"role": "user", "content": "cut here \\ud83d"}'
TORN = '{"role": "user", "content": "Then fix the \\"timer\\", ple\udce8'  # in the middle of a character


@pytest.mark.parametrize(
    ("lines", "strategy", "told"),
    [
        ([USER, STRAY], "R1=drop", "line 2: a result of 17 characters, “all 12 tests pass” (dropped)"),
        ([USER, ASKED, USER], "D2=drop-call", "line 2: a call of 32 characters, “Bash npm test” (dropped)"),
        ([USER, TORN], "F1=quarantine", "line 2: a damaged part of 60 characters, “Then fix the timer , ple” "
            "(not valid JSON, so it is kept in a separate file)"),
        ([USER, CUT_EMOJI], "F7=quarantine", "line 2: a damaged part of 46 characters, “cut here” (unreadable, "),
    ],
)  # fmt: skip
def test_losses_are_sentences(lines: list[Any], strategy: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    text = "\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines)
    path.write_bytes(text.encode(errors="surrogateescape"))
    said = product.run("repair", str(path), "--dry-run", "--log-format", "openai-chat", "--strategy", strategy)
    assert f"    {told}" in said.output


def test_a_note_in_a_message_of_its_own_holds_no_image(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "url", "url": LINK}}
    call = {"type": "tool_use", "id": "B", "name": "Read", "input": {}}
    orphan = {
        "type": "tool_result",
        "tool_use_id": "X",
        "content": [TEXT, {"type": "text", "text": "two words"}, image],
    }
    done = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "B", "content": "fine"}]}
    path, out = tmp_path / "log.json", tmp_path / "out.json"
    path.write_text(
        json.dumps([{"role": "user", "content": "u"}, {"role": "assistant", "content": [call, orphan]}, done])
    )
    answer = product.repair(path, out)
    assert [(loss["kind"], loss["text"]) for loss in answer.losses] == [("media", LINK)]
    assert "\nxi\ntwo words\n" in json.loads(out.read_bytes())[3]["content"]


DATA = "iVBORw0KGgoAAAANSUhEUg=="
# By format: the key of the parts and the assistant's role; a call, an orphan with an image, and the result of the call.
APART = {
    "bedrock-converse": (
        ("content", "assistant"),
        {"toolUse": {"toolUseId": "B", "name": "Read", "input": {}}},
        {
            "toolResult": {
                "toolUseId": "X",
                "content": [{"text": "seen"}, {"image": {"format": "png", "source": {"bytes": DATA}}}],
            }
        },
        {"toolResult": {"toolUseId": "B", "content": [{"text": "fine"}]}},
    ),
    "gemini-contents": (
        ("parts", "model"),
        {"functionCall": {"id": "B", "name": "Read", "args": {}}},
        {
            "functionResponse": {
                "id": "X",
                "name": "Look",
                "response": {"output": "seen"},
                "parts": [{"inlineData": {"mimeType": "image/png", "data": DATA}}],
            }
        },
        {"functionResponse": {"id": "B", "name": "Read", "response": {"output": "fine"}}},
    ),
}


@pytest.mark.parametrize("name", APART)
def test_an_image_without_a_type_is_reported_if_a_note_in_a_message_of_its_own_leaves_it_out(
    name: str, tmp_path: Path
) -> None:
    (key, role), call, orphan, result = APART[name]
    spoken = (("user", [{"text": "u"}]), (role, [call, orphan]), ("user", [result]))
    path, out = tmp_path / "log.json", tmp_path / "out.json"
    path.write_text(json.dumps([{"role": speaker, key: parts} for speaker, parts in spoken]))
    answer = product.repair(path, out)
    assert [(loss["kind"], loss["text"]) for loss in answer.losses] == [("media", "image/png, 18 bytes")]
    assert DATA not in out.read_text()
    assert "seen" in out.read_text()


def test_the_data_of_a_file_are_reported_by_their_size(tmp_path: Path) -> None:
    file = {"type": "file", "file": {"filename": "a.pdf", "file_data": b64encode(bytes(range(256)) * 3).decode()}}
    history = [{"role": "user", "content": "u"}, {"role": "tool", "tool_call_id": "X", "content": [TEXT, file]}]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(history))
    losses = product.repair(path, None, "--dry-run", strategies="R1=keep-as-note").losses
    assert [loss["text"] for loss in losses] == ["application/pdf, 768 bytes", "a.pdf"]
