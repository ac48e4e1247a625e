"""Redacting secrets and identities in texts, with the same pseudonym for the same value however it is escaped.

IDENTITY_PATTERNS and SECRET_PATTERNS are the tables of the patterns. The named group of a pattern is the part to
replace; without one it is the whole match.

The patterns of secrets are those that the vendors publish, and those that detect-secrets (Yelp) knows. The tests use
detect-secrets to check that it finds nothing in a redacted text. The rows of model providers, and RANDOM_TOKEN_PATTERN,
are our own.
"""

import re
from collections.abc import Iterable

from inspector.core.redaction.identifying_numbers import replace_identifying_numbers

_AFTER_ESCAPE = r"(?:(?<=\\[nrtbf])|(?<![A-Za-z0-9]))"
"""Where a word may begin: not after a letter or digit, except after the escape of a line end or tab."""
_BEGINS = r"(?:(?<=\\[nrtbf])|(?<![A-Za-z0-9])(?!(?<=\\)[nrtbf]))"
"""Where a word may begin, if the letter of such an escape is never the first letter of the word."""

# Endings of host names that files seldom have. A name that ends in `.py` or `.md` is taken for a file.
_ENDS = (
    "com org net edu gov mil int io dev app ai cloud co me info biz tech online site xyz eu uk de fr nl be at ch it es"
    " pt se no fi dk cz hu ro gr ie us ca mx br ar cl au nz jp cn kr tw hk sg in ru ua tr il za local localdomain"
    " internal intranet intra corp lan home private test example invalid onion"
).replace(" ", "|")
_HOST = rf"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{{0,61}}[A-Za-z0-9])?\.){{1,30}}(?:{_ENDS})(?![\w-]|\.\w)"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_HEX = r"[0-9a-fA-F]{1,4}"

_DEGREES = r"-?\d{1,3}\.\d{4,15}"
_MINUTES = r"\d{1,2}(?:\.\d{1,9})?"

# Patterns of who or where somebody is, by kind, in the order in which they are replaced.
IDENTITY_PATTERNS: dict[str, re.Pattern[str]] = {
    "request": re.compile(
        r"(?<![A-Za-z0-9_-])req_[\w-]{6,}|"
        r"(?:request|correlation|trace)[-_ ]?id[\"'`]?[ \t]{0,9}[:=(][ \t]{0,9}[\"'`]?(?P<it>[\w-]{6,})",
        re.IGNORECASE,
    ),
    "position": re.compile(
        rf"(?<![\w.]){_DEGREES}[ \t]{{0,9}}[,;/ ][ \t]{{0,9}}{_DEGREES}(?![\w.])|"
        rf"(?<![\w.])\d{{1,3}}(?:\.\d{{1,15}})?[ ]?°(?:[ ]?{_MINUTES}[ ]?['′’])?(?:[ ]?{_MINUTES}[ ]?[\"″”])?"
        r"[ ]?[NSEWO](?![A-Za-z])|"
        r"geo:(?P<uri>-?\d{1,3}(?:\.\d{1,15})?,-?\d{1,3}(?:\.\d{1,15})?)|"
        r"(?:\blat(?:itude)?|\blon(?:g(?:itude)?)?|\blng|纬度|经度)[\"']?[ \t]{0,9}[:=：][ \t]{0,9}[\"']?"
        r"(?P<it>-?\d{1,3}\.\d{2,15})",
        re.IGNORECASE,
    ),
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

# A folder whose subfolders are named after users, also with escaped separators, or spelled as one name by a store.
# A run of separators is matched possessively, so that it is tried only once.
HOME_FOLDER_PATTERN = re.compile(
    r"(?P<home>(?:[A-Za-z]:|(?<![\\/]))[\\/]++(?:home|Users|Documents and Settings)[\\/]++)"
    r"(?P<user>[^\\/\s\"'<>|:*?,;()\[\]{}]+)|"
    r"(?P<dashed>-(?:home|Users)-)(?P<named>[A-Za-z0-9_.]+)",
    re.IGNORECASE,
)
# A value that the log itself labels as a user.
LOGIN_FIELD_PATTERN = re.compile(
    r"(?:\b(?:user(?:name)?|login|author|co-authored-by|committer|owner|logname|realname|full_?name)[\"']?\s*[:=]\s*[\"']?)"
    r"(?P<user>[^\W\d][\w.-]{2,40}(?: [A-Z][\w-]+)?)",
    re.IGNORECASE,
)
# Names of folders that belong to nobody, and words that come in place of a name.
GENERIC_USERS = frozenset(
    "user users root admin administrator public shared default guest home runner node ubuntu debian vscode app you me"
    " name true false null none assistant system tool model human agent".split()
)

_SHAPES = (
    # a whole key in PEM or PuTTY format, even if it is truncated
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:.*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|.*)",
    r"PuTTY-User-Key-File-\d.*",
    # the user and the password of an address
    r"(?<=://)(?P<it>[^\s:/@?#\[\]\"']*:[^\s/@?#\"']+)(?=@)",
    # model providers
    r"sk-(?:ant-|proj-|or-|svcacct-|admin-|None-)?[\w-]{16,}",
    r"(?:gsk|xai|hf|r8|pplx|fw|nvapi|tvly|lsv2|fc|csk)[_-][\w-]{20,}",
    r"AIza[\w-]{30,}",
    r"ya29\.[\w.-]{20,}",
    # clouds
    r"(?:A3T[A-Z0-9]|ABIA|ACCA|AGPA|AIDA|AIPA|AKIA|ANPA|ANVA|AROA|ASIA)[A-Z0-9]{12,}",
    r"AccountKey=(?P<it>[A-Za-z0-9+/=]{20,})",
    r"(?:SharedAccessSignature|sig)=(?P<it>[\w%+/=-]{20,})",
    r"do[opr]_v1_[a-f0-9]{32,}",
    # code hosts, registries, chats, payments, mail
    r"gh[pousr]_[A-Za-z0-9_]{20,}",
    r"github_pat_\w{22,}",
    r"gl(?:pat|dt|ft|soat|rt|cbt|ptt|imt|agent|oas|ffct)-[\w.-]{16,}",
    r"GR1348941[\w-]{16,}",
    r"npm_[A-Za-z0-9]{30,}",
    r"/:_authToken=\s*(?P<it>[^\s\"']+)",
    r"pypi-[\w-]{30,}",
    r"xox[a-z]-[\w-]{10,}",
    r"xapp-\d-[\w-]{10,}",
    r"hooks\.slack\.com/services/(?P<it>[\w/-]+)",
    r"(?:[sr]k|pk|whsec)_(?:live|test)?_?[A-Za-z0-9]{16,}",
    r"sq0[a-z]{3}-[\w-]{20,}",
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,}",
    r"SG\.[\w-]{16,}\.[\w-]{16,}",
    r"[a-f0-9]{32}-us\d{1,2}",
    r"(?:AC|SK)[a-f0-9]{32}",
    r"\d{8,12}:[\w-]{30,}",
    r"[MNO][A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,}",
    r"AKC[A-Za-z0-9]{10,}",
    r"AP[0-9ABCDEF][A-Za-z0-9]{8,}(?=[\s\"']|$)",
    r"eyJ[\w-]{8,}\.[\w-]{6,}(?:\.[\w-]*)?",
    # values that the text itself calls a secret; possessive, so that a text full of such names is searched only once
    r"(?:Bearer|Basic|Token)\s+(?P<it>[\w.~+/=-]{8,})",
    r"(?:(?:passw(?:or)?d|passphrase|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|"
    r"account[_-]?key|auth[_-]?key|db[_-]?pass|credentials?|cookie|sessionid)[\w-]*+)"
    r"[\"'\\]*+\s*+(?::=|=>|[:=])\s*+[\"'\\]*+(?P<it>[^\s\"'\\,;&<>(){}]{4,})",
    r"(?:-p|--password|--token|--api-key|-u\s+\S+?:)[= ]?(?P<it>[^\s\"'\\]{6,})",
    # a Chinese word for it, and then no word of Chinese
    r"(?:密码|密碼|口令|密钥|密鑰|令牌|验证码|驗證碼)(?:\s|是|为|為|[:：=“‘「\"'])++(?P<it>[^\s\"'\\,;，。；、！？“”‘’「」<>(){}\u3000-\uffff]{4,})",
)
_CASELESS = re.IGNORECASE | re.DOTALL
RANDOM_TOKEN_PATTERN = re.compile(
    r"(?<![A-Za-z0-9+/_=-])(?=[A-Za-z+/_=-]*\d)(?=[\d+/_=-]*[A-Za-z])[A-Za-z0-9+/_=-]{24,}"
)
"""A run of letters and digits that is too long for a word: a token, a hash, an id."""

_NAMED = tuple(re.compile(shape, re.DOTALL) for shape in _SHAPES[:-4])
_WORDED = tuple(re.compile(shape, _CASELESS) for shape in _SHAPES[-4:])
SECRET_PATTERNS: tuple[re.Pattern[str], ...] = (*_NAMED, *_WORDED)

PSEUDONYM_PATTERN = r"\[[a-z]+-\d+\]"
"""The replacement of a redacted value."""


def whole_word_pattern(text: str) -> re.Pattern[str]:
    """Return a pattern of a name as a whole word, or of a pseudonym, which may contain the name."""
    return re.compile(rf"{PSEUDONYM_PATTERN}|{_AFTER_ESCAPE}{re.escape(text)}(?![A-Za-z0-9])", re.IGNORECASE)


_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})|\\(/)|\\(\\)|%([2-7][0-9a-fA-F])|&#x?0*(?:64|40);")
_EDGES = ".-_ "  # of a name, in an address or a path
_OURS = re.compile(rf"\W*(?:{PSEUDONYM_PATTERN}\W*)+")
_LEVELS = 6  # levels of JSON within JSON that are unescaped; anything deeper looks like noise


class Redactor:
    """The pseudonyms of one report. `words` are further names that the user wants to hide."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}
        self._known: dict[str, tuple[str, re.Pattern[str]]] = {}
        for word in sorted(map(_plain, words), key=len, reverse=True):
            self._know("word", word.strip(_EDGES))

    @property
    def replacements(self) -> dict[str, str]:
        """The values replaced so far, by their pseudonyms."""
        return {name: value for (_, value), name in self._names.items()}

    def learn(self, text: str) -> None:
        """Remember the users that a text names, so that their names are also hidden where they occur alone."""
        self._learn(_plain(text))

    def redact(self, text: str) -> str:
        """Return a text without secrets and identities. Its escapes are decoded."""
        text = _plain(text)
        self._learn(text)
        text = replace_identifying_numbers(text, self._named)
        for shape in SECRET_PATTERNS:
            text = self._without("secret", shape, text)
        text = self._without("token", RANDOM_TOKEN_PATTERN, text)
        for kind, shape in IDENTITY_PATTERNS.items():
            text = self._without(kind, shape, text)
        text = HOME_FOLDER_PATTERN.sub(lambda match: (match["home"] or match["dashed"]) + self._home(match), text)
        # A log may name thousands of users, so their patterns are tried only if the name occurs.
        folded = text.casefold()
        for value, (kind, shape) in self._known.items():
            if value.casefold() in folded:
                text = self._without(kind, shape, text)
        return text

    def _learn(self, plain: str) -> None:
        users = [match["user"] or match["named"] for match in HOME_FOLDER_PATTERN.finditer(plain)]
        users += [match["user"] for match in LOGIN_FIELD_PATTERN.finditer(plain)]
        for user in (name.strip(_EDGES) for name in users):
            if len(user) > 1 and user.lower() not in GENERIC_USERS:
                self._know("user", user)

    def _know(self, kind: str, name: str) -> None:
        if name and name.lower() not in self._known:
            self._known[name.lower()] = kind, whole_word_pattern(name)

    def _home(self, match: re.Match[str]) -> str:
        return self._named("user", (match["user"] or match["named"]).strip(_EDGES))

    def _without(self, kind: str, shape: re.Pattern[str], text: str) -> str:
        def replaced(match: re.Match[str]) -> str:
            group = next((name for name, value in match.groupdict().items() if value), 0)
            value, start = match[group], match.start(group) - match.start()
            if _OURS.fullmatch(value):
                return match[0]
            return match[0][:start] + self._named(kind, value) + match[0][start + len(value) :]

        return shape.sub(replaced, text)

    def _named(self, kind: str, value: str) -> str:
        value = value.lower() if kind in ("user", "host", "email", "word") else value
        name = self._names.get((kind, value))
        if name is None:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            name = self._names[kind, value] = f"[{kind}-{self._counts[kind]}]"
        return name


def _plain(text: str) -> str:
    """Return a text without escapes that can hide a name: those of JSON except line ends, and those of addresses."""
    for _ in range(_LEVELS):
        plain = _ESCAPED.sub(_sign, text)
        if plain == text:
            break
        text = plain
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _sign(escape: re.Match[str]) -> str:
    if escape[1] or escape[4]:
        return chr(int(escape[1] or escape[4], 16))
    return escape[2] or escape[3] or "@"
