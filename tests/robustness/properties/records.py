"""The records of a log as the bytes that they are, found without any knowledge of its format."""

import re

Contents = dict[str, bytes | list[str]]

_INDEX = re.compile(r"sqlite_sequence|\AINSERT INTO \"\w+_fts")
_NUMBER = re.compile(r"^(INSERT INTO \S+ VALUES\()\d+,")
_TOKEN = re.compile(rb'"(?:\\.|[^"\\])*"|[{}\[\]]')


def records_of(contents: Contents) -> list[bytes]:
    """Files of a folder, rows of a database, lines, or the objects in the lists of a document.

    A row is given without its number: where rows are numbered, the number is the row's place. What SQLite keeps of
    them in an index for searching is no record.
    """
    if len(contents) > 1:
        return [file for file in contents.values() if isinstance(file, bytes)]
    (content,) = contents.values()
    if not isinstance(content, bytes):
        return [_NUMBER.sub(r"\1", row).encode() for row in content if not _INDEX.search(row)]
    lines = [line for line in content.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].startswith(b"{") and lines[0].endswith(b"}"):
        return lines
    return list_members(content)


def list_members(document: bytes) -> list[bytes]:
    """The objects that stand in a list of the document, the outermost ones only."""
    found: list[bytes] = []
    open_brackets = b""
    start = -1
    for match in _TOKEN.finditer(document):
        token = match[0]
        if token in b"{[":
            if start < 0 and token == b"{" and open_brackets[-1:] == b"[":
                start, depth = match.start(), len(open_brackets)
            open_brackets += token
        elif token in b"}]":
            open_brackets = open_brackets[:-1]
            if start >= 0 and len(open_brackets) == depth:
                found.append(document[start : match.end()])
                start = -1
    return found
