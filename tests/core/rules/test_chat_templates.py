"""What the chat templates of local servers refuse, and how it is repaired: a letter a message.

The letters are in `tests.interop.chat_templates.histories`, where the templates themselves judge the same profiles.
"""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from tests.interop.chat_templates.histories import errors, messages, repaired, shown
from tests.support import product

# Profile and history; the rules that refuse it, and the history after the repair.
CASES = """
qwen-3.5      SUACRA  -        SUACRA
qwen-3.5      SUASA   M13      SUAUA
qwen-3.5      DUA     M13      SUA
qwen-3.5      SCR     M14      SUCR
qwen-3.5      SQ      M14      SUU
qwen-3.5      UN      K14      UCR
qwen-3.5      UJ      K14      UCR
qwen-3.5      UT      M17      UCR
qwen-3-coder  SCR     -        SCR
qwen-3-coder  UN      K14      UCR
qwen-3        UN      -        UCR
gpt-oss       UAR     R1       UAU
gpt-oss       UCUR    -        UCUR
gpt-oss       UF      M16      UA
gpt-oss       UB      M16      UCR
gpt-oss       UP      M17      UU
minimax-m2    UAR     R1       UAU
minimax-m2    UCR     -        UCR
mistral-small UACRU   -        UACRU
mistral-small UCRU    M15      UCRAU
mistral-small UAA     M15      UAUA
mistral-small UL      K4       UCR
mistral-small SUSU    -        SUSU
mistral-nemo  SUSU    M13,M15  SUAUAU
ministral-3   SUSU    M13,M15  SUAUAU
ministral-3   UE      M7       U
ministral-3   ACRA    M15      UACRUA
"""


@pytest.mark.parametrize("case", CASES.strip().splitlines(), ids=lambda case: " ".join(case.split()[:2]))
def test_what_a_template_refuses_and_its_repair(case: str) -> None:
    profile, letters, rules, after = case.split()
    assert ",".join(errors(profile, messages(letters))).replace("K3,", "") == rules.strip("-")
    assert shown(repaired(profile, letters)) == after


def test_a_sound_history_is_not_changed() -> None:
    assert repaired("mistral-small", "SUCRA") == messages("SUCRA")


def test_a_template_is_asked_only_by_name(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text(json.dumps(messages("UCRUS")))
    assert product.check(log).rules == set()
    assert product.check(log, profile="qwen-3.5").errors == {"M13"}
    assert "qwen-3.5" not in product.check(log, "--accepted-by", "all").session["accepted_by"]


TEXTS = {
    "System message must be at the beginning.": "UAS",
    "No user query found in messages.": "SCR",
    "Can only get item pairs from a mapping.": "UN",
    "Conversation roles must alternate user/assistant/user/assistant/...": "UCRU",
    "Tool call IDs should be alphanumeric strings with length 9!": "UL",
    "Message has tool role, but there was no previous assistant message with a tool call!": "UAR",
    "jinja2.exceptions.TemplateError: Unexpected item type in content.": "UT",
}


@pytest.mark.parametrize("text", TEXTS)
def test_the_text_of_a_template_names_the_record(text: str, tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text(json.dumps(messages(TEXTS[text])))
    answer = CliRunner().invoke(main, ["explain", "--error", text, str(log), "--format", "json"])
    told = json.loads(answer.stdout)
    assert (answer.exit_code, told["error"]["kind"]) == (0, "template")
    assert [len(each["found"]) for each in told["logs"]] == [1]
