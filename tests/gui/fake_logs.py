"""Logs in the format of the fake engine, written for tests."""

import json
from pathlib import Path
from typing import Any


def line(role: str, *blocks: dict[str, Any], time: str = "2026-11-21T10:00:00.000Z") -> str:
    return json.dumps({"role": role, "blocks": list(blocks), "time": time}, ensure_ascii=False)


def text(words: str) -> dict[str, Any]:
    return {"kind": "text", "text": words}


def call(name: str, call_id: str, words: str = "") -> dict[str, Any]:
    return {"kind": "call", "name": name, "id": call_id, "text": words}


def result(call_id: str, words: str) -> dict[str, Any]:
    return {"kind": "result", "id": call_id, "text": words}


def write_small(path: Path, sessions: int = 1) -> Path:
    """A session with a call without a result, an orphan result, a pair, and a call that is waiting for its result."""
    lines = []
    for number in range(sessions):
        if sessions > 1:
            lines.append(json.dumps({"session": f"Session {number + 1}"}))
        lines += [
            line("user", text("Please fix the failing test in the parser. 请修复解析器中失败的测试。")),
            line("assistant", {"kind": "thinking", "text": "I should look first."}, text("Let me look at it."),
                  call("Bash", f"ok{number}", '{\n  "command": "pytest -x tests/test_parser.py"\n}')),
            line("user", result(f"ok{number}", "1 failed, 12 passed in 0.42s\n" + "E  assert 3 == 4\n" * 30)),
            line("assistant", call("Edit", f"wait{number}", '{"file": "parser.py"}')),
            line("user", text("And then run everything " + "again and " * 60)),
        ]  # fmt: skip
        if number == 0:
            lines += [
                line("assistant", text("Running."), call("Bash", "lost1", '{"command": "make test"}'),
                      call("Read", "lost2", '{"file": "日志.txt"}')),
                line("user", result("ghost", "the output of a call that nobody made")),
                line("user", text("Why did it stop?")),
            ]  # fmt: skip
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_healthy(path: Path) -> Path:
    """A session in which every call has its result."""
    lines = [line("user", text("Hello")), line("assistant", call("Bash", "a")), line("user", result("a", "done"))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_big(path: Path, turns: int, broken: bool = True) -> Path:
    """A log of `turns` turns, about five nodes each and a finding in every turn if broken."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(turns):
            file.write(line("user", text(f"Question {number}")) + "\n")
            file.write(line("assistant", text(f"Answer {number}"), call("Bash", f"c{number}", "ls")) + "\n")
            if not broken:
                file.write(line("user", result(f"c{number}", "out")) + "\n")
    return path
