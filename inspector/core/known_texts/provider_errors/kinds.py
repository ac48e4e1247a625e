"""Errors that are no fault of the history: what they are about. KINDS is the table, by a word for reports.

Sources: texts of Claude Code 2.1.330 (and the names that it gives errors in `error`), Codex 0.169.0 (and those of its
`codex_error_info`), Gemini CLI 0.61.0, opencode 1.18.33 (MessageV2 errors); platform.claude.com "Errors";
platform.openai.com "Error codes"; ai.google.dev "Troubleshooting"; Moonshot's and Bedrock's names of errors.
"""

import re

from msgspec import Struct

from inspector.core.known_texts.provider_errors.cleaning import flatten_text, remove_spaces, strip_decoration
from inspector.core.known_texts.provider_errors.meaning import explain_error


class ProviderErrorKind(Struct, frozen=True):
    """One kind of error. `about` completes "a recorded error about …".

    `surely` tells it whatever stands beside; `words` only where no status says that the request itself was wrong.
    `statuses` are those of HTTP, `names` what agents call it in a field of its own.
    """

    name: str
    about: str
    certain_pattern: str = ""
    likely_pattern: str = ""
    statuses: tuple[int, ...] = ()
    agent_names: tuple[str, ...] = ()


PROVIDER_ERROR_KINDS: dict[str, ProviderErrorKind] = {
    kind.name: kind
    for kind in (
        ProviderErrorKind(
            "quota",
            "the account's quota",
            r"insufficient_quota|exceeded[ _](?:your )?(?:current[ _])?quota|quota (?:exceeded|limit)|credit balance|"
            r"usage limit|hit your (?:\S+ ){0,3}limit|out of (?:extra usage|credits)|usage credits|payment required|"
            r"insufficient (?:account )?(?:balance|funds|credits?)|billing|spend(?:ing)?[ _]limit|"
            r"(?:session|hour|daily|weekly|monthly|opus|sonnet|haiku) limit reached",
            statuses=(402,),
            agent_names=("billing_error", "usage_limit_exceeded"),
        ),
        ProviderErrorKind(
            "rate-limit",
            "how much may be asked at a time",
            r"rate[ _-]?limit|too many (?:requests|tokens|concurrent)|resource_exhausted|"
            r"(?:requests|tokens) per (?:minute|day)",
            r"throttl|slow down",
            (429,),
            ("rate_limit",),
        ),
        ProviderErrorKind(
            "sign-in",
            "signing in to the provider",
            r"api[ _]key[ _](?:is )?(?:not[ _](?:valid|found)|invalid|expired)|(?:invalid|incorrect) (?:x-)?api[ -]key|"
            r"please (?:run )?/?(?:log|sign) ?in|not logged in",
            r"authenticat|unauthori[sz]ed|oauth|(?:access|id|security)? ?token (?:\S+ ){0,3}(?:expired|refreshed)|"
            r"expiredtoken|unrecognizedclient|credentials|permission_error|log (?:out|in) (?:and sign )?(?:in )?again",
            (401, 403),
            ("authentication_failed", "verification_required", "unauthorized"),
        ),
        ProviderErrorKind(
            "overload",
            "the provider's servers",
            r"overloaded|(?:over|at) capacity|capacity issue|high demand|internal server error|bad gateway|"
            r"service[ _]?unavailable|gateway time-?out",
            r"server (?:had an )?error|api_error|server_error|unavailable|model ?timeout",
            (500, 502, 503, 504, 520, 521, 522, 523, 524, 529),
            ("server_error", "server_overloaded", "internal_server_error"),
        ),
        ProviderErrorKind(
            "network",
            "the connection to the provider",
            r"econn\w+|enotfound|etimedout|eai_again|socket hang up|fetch failed|getaddrinfo|"
            r"stream disconnected|connection ?error",
            r"timed ?out|time-?out|connection (?:was )?(?:refused|reset|closed|aborted|lost|failed|terminated)|network|"
            r"unable to connect|certificate|stream (?:closed|ended|error)",
            (408,),
            (
                "http_connection_failed",
                "response_stream_connection_failed",
                "response_stream_disconnected",
                "response_too_many_failed_attempts",
            ),
        ),
        ProviderErrorKind(
            "stopped",
            "a request that was stopped",
            r"messageabortederror|aborterror|request was (?:aborted|cancell?ed)|operation was aborted",
        ),
    )
}

# The status of an answer, where a text says that it is one; a number alone can be anything.
_STATUS = re.compile(
    r"(?:^|error|status|code|rejected|http(?:/[\d.]+)?)[ :=(]*(?:code[ :=]*)?(?P<status>[45]\d\d)\b", re.IGNORECASE
)
_REQUEST_ERROR_STATUSES = frozenset({400, 404, 405, 409, 413, 415, 422})
_BAD_REQUEST = "invalid_request"
_BAD = re.compile(_BAD_REQUEST)


def classify_error(text: str, name: str = "") -> ProviderErrorKind | None:
    """What an error is about that is no fault of the history; None when it is one, or nothing tells.

    `name` is what the agent calls the error, where it does.
    """
    return _classify(text, name)[0] if explain_error(text) is None else None


def telltale_words(text: str) -> tuple[str, ...]:
    """What of an error's text `explain` and `kind_of` go by, without spaces and in lower case; () for no error."""
    known = explain_error(text)
    return (known.matched_words,) if known else tuple(remove_spaces(each).lower() for each in _classify(text)[1])


def _classify(text: str, name: str = "") -> tuple[ProviderErrorKind | None, list[str]]:
    """The kind of an error that is not of the history, and what of its text told it."""
    plain = flatten_text(strip_decoration(text))
    for kind in PROVIDER_ERROR_KINDS.values():
        if kind.certain_pattern and (sure := re.search(kind.certain_pattern, plain, re.IGNORECASE)):
            return kind, [sure[0]]
    found = _STATUS.search(plain)
    status, told = (int(found["status"]), [found[0]]) if found else (0, [])
    if status in _REQUEST_ERROR_STATUSES or _BAD_REQUEST in (name, *_BAD.findall(plain.lower())):
        return None, [*told, *_BAD.findall(plain.lower())]
    for kind in PROVIDER_ERROR_KINDS.values():
        words = re.search(kind.likely_pattern, plain, re.IGNORECASE) if kind.likely_pattern else None
        if status in kind.statuses or words:
            return kind, [*told, *([words[0]] if words else [])]
        if name and name in kind.agent_names:
            return kind, told
    return None, told


def is_service_error(text: str) -> bool:
    """Whether an error is about reaching the provider (quota, sign-in, overload, network), not about the history."""
    return classify_error(text) is not None
