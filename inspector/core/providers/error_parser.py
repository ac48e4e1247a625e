"""The parser of pasted error texts: what an error means, and the ids, requests and message positions that it names.

How ids look, by the issues in which people pasted them: `toolu_…`, `toolu_vrtx_…`, `toolu_bdrk_…`, `srvtoolu_…`
(Anthropic), `call_…`, `fc_…`, `rs_…`, `msg_…`, `cmp_…` (OpenAI), `tooluse_…` (Bedrock), `chatcmpl-tool-…` (vLLM),
`functions.x:0`, `Shell:58`, `run_shell_command:4` (Kimi; MoonshotAI/kimi-cli#1977, QwenLM/qwen-code#135),
`call_function_…_1` (MiniMax), `adk-…` (Google ADK). An id of any other look is known by its position in a wording.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.core.lazy import LazyModule, lazy_regex
from inspector.core.providers import error_kinds, error_wordings
from inspector.core.translation import tr

if TYPE_CHECKING:
    import html
else:
    html = LazyModule("html")

# A log line, a stack trace and a curl call are short. Of a longer text only both ends are read.
_MOST = 400_000
_MOST_OF_KIND = 20_000

# Compiled on first use: a sound log has no text to clean.
_COLOURS = (
    r"(?i)(?:\x1b|\\u001b|\\x1b|\\033|\^\[)"
    r"(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)|[@-Z\\^_])"
)
_FRAMES = r"[\u2500-\u259f]+"
_INVISIBLE = r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
_SPELLINGS = str.maketrans(
    "\u2018\u2019\u201a\u201b\u2032\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f"
    "\u00a0\u3000\uff1a\uff0c\uff08\uff09\u2010\u2011\u00b4\uff40",
    "'" * 5 + '"' * 11 + "  :,()--``",
)
_QUOTES = r"\\++(?:u00(?:60|22|27|26|3[cC]|3[eE])|[nrt])?|['\"`]"
_BEFORE_SIGN = r" ([.,:;)\]])"


def strip_decoration(text: str) -> str:
    """Return a text without colours, frames, HTML entities and typographic quotes.

    The text is only ever compared with known wordings. Nothing in it is executed or followed.
    """
    if len(text) > _MOST:
        text = text[: _MOST // 2] + "\n" + text[-_MOST // 2 :]
    text = re.sub(_COLOURS, "", text)
    for _ in range(2):
        if "&" in text:
            text = html.unescape(text)
    return re.sub(_FRAMES, " ", re.sub(_INVISIBLE, "", text).translate(_SPELLINGS))


def to_unquoted_line(text: str) -> str:
    """Return an undecorated text on one line, without quotes and escapes."""
    return re.sub(_BEFORE_SIGN, r"\1", " ".join(re.sub(_QUOTES, " ", text).split()))


def remove_spaces(text: str) -> str:
    """Return a flat text without any space, so that words broken by a terminal are whole again."""
    return "".join(text.split())


_SPACES = lazy_regex(r"(?<!\\) ")
# A space inside a character set is a choice, not a place where a text may be broken.
_CHARACTER_SETS = lazy_regex(r"\[(?:\\.|[^\]\\])*\]")
_TOKENS = lazy_regex(r"\\(?:u\w{4}|x\w\w|.)|\[(?:\\.|[^\]\\])*\]|\{[\d,]*\}|[A-Za-z0-9]+|.")


class ErrorExplanation(Struct, frozen=True):
    """What an error text means: the codes of the rules that lead to it, and a sentence.

    `profile` is the profile whose wording it is, "" for that of a program. `servers` names the servers and gateways
    that the text reveals. `matched_words` are the words of the text that matched, without spaces.
    """

    rules: tuple[str, ...]
    sentence: str
    profile: str = ""
    servers: tuple[str, ...] = ()
    matched_words: str = ""


def explain_error(text: str) -> ErrorExplanation | None:
    """Return what a pasted error text means, None when its wording is not known.

    It is compared with the known wordings first with spaces, then without, so line breaks do not matter.
    """
    plain = to_unquoted_line(strip_decoration(text))
    is_of_other_program = _is_of_other_program(plain)
    for narrow, variant in ((False, plain), (True, remove_spaces(plain))):
        for speaker, wordings in error_wordings.WORDINGS_BY_PROFILE.items():
            for wording in () if is_of_other_program and not speaker else wordings:
                match = _search(wording.pattern, narrow, variant)
                if match is not None:
                    servers = tuple(
                        name for name, mark in error_wordings.SERVER_PATTERNS if re.search(mark, plain, re.IGNORECASE)
                    )
                    return ErrorExplanation(
                        wording.rules, wording.sentence, speaker, servers, remove_spaces(match[0]).lower()
                    )
    return None


def _is_of_other_program(plain: str) -> bool:
    """Return whether a flat text is from a program that keeps no sessions: a compiler, a package manager."""
    return re.search(error_kinds.OTHER_PROGRAMS, plain) is not None


def find_kind_wording(text: str) -> error_kinds.KindWording | None:
    """Return the wording of an error that no rule finds the cause of, None when it is not known.

    An error that the provider's service caused (quota, sign-in, overload) is of no kind. Of a long text, both ends are
    looked at.
    """
    plain = to_unquoted_line(strip_decoration(text))
    if len(plain) > 2 * _MOST_OF_KIND:
        plain = f"{plain[:_MOST_OF_KIND]} {plain[-_MOST_OF_KIND:]}"
    if _is_of_other_program(plain) or _certain_service_error(plain):
        return None
    for narrow, variant in ((False, plain), (True, remove_spaces(plain))):
        for wording in error_kinds.KIND_WORDINGS:
            if _search(wording.pattern, narrow, variant):
                return wording
    return None


def _search(pattern: str, narrow: bool, text: str) -> re.Match[str] | None:
    """Search a flat text for a pattern, which is compiled only if the text has a word that the pattern requires.

    Compiling all patterns takes longer than the rest of a short lookup.
    """
    lower = text.lower()
    return _compiled(pattern, narrow).search(text) if any(word in lower for word in _required_words(pattern)) else None


@cache
def _required_words(pattern: str) -> list[str]:
    """Return words in lower case, one for each alternative of a pattern: without any of them, it does not match.

    The word of an alternative is the longest one outside of groups, "" if there is none.
    """
    words, depth, tokens = [""], 0, _TOKENS.findall(pattern)
    for token, next_token in zip(tokens, [*tokens[1:], ""], strict=True):
        depth += (token == "(") - (token == ")")
        if token == "|" and not depth:
            words.append("")
        elif token.isalnum() and not depth:
            word = token[:-1] if next_token[:1] in ("?", "*", "{") else token
            words[-1] = max(words[-1], word.lower(), key=len)
    return words


@cache
def _compiled(pattern: str, narrow: bool) -> re.Pattern[str]:
    """Compile a pattern for a flat text, or with `narrow` for one without spaces."""
    if narrow:
        pattern = "".join(
            part if at % 2 else _SPACES.sub("", part).replace(r"\b", "") for at, part in enumerate(_parts(pattern))
        )
    return re.compile(pattern, re.IGNORECASE)


def _parts(pattern: str) -> list[str]:
    """Split a pattern at its character sets, which are at the odd positions of the result."""
    parts, start = [], 0
    for match in _CHARACTER_SETS.finditer(pattern):
        parts += [pattern[start : match.start()], match[0]]
        start = match.end()
    return [*parts, pattern[start:]]


_ID = lazy_regex(
    r"(?<![\w-])(?:toolu|srvtoolu|mcptoolu|tooluse|call|fc|ctc|rs|msg|ws|cmp|item|chatcmpl-tool|functions|adk)"
    r"[_.-][\w.:/-]*[\w]"
)
# Member names and word beginnings that look like ids.
_NO_IDS = frozenset(
    "call_id call_ids call_function msg_id item_id item_reference functions.parameters functions.name "
    "message messages input".split()
)
_REQUEST = lazy_regex(r"\breq_\w{12,}")
_TOKEN = r"(?P<ids>[^\s,;(){}\[\]]+(?:,? (?:and )?(?=[\w.:-]*\d)[^\s,;(){}\[\]]+)*)"
# The words before an id in a wording.
_ID_CONTEXTS = (
    *(
        lazy_regex(f"{words}:? +{_TOKEN}", re.IGNORECASE)
        for words in (
            r"immediately after",
            r"did not have response messages",
            r"for the following Ids",
            r"duplicate Ids",
            r"found in \w+ blocks",
            r"_result blocks with id",
            r"with call_id",
            r"Duplicate function_call_output for call_id",
            r"output found for (?:\w+ )*call",
            r"missing for call id",
            r"Duplicate value for tool_call_id of",
            r"for tool calls?",
            r"tool use with id",
            r"item found with id",
            r"for item",
            r"Tool call id was",
            r"tool_call_id(?= of|:)(?: of)?",
        )
    ),
    lazy_regex(r"tool ids?\((?P<ids>[^)\s]+)\)"),
    lazy_regex(r"\bItem (?P<ids>\w+_\w+) of type"),
)
_PATH = lazy_regex(
    r"\b(?P<root>messages?|contents|input)(?P<first>\.\[?|\[)(?P<number>\d{1,9})(?!\d)\]?(?P<rest>(?:\.?\[?\w+\]?)*)"
)
_INNER = lazy_regex(r"(?P<list>content|parts|tool_calls|summary)\.?\[?(?:member\.)?(?P<number>\d{1,9})(?!\d)")
# Message numbers in words: the pattern, and the number of the first message.
_SPOKEN_NUMBERS = (
    (lazy_regex(r"\b(?:message )?index (?P<number>\d{1,9})(?!\d)"), 0),
    (lazy_regex(r"\bmessage at position (?P<number>\d{1,9})(?!\d)"), 0),
    (lazy_regex(r"\bin the (?P<number>\d{1,9})\. content block"), 1),
    (lazy_regex(r"\bfunction call [\w:.-]+ ?, position (?P<number>\d{1,9})(?!\d)"), 1),
    (lazy_regex(r"第 ?(?P<number>\d{1,9}) ?条"), 1),
)
_TOOL = lazy_regex(r"\bfunction call (?:default_api:)?(?P<name>[\w.-]+) ?(?:,|in the)")
# Each run is read once, from its start: a pasted text can be one run of hundreds of thousands of characters.
_BROKEN = lazy_regex(r"(?<![\w.:-])([\w.:-]++)[ \t]*+\n[ \t]*+([\w:-]++)")
_WORD = lazy_regex(r"[A-Z]?[a-z]+")
_CUT = lazy_regex(r"(?:\.{3}|…)$")
_MOST_NAMED = 50


class NamedId(Struct, frozen=True):
    """An id that a text names.

    `is_truncated` says that the text has only its beginning, because it was cut off or shortened.
    """

    text: str
    is_truncated: bool = False

    def matches(self, call_id: str) -> bool:
        """Return whether it names this id."""
        return call_id.startswith(self.text) if self.is_truncated else call_id == self.text


class MessageReference(Struct, frozen=True):
    """A place in the messages of a request.

    `message` is counted from 0, as the provider does. `block` is an index into `list_key` (its content, parts or
    tool_calls), -1 for the whole message. `field` is the member below it. `text` is how it was written.
    """

    message: int
    block: int = -1
    list_key: str = ""
    field: str = ""
    text: str = ""


class ParsedErrorText(Struct, frozen=True):
    """A parsed error text. `explanation` is None when its wording is not known. `tool` is a tool that it names.

    `flat_text` is the text on one line without quotes and escapes, `text_without_spaces` the same without spaces.
    """

    text: str
    flat_text: str
    text_without_spaces: str
    explanation: ErrorExplanation | None
    kind_wording: error_kinds.KindWording | None = None
    ids: tuple[NamedId, ...] = ()
    references: tuple[MessageReference, ...] = ()
    request_ids: tuple[str, ...] = ()
    tool: str = ""

    @property
    def profile(self) -> str:
        """The profile whose wording it is, "" when that is not known."""
        return self.explanation.profile if self.explanation else ""

    @property
    def rules(self) -> tuple[str, ...]:
        return self.explanation.rules if self.explanation else ()

    @property
    def kind(self) -> str:
        """The kind of the error, a key of ERROR_KINDS, "" when it is not known."""
        if self.explanation is not None:
            is_template = self.explanation.profile in error_wordings.TEMPLATE_SPEAKERS
            return error_kinds.TEMPLATE if is_template else error_kinds.kind_of_rules(self.explanation.rules)
        return self.kind_wording.kind if self.kind_wording else ""


def parse_error_text(text: str) -> ParsedErrorText:
    """Parse a text, in whatever form it was pasted."""
    clean = strip_decoration(text)
    plain = to_unquoted_line(clean)
    narrow, tool, explanation = remove_spaces(plain), _TOOL.search(plain), explain_error(text)
    return ParsedErrorText(
        text=text,
        flat_text=plain,
        text_without_spaces=narrow,
        explanation=explanation,
        kind_wording=find_kind_wording(text) if explanation is None else None,
        ids=tuple(dict.fromkeys([*_ids(plain), *_rejoined_ids(clean)]))[:_MOST_NAMED],
        references=tuple(_once(_references(plain) or _references(narrow)))[:_MOST_NAMED],
        request_ids=tuple(dict.fromkeys(_REQUEST.findall(plain)))[:_MOST_NAMED],
        tool=tool["name"] if tool else "",
    )


def _once(spots: list[MessageReference]) -> list[MessageReference]:
    """Return every place once, even if it is written in two ways."""
    return list({(spot.message, spot.block): spot for spot in reversed(spots)}.values())[::-1]


def _ids(plain: str) -> Iterator[NamedId]:
    """Yield the ids of a flat text: those after the words that introduce one, and those that look like one."""
    for context in _ID_CONTEXTS:
        for match in context.finditer(plain):
            for token in re.split(r",? and |[, ]+", match["ids"]):
                if not _PATH.match(token) and not (token.isalpha() and token.islower()):
                    yield from _named(token)
    for match in _ID.finditer(plain):
        yield from _named(match[0] + ("…" if plain[match.end() : match.end() + 3].startswith(("…", "...")) else ""))


def _rejoined_ids(clean: str) -> Iterator[NamedId]:
    """Yield ids that a terminal broke at the end of a line, joined with the beginning of the next line."""
    for match in _BROKEN.finditer(clean):
        whole = match[1] + match[2]
        if _ID.fullmatch(match[1]) and _ID.fullmatch(whole) and not _WORD.fullmatch(match[2]):
            yield from _named(whole)


def _named(token: str) -> Iterator[NamedId]:
    cut = _CUT.search(token) is not None
    bare = token.rstrip("….,:;!?")
    if bare and bare not in _NO_IDS and not (cut and len(bare) < 6):
        yield NamedId(bare, cut)


def _references(plain: str) -> list[MessageReference]:
    """Return the places that a text names, those with an index path first."""
    references = []
    for path in _PATH.finditer(plain):
        inner = _INNER.search(path["rest"])
        rest = path["rest"][inner.end() :] if inner else path["rest"]
        field = ".".join(word for word in re.findall(r"[A-Za-z_]+", rest) if word != "member")
        block, inside = (int(inner["number"]), inner["list"]) if inner else (-1, "")
        references.append(MessageReference(int(path["number"]), block, inside, field, path[0].rstrip(".")))
    for pattern, first in _SPOKEN_NUMBERS:
        references += [
            MessageReference(int(match["number"]) - first, text=match[0]) for match in pattern.finditer(plain)
        ]
    return references


# Kinds of errors that the history did not cause.
#
# Sources: texts of Claude Code 2.1.330 (and the names that it gives errors in `error`), Codex 0.169.0 (and those of its
# `codex_error_info`), Gemini CLI 0.61.0, opencode 1.18.33 (MessageV2 errors); platform.claude.com "Errors";
# platform.openai.com "Error codes"; ai.google.dev "Troubleshooting"; Moonshot's and Bedrock's names of errors.


class ServiceErrorKind(Struct, frozen=True):
    """One kind of error. `about` completes "a recorded error about …".

    `certain_pattern` decides whatever else the text says. `likely_pattern` counts only where no status says that the
    request itself was wrong. `statuses` are HTTP statuses, `agent_names` the names that agents record in a field.
    """

    name: str
    about: str
    certain_pattern: str = ""
    likely_pattern: str = ""
    statuses: tuple[int, ...] = ()
    agent_names: tuple[str, ...] = ()


SERVICE_ERROR_KINDS: dict[str, ServiceErrorKind] = {
    kind.name: kind
    for kind in (
        ServiceErrorKind(
            "quota",
            tr("the account's quota"),
            r"insufficient_quota|exceeded[ _](?:your )?(?:current[ _])?quota|quota (?:exceeded|limit)|credit balance|"
            r"usage limit|hit your (?:\S+ ){0,3}limit|out of (?:extra usage|credits)|usage credits|payment required|"
            r"insufficient (?:account )?(?:balance|funds|credits?)|billing|spend(?:ing)?[ _]limit|"
            r"(?:session|hour|daily|weekly|monthly|opus|sonnet|haiku) limit reached",
            statuses=(402,),
            agent_names=("billing_error", "usage_limit_exceeded"),
        ),
        ServiceErrorKind(
            "rate-limit",
            tr("the rate limit"),
            r"rate[ _-]?limit|too many (?:requests|tokens|concurrent)|resource_exhausted|"
            r"(?:requests|tokens) per (?:minute|day)",
            r"throttl|slow down",
            (429,),
            ("rate_limit",),
        ),
        ServiceErrorKind(
            "sign-in",
            tr("signing in to the provider"),
            r"api[ _]key[ _](?:is )?(?:not[ _](?:valid|found)|invalid|expired)|(?:invalid|incorrect) (?:x-)?api[ -]key|"
            r"please (?:run )?/?(?:log|sign) ?in|not logged in",
            r"authenticat|unauthori[sz]ed|oauth|(?:access|id|security)? ?token (?:\S+ ){0,3}(?:expired|refreshed)|"
            r"expiredtoken|unrecognizedclient|credentials|permission_error|log (?:out|in) (?:and sign )?(?:in )?again",
            (401, 403),
            ("authentication_failed", "verification_required", "unauthorized"),
        ),
        ServiceErrorKind(
            "overload",
            tr("the provider's servers"),
            r"overloaded|(?:over|at) capacity|capacity issue|high demand|internal server error|bad gateway|"
            r"service[ _]?unavailable|gateway time-?out",
            r"server (?:had an )?error|api_error|server_error|unavailable|model ?timeout",
            (500, 502, 503, 504, 520, 521, 522, 523, 524, 529),
            ("server_error", "server_overloaded", "internal_server_error"),
        ),
        ServiceErrorKind(
            "network",
            tr("the connection to the provider"),
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
        ServiceErrorKind(
            "stopped",
            tr("a cancelled request"),
            r"messageabortederror|aborterror|request was (?:aborted|cancell?ed)|operation was aborted",
        ),
    )
}

# An HTTP status that the text introduces as one; a number alone can be anything.
_STATUS = lazy_regex(
    r"(?:^|error|status|code|rejected|http(?:/[\d.]+)?)[ :=(]*(?:code[ :=]*)?(?P<status>[45]\d\d)\b", re.IGNORECASE
)
_REQUEST_ERROR_STATUSES = frozenset({400, 404, 405, 409, 413, 415, 422})
_BAD_REQUEST = "invalid_request"
_BAD = lazy_regex(_BAD_REQUEST)


def classify_service_error(text: str, name: str = "") -> ServiceErrorKind | None:
    """Return the kind of an error that the history did not cause.

    Return None when the history caused it, or when the kind is not known. `name` is the name that the agent gives the
    error, "" for none.
    """
    return _classify(text, name)[0] if explain_error(text) is None else None


def deciding_words(text: str) -> tuple[str, ...]:
    """Return the words of an error text that decide its explanation or kind, () for none.

    They are without spaces and in lower case.
    """
    explanation = explain_error(text)
    return (
        (explanation.matched_words,)
        if explanation
        else tuple(remove_spaces(words).lower() for words in _classify(text)[1])
    )


def _certain_service_error(plain: str) -> tuple[ServiceErrorKind, list[str]] | None:
    """Return the kind whose certain pattern a flat text has, and the words that match."""
    for kind in SERVICE_ERROR_KINDS.values():
        if kind.certain_pattern and (certain := re.search(kind.certain_pattern, plain, re.IGNORECASE)):
            return kind, [certain[0]]
    return None


def _classify(text: str, name: str = "") -> tuple[ServiceErrorKind | None, list[str]]:
    """Return the kind of an error that the history did not cause, and the words of its text that decide it."""
    plain = to_unquoted_line(strip_decoration(text))
    if (certain := _certain_service_error(plain)) is not None:
        return certain
    match = _STATUS.search(plain)
    status, matched = (int(match["status"]), [match[0]]) if match else (0, [])
    if status in _REQUEST_ERROR_STATUSES or _BAD_REQUEST in (name, *_BAD.findall(plain.lower())):
        return None, [*matched, *_BAD.findall(plain.lower())]
    for kind in SERVICE_ERROR_KINDS.values():
        words = re.search(kind.likely_pattern, plain, re.IGNORECASE) if kind.likely_pattern else None
        if status in kind.statuses or words:
            return kind, [*matched, *([words[0]] if words else [])]
        if name and name in kind.agent_names:
            return kind, matched
    return None, matched
