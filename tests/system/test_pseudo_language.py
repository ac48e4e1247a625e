"""Text that is not translated stands out in the pseudo-language, and what is written for programs stays as it is."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from typing import NamedTuple

import pytest

from inspector.core.translation import ENGLISH, LANGUAGE_VARIABLE, PSEUDO_LANGUAGE
from tests.support.paths import ROOT
from tests.system.outputs_of_samples import TABLES, TEXT_SAMPLES, TEXTS

pytestmark = pytest.mark.thorough
_TRANSLATED = re.compile(r"⟦[^⟦⟧]*⟧")
_TAG = re.compile(r"<[^<>]*>")
_WORDS = re.compile(r"[A-Za-z]{2,} [a-z]{2,}")
# What is not translated, and why.
NOT_TRANSLATED = {
    r"^(cd|claude|codex|kimi|transcript-inspector) .*": "a command",
    r"transcript-inspector fix \S+": "a command",
    r"^   \|  .*": "a line of a log",
    r"^ +§+: \w+ \(§\)§?: .*": "a call of a log",
    r"^§.*\(messages\..*": "the words of a provider",
    r"^  (anthropic|openai|openai-chat|responses-in-order) ": "the name of a profile",
    r"^§ +(Claude Code session|cli\.js of .*)": "the name of a format, and a source",
}


class Outputs(NamedTuple):
    """What the commands printed, and the files that they wrote."""

    printed: dict[str, str]
    written: dict[str, bytes]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outputs]:
    """Return the outputs of all commands by language. The languages run at the same time, in folders of one name."""
    folders = {language: tmp_path_factory.mktemp(language) / "logs" for language in (ENGLISH, PSEUDO_LANGUAGE)}
    running = {}
    for language, folder in folders.items():
        environment = {**os.environ, LANGUAGE_VARIABLE: language, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "tests.system.outputs_of_samples", str(folder)]
        running[language] = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE)
    made = {}
    for language, process in running.items():
        printed = process.communicate()[0].decode().replace(str(folders[language]), "FOLDER")
        files = sorted(path for path in folders[language].rglob("*") if path.is_file())
        made[language] = Outputs(
            json.loads(printed), {str(path.relative_to(folders[language])): path.read_bytes() for path in files}
        )
    return made


def test_files_are_the_same_in_every_language(outputs: dict[str, Outputs]) -> None:
    written = outputs[ENGLISH].written
    assert {"claude-code-broken.jsonl.repaired", "kimi-code-broken.jsonl.zip"} < set(written)
    assert written == outputs[PSEUDO_LANGUAGE].written


def test_json_is_the_same_in_every_language(outputs: dict[str, Outputs]) -> None:
    for command, text in outputs[ENGLISH].printed.items():
        if "json" in command.split() or command.startswith("sent"):
            assert json.loads(text or "{}") == json.loads(outputs[PSEUDO_LANGUAGE].printed[command] or "{}"), command


def untranslated(text: str, exceptions: Iterable[str] = NOT_TRANSLATED) -> list[str]:
    """Return the lines with words that are not translated, without what matches an exception."""
    text = _TAG.sub("", text)
    while _TRANSLATED.search(text):
        text = _TRANSLATED.sub("§", text)
    lines = [re.sub("|".join(exceptions), "", line) for line in text.splitlines()]
    return [line for line in dict.fromkeys(lines) if _WORDS.search(line)]


def test_texts_are_translated(outputs: dict[str, Outputs]) -> None:
    texts = outputs[PSEUDO_LANGUAGE].printed
    commands = (*TABLES, *(command.replace("{}", name) for command in TEXTS for name in TEXT_SAMPLES))
    assert untranslated("\n".join(texts[command] for command in commands)) == []
