"""The verdicts on the logs of a list."""

from pathlib import Path

from inspector.core.engine.log_list import judge_logs
from tests.support.notation import claude_code_records, lines, parse


def test_what_a_resume_keeps_of_a_session(tmp_path: Path) -> None:
    """Claude Code follows parents from the newest record on: with a missing one, it loses what came before."""
    records = claude_code_records(parse('u"1" | a"2" | u"3" | a"4" | u"5" | a"6" | u"7" | a"8"'))
    whole, torn = tmp_path / "whole.jsonl", tmp_path / "torn.jsonl"
    whole.write_bytes(lines(records))
    records[6]["parentUuid"] = "00000000-0000-4000-8000-000000000000"
    torn.write_bytes(lines(records))
    verdicts = list(judge_logs([(str(whole), ""), (str(torn), "")]))
    assert [(each.verdict, each.sent, each.messages, each.drops) for each in verdicts] == [
        ("healthy", 0, 0, ""),
        ("broken", 2, 8, ""),
    ]
