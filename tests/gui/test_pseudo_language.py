"""Text of the window that is not translated stands out in the pseudo-language."""

import json
import os
import subprocess
import sys
from pathlib import Path

from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.translation import LANGUAGE_VARIABLE, PSEUDO_LANGUAGE
from tests.support.paths import ROOT, SAMPLES
from tests.system.test_pseudo_language import untranslated

LOG = SAMPLES / "claude-code-broken.jsonl"
# What is not translated, and why.
NOT_TRANSLATED = {
    r"(user|assistant|system): .*": "the summary of a message: its role, and a text of the log",
    r".*npm test -- timer": "a call of the log",
    r".*`tool_(use|result)` blocks.*": "the words of a provider",
    r"An assistant message with .*|No tool output found .*|Please ensure .*|Expected toolResult .*|Not the same .*":
        "the words of a provider",
    r"Claude Code session .*": "the name of a format",
    r"Hermes \(read only\)": "the name of a wording",
}  # fmt: skip


def test_texts_of_the_window_are_translated(tmp_path: Path) -> None:
    environment = {
        **os.environ, LANGUAGE_VARIABLE: PSEUDO_LANGUAGE, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"
    }  # fmt: skip
    command = [sys.executable, "-m", "tests.gui.texts_of_window", str(LOG), str(tmp_path)]
    shown = json.loads(subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True).stdout)
    assert len(shown) > 400
    known = "\n".join([LOG.read_text(errors="replace"), *(each.text for each in PLACEHOLDER_WORDINGS.values())])
    assert [line for line in untranslated("\n".join(shown), NOT_TRANSLATED) if line not in known] == []
