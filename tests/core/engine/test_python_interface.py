"""The Python interface: what its page says, what it costs to import, and messages in memory."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import inspector
from tests.core.formats import langchain
from tests.support.notation import anthropic_messages, openai_messages, parse
from tests.support.paths import ROOT

_EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
PAGE = ROOT / "resources" / "docs" / "python.md"
EXAMPLES = _EXAMPLE.findall(PAGE.read_text("utf-8"))


@pytest.mark.parametrize(("code", "printed"), EXAMPLES, ids=["messages", "tests", "many logs", "logs"])
def test_the_page_says_what_its_examples_print(
    code: str, printed: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "resources").symlink_to(root / "resources")
    monkeypatch.chdir(tmp_path)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, str(PAGE), "exec"), {})
    assert out.getvalue() == printed


def test_every_public_name_is_there() -> None:
    assert [name for name in inspector.__all__ if not hasattr(inspector, name)] == []
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = inspector.nothing


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import inspector", {"inspector.core", "msgspec", "orjson", "click"}),
        ("import inspector; inspector.repair_messages([{'role': 'user', 'content': 'u'}])", {"inspector.core.rules"}),
        (
            "import inspector; inspector.open('resources/samples/claude-code-healthy.jsonl').check()",
            {"inspector.core.repair.plan", "inspector.core.save.save", "inspector.core.trim", "inspector.core.convert"},
        ),
        (
            "from inspector.core.discovery.opening import is_log_of_many_files; is_log_of_many_files('resources')",
            {"sqlite3", "hashlib", "inspector.core.formats.goose.assembly"},
        ),
    ],
    ids=["import", "sound messages", "check", "folder"],
)
def test_nothing_is_imported_before_it_is_used(code: str, absent: set[str], root: Path) -> None:
    probe = f"{code}; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], cwd=root, capture_output=True, text=True, check=True)
    assert not absent & set(done.stdout.split())


def test_a_log_in_memory_is_repaired_in_memory(root: Path) -> None:
    data = (root / "resources" / "samples" / "claude-code-broken.jsonl").read_bytes()
    with inspector.open(data) as log:
        assert log.check().verdict.word == "broken"
        mended = log.text_of(log.plan())
    with inspector.open(mended) as again:
        assert again.check().verdict.word == "healthy"


def test_a_log_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(inspector.UnreadableLog, match="No such file"):
        inspector.open("nowhere.jsonl")


def test_what_is_not_touched_comes_back_as_the_same_object() -> None:
    messages = anthropic_messages(parse('u | a{A} | u"next" | a"ok" | u'))
    before = [dict(message) for message in messages]
    repaired = inspector.repair_messages(messages)
    assert messages == before
    assert [at for at, one in enumerate(repaired.messages) if not any(one is each for each in messages)] == [2]
    assert [block["type"] for block in repaired.messages[2]["content"]] == ["tool_result"]
    assert repaired.changed


def test_every_message_has_the_index_that_it_had() -> None:
    messages = anthropic_messages(parse('u | a{A} | u"next" | a"ok" | u'))
    repaired = inspector.repair_messages(messages)
    assert repaired.records == (0, 1, None, 2, 3, 4)
    assert list(inspector.repair_messages(repaired.messages).records) == [0, 1, 2, 3, 4, 5]
    assert list(inspector.repair_messages([]).records) == []


class Message:
    """Stands in for a message of a framework."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return self.fields


def test_messages_of_a_framework_are_repaired_for_any_provider() -> None:
    messages = [Message(**fields) for fields in langchain.fields(parse('u"hi" | a{A} | r(A=x) | a{A} | u"next"'))]
    for profile, new_id in (("openai-chat", "A"), ("anthropic", "A-2")):
        repaired = inspector.repair_messages(messages, profile=profile, format="langchain")
        *first, call, result, last = repaired.messages
        assert [*first, last] == [*messages[:3], messages[-1]]
        assert result["tool_call_id"] == new_id
        assert "No result was recorded" in result["content"]
        assert (call is messages[3]) == (new_id == "A")
    assert (call["id"], call["tool_calls"][0]["id"]) == ("m3", "A-2")


def test_messages_of_another_format_are_refused_in_a_sentence() -> None:
    messages = [Message(**fields) for fields in langchain.fields(parse('u"hi" | a{A} | u"next"'))]
    with pytest.raises(inspector.UnreadableLog, match="are not in the openai-chat format"):
        inspector.repair_messages(messages, profile="openai-chat")
    with pytest.raises(inspector.UnknownName, match="no nobody format"):
        inspector.repair_messages(messages, format="nobody")


def test_a_sound_history_comes_back_in_a_list_of_its_own() -> None:
    messages = openai_messages(parse("u | a{A} | r(A=x) | a | u"))
    repaired = inspector.repair_messages(messages, profile="openai-chat")
    assert repaired.messages == messages
    assert repaired.messages is not messages
    assert (repaired.changed, repaired.edits, repaired.losses) == (False, (), ())


def test_what_is_lost_is_told() -> None:
    messages = anthropic_messages(parse('u | a{A} | r(A=x),r(A=y) | a"ok" | u'))
    repaired = inspector.repair_messages(messages, preset="canonical")
    assert repaired.changed
    kept = str(repaired.messages)
    assert all(text in kept or any(text in loss.text for loss in repaired.losses) for text in ("x", "y"))


DEEP: list[Any] = []
for _ in range(2000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "messages",
    [
        None, 5, "text", {"messages": []}, [None], [5], ["text"], [[]], [{}], [{"role": []}], [{"role": "user"}],
        [{"role": "user", "content": {1, 2}}], [{"role": "user", "content": float("nan")}],
        [{"role": "user", "content": [{"type": []}]}], [{"role": "user", "content": DEEP}],
        [{"role": "assistant", "content": None, "tool_calls": [{"id": [], "type": "function", "function": None}]}],
        [{"role": "model", "parts": [{"functionCall": []}]}], [{"role": {}, "parts": [{}]}],
        [{"type": "function_call", "call_id": {}, "arguments": "{"}], [{"role": "user", "content": "\ud800"}],
        [{"role": "user", "content": 10**400}], [{"role": "user", "content": "u", 5: 6}],
        [{"role": "user", "content": b"u"}],
    ],
)  # fmt: skip
def test_whatever_is_given_is_mended_or_refused_in_a_sentence(messages: Any) -> None:
    for profile in ("anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-converse", "mistral"):
        with contextlib.suppress(inspector.UnreadableLog, inspector.NotVerified):
            inspector.repair_messages(messages, profile=profile)


def test_half_a_surrogate_pair_is_mended() -> None:
    repaired = inspector.repair_messages([{"role": "user", "content": "a\ud83d"}])
    assert repaired.messages == [{"role": "user", "content": "a\ufffd"}]


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(inspector.UnknownName, match="for the nobody profile"):
        inspector.repair_messages([], profile="nobody")
