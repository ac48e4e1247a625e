"""A history whose very first message holds a call: mistral-common, the judge, does not see that it is answered (M4)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.api_logs import log
from tests.support import product
from tests.support.judges import mistral_refusal

A = "aaaaaaaa1"
CALL = {"id": A, "type": "function", "function": {"name": "read", "arguments": "{}"}}
ASKED: dict[str, Any] = {"role": "assistant", "content": "", "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": A, "content": "alpha"}
SAID, NEXT = {"role": "assistant", "content": "ok"}, {"role": "user", "content": "next"}
SYSTEM = {"role": "system", "content": "be brief"}


def after_repair(path: Path) -> list[dict[str, Any]]:
    out, again = path.with_name("out.json"), path.with_name("again.json")
    assert product.repair(path, out, profile="mistral").code == 0
    assert product.repair(out, again, profile="mistral").code == 0
    assert again.read_bytes() == out.read_bytes()
    messages: list[dict[str, Any]] = json.loads(out.read_bytes())
    return messages


def test_a_user_s_message_is_put_before_it(tmp_path: Path) -> None:
    messages = [ASKED, RESULT, SAID, NEXT]
    path = log(tmp_path, messages)
    assert product.check(path).errors == set()
    assert product.check(path, profile="mistral").errors == {"M4"}
    assert "in tool results" in (mistral_refusal(messages) or "")
    after = after_repair(path)
    assert after[1:] == messages
    assert (after[0]["role"], mistral_refusal(after)) == ("user", None)


@pytest.mark.parametrize(
    "messages", [[SAID, NEXT], [SYSTEM, ASKED, RESULT, SAID, NEXT], [SAID, ASKED, RESULT, SAID, NEXT]]
)
def test_what_mistral_takes_is_left(messages: list[dict[str, Any]], tmp_path: Path) -> None:
    assert mistral_refusal(messages) is None
    path = log(tmp_path, messages)
    assert product.check(path, profile="mistral").errors == set()
    assert after_repair(path) == messages
