"""The names of the members of a zip, also those in an old encoding.

A zip says of each name only whether it is in UTF-8. Windows writes other names in the encoding of its language, which
the archive does not say.
"""

import re
from collections.abc import Sequence
from zipfile import ZipInfo

_UTF8_FLAG = 0x800
_DECLARED = "cp437"  # what a zip without the flag should be in, and what zipfile decodes
# Chinese in code page 936 read as Shift-JIS is full of half-width katakana, which nobody uses in names of files.
_HALF_WIDTH_KATAKANA = re.compile("[\uff61-\uff9f]")
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]")


def decoded_names(infos: Sequence[ZipInfo]) -> list[str]:
    """Return the names of members. The names without a declared encoding are decoded alike, as all of them fit it."""
    raw = [b"" if each.flag_bits & _UTF8_FLAG else _raw_name(each.filename) for each in infos]
    encoding = _encoding_of(b"/".join(name for name in raw if not name.isascii()))
    if encoding == _DECLARED:
        return [each.filename for each in infos]
    return [each.filename if name.isascii() else name.decode(encoding) for each, name in zip(infos, raw, strict=True)]


def _raw_name(name: str) -> bytes:
    """Return the bytes of a name as the archive holds them, b"" for a name that zipfile has not decoded."""
    try:
        return name.encode(_DECLARED)
    except UnicodeEncodeError:
        return b""


def _encoding_of(names: bytes) -> str:
    """Return the encoding of names: the first that they fit, and in which they look like names."""
    if not names:
        return _DECLARED
    for encoding in ("utf-8", "cp932", "cp936"):
        try:
            text = names.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-8":
            return encoding
        if _EAST_ASIAN.search(text) and not (encoding == "cp932" and _HALF_WIDTH_KATAKANA.search(text)):
            return encoding
    return _DECLARED
