"""What secrets look like: SECRETS is the table, a row a kind of token. `it` is the part that is secret.

The shapes are those that the vendors publish, and that detect-secrets (Yelp) knows: the tests ask it whether it still
finds anything in what was redacted. Ours are the rows of providers of models, and TOKEN.
"""

import re

_SHAPES = (
    # a key in PEM or PuTTY's form, whole, also where it is cut off
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:.*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|.*)",
    r"PuTTY-User-Key-File-\d.*",
    # the user and the password of an address
    r"(?<=://)(?P<it>[^\s:/@?#\[\]\"']*:[^\s/@?#\"']+)(?=@)",
    # providers of models
    r"sk-(?:ant-|proj-|or-|svcacct-|admin-|None-)?[\w-]{16,}",
    r"(?:gsk|xai|hf|r8|pplx|fw|nvapi|tvly|lsv2|fc|csk)[_-][\w-]{20,}",
    r"AIza[\w-]{30,}",
    r"ya29\.[\w.-]{20,}",
    # clouds
    r"(?:A3T[A-Z0-9]|ABIA|ACCA|AGPA|AIDA|AIPA|AKIA|ANPA|ANVA|AROA|ASIA)[A-Z0-9]{12,}",
    r"AccountKey=(?P<it>[A-Za-z0-9+/=]{20,})",
    r"(?:SharedAccessSignature|sig)=(?P<it>[\w%+/=-]{20,})",
    r"do[opr]_v1_[a-f0-9]{32,}",
    # forges, registries, chats, payments, mail
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
    # what a text itself calls a secret; possessive, so that a text of nothing but names is passed over once
    r"(?:Bearer|Basic|Token)\s+(?P<it>[\w.~+/=-]{8,})",
    r"(?:(?:passw(?:or)?d|passphrase|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|"
    r"account[_-]?key|auth[_-]?key|db[_-]?pass|credentials?|cookie|sessionid)[\w-]*+)"
    r"[\"'\\]*+\s*+(?::=|=>|[:=])\s*+[\"'\\]*+(?P<it>[^\s\"'\\,;&<>(){}]{4,})",
    r"(?:-p|--password|--token|--api-key|-u\s+\S+?:)[= ]?(?P<it>[^\s\"'\\]{6,})",
)
_CASELESS = re.IGNORECASE | re.DOTALL
RANDOM_TOKEN = re.compile(r"(?<![A-Za-z0-9+/_=-])(?=[A-Za-z+/_=-]*\d)(?=[\d+/_=-]*[A-Za-z])[A-Za-z0-9+/_=-]{24,}")
"""Letters and digits in a run that is too long for a word: a token, a hash, an id."""

_NAMED = tuple(re.compile(shape, re.DOTALL) for shape in _SHAPES[:-3])
_WORDED = tuple(re.compile(shape, _CASELESS) for shape in _SHAPES[-3:])
SECRETS: tuple[re.Pattern[str], ...] = (*_NAMED, *_WORDED)
