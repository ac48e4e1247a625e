"""A broken log that is full of what may not be passed on: in every text, key and id, plain and escaped."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.support.notation import SESSION, claude_code_records, parse

_SECRETS: tuple[Callable[[int], str], ...] = (
    lambda n: f"AKIAIOSFODNN7EX{n:05d}",
    lambda n: f"ghp_{'aB3dE5' * 6}{n:04d}",
    lambda n: f"sk-ant-api03-{'Zx9Yw8' * 5}-{n:04d}",
    lambda n: f"xoxb-{n:012d}-abcdefABCDEF",
    lambda n: f"password=hunter{n:03d}secret",
    lambda n: f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ{n:04d}In0.c2lnbmF0dXJl{n:04d}",
    lambda n: f"https://deploy:pa55w0rd{n:03d}@git.acme{n:03d}.com/x",
    lambda n: f"AIza{'SyD3x' * 6}{n:05d}",
)
_IDENTITIES: tuple[Callable[[int], str], ...] = (
    lambda n: f"maria.{n:03d}@kunde{n:03d}.example.com",
    lambda n: f"/home/customer{n:03d}/work",
    lambda n: rf"C:\Users\nora{n:03d}\work",
    lambda n: f"10.{n}.20.30",
    lambda n: f"2001:db8:{n:x}::17",
    lambda n: f"+49 30 55501{n:03d}",
    lambda n: f"build{n:03d}.acme.internal",
)
EACH = 15
SECRETS = [make(number) for make in _SECRETS for number in range(1, EACH + 1)]
IDENTITIES = [make(number) for make in _IDENTITIES for number in range(1, EACH + 1)]
PLANTED = [*SECRETS, *IDENTITIES]
# Of each the part that gives it away, should the rest of it be cut off.
TELLING = [
    each.removeprefix("password=").removeprefix("/home/").removeprefix("https://deploy:").removeprefix("C:\\Users\\")
    .removesuffix("/work").removesuffix("\\work").partition("@")[0]
    for each in PLANTED
]  # fmt: skip


def escaped(text: str) -> str:
    """Every sign as JSON can spell it: what hides a text from who looks for it as it is."""
    return "".join(f"\\u{ord(sign):04x}" for sign in text)


def written(folder: Path) -> Path:
    """The log, under a telling name: each text twice, the second time as JSON in JSON with every sign escaped."""
    nested = "".join(f' {{"x": "{escaped(each)}"}}' for each in PLANTED)
    records = claude_code_records(parse('u"go" | a"ok"{A@Bash x=1,B@PLANTED x=1} | u"stop" | r(C=out) | a"done"'))
    for at, record in enumerate(records):
        record |= {"cwd": f"/home/customer001/{at}", "version": "2.1.112", "gitBranch": PLANTED[at]}
        for block in record["message"]["content"]:
            if isinstance(block, dict):
                few = " ".join(PLANTED[at::7])
                block.update({"tool_use": {"input": {"command": few, PLANTED[at]: nested}}}.get(block["type"], {}))
                block.update({"text": {"text": f"{few}{nested}"}}.get(block["type"], {}))
                block.update({"tool_result": {"content": f"{few}{nested}"}}.get(block["type"], {}))
    text = "".join(json.dumps(record) + "\n" for record in records)
    text = text.replace("PLANTED", f"mcp__kunde__{TELLING[0]}")
    path = folder / f"customer002-{SESSION}.jsonl"
    path.write_text(text + text[:200], "utf-8")
    return path
