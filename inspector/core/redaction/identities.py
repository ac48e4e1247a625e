"""What tells who or where somebody is: IDENTITIES is the table, a row a kind, in the order of their taking out."""

import re

_AFTER_ESCAPE = r"(?:(?<=\\[nrtbf])|(?<![A-Za-z0-9]))"
"""Where a word may begin: behind what is no letter, or behind a line end or tab that is spelled as an escape."""
_BEGINS = r"(?:(?<=\\[nrtbf])|(?<![A-Za-z0-9])(?!(?<=\\)[nrtbf]))"
"""The same, where the escape is surely one."""

# Ends of host names that are seldom those of files. A name that ends in `.py` or `.md` is taken for a file.
_ENDS = (
    "com org net edu gov mil int io dev app ai cloud co me info biz tech online site xyz eu uk de fr nl be at ch it es"
    " pt se no fi dk cz hu ro gr ie us ca mx br ar cl au nz jp cn kr tw hk sg in ru ua tr il za local localdomain"
    " internal intranet intra corp lan home private test example invalid onion"
).replace(" ", "|")
_HOST = rf"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{{0,61}}[A-Za-z0-9])?\.){{1,30}}(?:{_ENDS})(?![\w-]|\.\w)"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_HEX = r"[0-9a-fA-F]{1,4}"

IDENTITIES: dict[str, re.Pattern[str]] = {
    "email": re.compile(rf"{_BEGINS}[\w.+%'-]{{0,99}}[A-Za-z0-9](?:@|&#64;)[\w-]+(?:\.[\w-]+)+"),
    "ip": re.compile(
        rf"(?<![\w.])(?:{_OCTET}\.){{3}}{_OCTET}(?![\w.]*\d)|"
        rf"(?<![\w:.])(?:{_HEX}:){{7}}{_HEX}(?![\w:])|"
        rf"(?<![\w:.])(?:{_HEX}(?::{_HEX}){{0,6}})?::(?:{_HEX}(?::{_HEX}){{0,6}})(?![\w:])|"
        r"(?<![\w:])(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}(?![\w:-])"
    ),
    "host": re.compile(
        r"(?<=://)(?P<it>[^\s/:?#\"'\\<>@\[\]]+)|"
        rf"{_AFTER_ESCAPE}(?P<host>{_HOST})|"
        r"(?<=@)(?P<far>[A-Za-z0-9][\w.-]+)(?=:)|"
        r"(?:ssh|scp|ping|hostname|host)[\"']?[ \t]{0,9}[:= ][ \t]{0,9}[\"']?(?P<named>[A-Za-z0-9-]*(?:\d|-)[\w.-]*)",
        re.IGNORECASE,
    ),
    "phone": re.compile(
        r"(?<![\w+.-])(?:\+|00)\d{1,3}[ .()/-]{0,2}\d(?:[ .()/-]{0,2}\d){6,12}(?!\w)|"
        r"(?<![\w.-])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\w-])|"
        r"(?<![\w.-])1[3-9]\d(?:[ -]?\d{4}){2}(?![\w-])|"
        r"(?<![\w.-])0\d{2,4}[ /-]\d{3,4}[ -]?\d{3,5}(?![\w-])"
    ),
}

# A folder below which a person is named, also with each separator escaped, and as a store spells it in one name. A run
# of separators is gone through once.
HOME_FOLDER = re.compile(
    r"(?P<home>(?:[A-Za-z]:|(?<![\\/]))[\\/]++(?:home|Users|Documents and Settings)[\\/]++)"
    r"(?P<user>[^\\/\s\"'<>|:*?,;()\[\]{}]+)|"
    r"(?P<dashed>-(?:home|Users)-)(?P<named>[A-Za-z0-9_.]+)",
    re.IGNORECASE,
)
# What a log itself calls a user.
LOGIN_FIELD = re.compile(
    r"(?:\b(?:user(?:name)?|login|author|owner|logname|realname|full_?name)[\"']?\s*[:=]\s*[\"']?)"
    r"(?P<user>[^\W\d][\w.-]{2,40}(?: [A-Z][\w-]+)?)",
    re.IGNORECASE,
)
# Folders of nobody, and words that stand where a name would.
GENERIC_USERS = frozenset(
    "user users root admin administrator public shared default guest home runner node ubuntu debian vscode app you me"
    " name true false null none assistant system tool model human agent".split()
)


PSEUDONYM = r"\[[a-z]+-\d+\]"
"""What stands in the place of something that was taken out."""


def whole_word(text: str) -> re.Pattern[str]:
    """A name as it stands by itself in a text, or a pseudonym, which may hold it."""
    return re.compile(rf"{PSEUDONYM}|{_AFTER_ESCAPE}{re.escape(text)}(?![A-Za-z0-9])", re.IGNORECASE)
