"""Converting to a page: what a person reads, and nothing that a viewer would carry out."""

import json
import re
from pathlib import Path

import pytest

from tests.core.formats import FORMATS
from tests.core.repair.logs import written
from tests.support import product
from tests.support.notation import parse

NAMES = [name for name in FORMATS if name != "cline-ui"]


def page(path: Path, *options: str) -> str:
    out = path.parent / "page.md"
    answer = product.convert(path, "markdown", out, *options)
    assert answer.code == 0, answer.report["reason"]
    return out.read_text("utf-8")


def said(folder: Path, text: str) -> str:
    path = folder / "log.json"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": text}]}))
    return page(path)


def test_a_history_as_a_page(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", 'u"你好" | a"I look."{A@Bash p=1} | r!(A="two\\nlines") | a"Done."')
    assert page(path) == (
        "# Transcript\n\n- Title: `你好`\n- Format: `Anthropic Messages JSON`\n- Session: `0`\n\n"
        "## 1. User\n\n你好\n\n"
        "## 2. Assistant\n\nI look.\n\n### Call of `Bash` `A`\n\n"
        '```json\n{\n  "p": 1\n}\n```\n\n'
        "## 3. User\n\n### Result of `Bash` `A`, error\n\n```text\ntwo\nlines\n```\n\n"
        "## 4. Assistant\n\nDone.\n\n"
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_text_call_and_result_is_on_the_page(name: str, tmp_path: Path) -> None:
    path = FORMATS[name].write(parse('u"one" | a"t"{A p=input} | r(A=alpha) | a"ok"'), tmp_path)
    words = re.findall(r"one|input|alpha|\bok\b|`Read`", page(path).split("## 1.")[1])
    assert [word for word in words if word in ("one", "input", "alpha", "ok")] == ["one", "input", "alpha", "ok"]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "![x](http://example.org/x.png)",
        "[x]: http://example.org",
        "see http://example.org",
        "# a heading",
        "1. a list",
        "a\n---\nb",
        "    code",
        "a &lt; b",
        "```\nfence\n```",
        "a\n\n- b",
        "~~~\nopen",
    ],
)
def test_what_could_be_more_than_words_is_fenced(text: str, tmp_path: Path) -> None:
    body = said(tmp_path, text).split("## 1. User\n\n")[1]
    fence = re.match(r"(`{3,})text\n", body)
    assert fence is not None
    assert body == f"{fence[1]}text\n{text}\n{fence[1]}\n\n"
    assert max(map(len, re.findall("`+", text)), default=0) < len(fence[1])


@pytest.mark.parametrize(
    "text", ["plain words", "中文，标点。", "a line\nand another", "two\n\nparagraphs", "it's (so) 50%"]
)
def test_words_alone_are_a_paragraph(text: str, tmp_path: Path) -> None:
    assert said(tmp_path, text).split("## 1. User\n\n")[1] == f"{text}\n\n"


def test_no_name_breaks_out_of_its_heading(tmp_path: Path) -> None:
    call = {"id": "A", "type": "function", "function": {"name": "x`\n# y", "arguments": "{}"}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps([{"role": "user", "content": "u"}, {"role": "assistant", "tool_calls": [call]}]))
    assert "### Call of `` x` # y `` `A`\n" in page(path)


def test_placeholders_and_what_is_missing_are_marked(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", 'u | a{A,B} | r(A=x) | u"q" | a"ok"')
    assert page(path).count("No result was recorded for this call.") == 1
    repaired = page(path, "--repaired")
    assert "No result was recorded for this call.\n" not in repaired
    assert "### Result of `Read` `B`, placeholder: no result was recorded" in repaired
