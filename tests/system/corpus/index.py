"""The corpus of real logs: where it lies, what its index counts, and how a test asks for it.

The logs are no part of this repository: TRANSCRIPT_CORPUS names their folder (INDEX.tsv and a folder a format).
"""

import csv
import os
from functools import cache
from pathlib import Path

import pytest

from tests.support.paths import SHARED

CORPUS = Path(os.environ.get("TRANSCRIPT_CORPUS", SHARED / "corpus"))

needs_corpus = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus: set TRANSCRIPT_CORPUS to a folder of real logs"),
]


@cache
def index() -> dict[str, dict[str, str]]:
    """The rows of the index by path; one row that says so where there is no corpus."""
    if not CORPUS.is_dir():
        return {"absent": {}}
    with (CORPUS / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
        return {row["path"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}
