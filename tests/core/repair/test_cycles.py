"""Repairs that bring back their own finding: the plan ends, and says what is still refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.api_logs import log
from tests.support import product

NAMELESS = {
    "contents": [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"functionCall": {"id": "A", "name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"type": "text", "text": None}}]},
        {"role": "model", "parts": [{"text": "on"}]},
    ]
}
WITHOUT_ITS_ID = {
    "model": "gpt-5",
    "input": [
        {"role": "user", "content": "go"},
        {"type": "custom_tool_call", "id": "ctc_1", "name": "note", "input": "x"},
        {"type": "custom_tool_call_output", "call_id": "A", "output": "noted"},
    ],
}


@pytest.mark.parametrize("value", [NAMELESS, WITHOUT_ITS_ID])
def test_what_comes_again_with_each_pass_is_told(value: Any, tmp_path: Path) -> None:
    """The preset invents a call that the result does not answer either, and answers that of the first."""
    path, out = log(tmp_path, value), tmp_path / "out.json"
    answer = product.repair(path, out, preset="gemini-cli")
    assert (answer.code, out.exists()) == (1, False)
    assert "would still reject the history" in answer.report["reason"]
    assert json.loads(path.read_bytes()) == value
