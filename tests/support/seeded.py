"""What the product says and writes of logs, told as digests: run in a process of its own, for its hash seed to count.

`python -m tests.support.seeded FOLDER` prints the digests of the folder's logs as JSON, by log and by what was asked.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from inspector.cli.app import main


def told(log: Path) -> dict[str, str]:
    """Digests of the report in words and as JSON, of the plan, and of every file that the repair leaves."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / log.name
        asked = {
            "in words": ["check", str(log)],
            "as JSON": ["check", str(log), "--format", "json"],
            "the plan": ["repair", str(log), "-o", str(out), "--format", "json"],
        }
        said = {name: CliRunner().invoke(main, words).stdout.replace(folder, "") for name, words in asked.items()}
        digests = {name: _digest(text.encode("utf-8", "surrogateescape")) for name, text in said.items()}
        return digests | {name: _digest(data) for name, data in _files(Path(folder))}


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        # The pages of a database have no order; what is in it, the second reading of the repair has judged.
        if path.is_file() and not path.read_bytes().startswith(b"SQLite format 3"):
            yield str(path.relative_to(folder)), path.read_bytes()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    print(json.dumps({log.name: told(log) for log in sorted(Path(sys.argv[1]).iterdir())}))
