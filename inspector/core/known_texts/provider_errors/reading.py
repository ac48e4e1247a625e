"""Taking a pasted text apart: its meaning, and what it names: ids of calls and requests, places in the messages.

How ids look, by the issues in which people pasted them: `toolu_…`, `toolu_vrtx_…`, `toolu_bdrk_…`, `srvtoolu_…`
(Anthropic), `call_…`, `fc_…`, `rs_…`, `msg_…`, `cmp_…` (OpenAI), `tooluse_…` (Bedrock), `chatcmpl-tool-…` (vLLM),
`functions.x:0`, `Shell:58`, `run_shell_command:4` (Kimi; MoonshotAI/kimi-cli#1977, QwenLM/qwen-code#135),
`call_function_…_1` (MiniMax), `adk-…` (Google ADK). An id of any other look is known by where it stands in a wording.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from inspector.core.known_texts.provider_errors import ErrorExplanation, explain_error
from inspector.core.known_texts.provider_errors.cleaning import flatten_text, remove_spaces, strip_decoration

_ID = re.compile(
    r"(?<![\w-])(?:toolu|srvtoolu|mcptoolu|tooluse|call|fc|ctc|rs|msg|ws|cmp|item|chatcmpl-tool|functions|adk)"
    r"[_.-][\w.:/-]*[\w]"
)
# Names of members, and beginnings of words, that look like ids.
_NO_IDS = frozenset(
    "call_id call_ids call_function msg_id item_id item_reference functions.parameters functions.name "
    "message messages input".split()
)
_REQUEST = re.compile(r"\breq_\w{12,}")
_TOKEN = r"(?P<ids>[^\s,;(){}\[\]]+(?:,? (?:and )?(?=[\w.:-]*\d)[^\s,;(){}\[\]]+)*)"
# What an id stands behind in a wording.
_ID_CONTEXTS = (
    *(
        re.compile(f"{words}:? +{_TOKEN}", re.IGNORECASE)
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
    re.compile(r"tool ids?\((?P<ids>[^)\s]+)\)"),
    re.compile(r"\bItem (?P<ids>\w+_\w+) of type"),
)
_PATH = re.compile(
    r"\b(?P<root>messages?|contents|input)(?P<first>\.\[?|\[)(?P<number>\d{1,9})(?!\d)\]?(?P<rest>(?:\.?\[?\w+\]?)*)"
)
_INNER = re.compile(r"(?P<list>content|parts|tool_calls|summary)\.?\[?(?:member\.)?(?P<number>\d{1,9})(?!\d)")
# Numbers said in words: how, and what the first message is called.
_SPOKEN_NUMBERS = (
    (re.compile(r"\b(?:message )?index (?P<number>\d{1,9})(?!\d)"), 0),
    (re.compile(r"\bmessage at position (?P<number>\d{1,9})(?!\d)"), 0),
    (re.compile(r"\bin the (?P<number>\d{1,9})\. content block"), 1),
    (re.compile(r"\bfunction call [\w:.-]+ ?, position (?P<number>\d{1,9})(?!\d)"), 1),
    (re.compile(r"第 ?(?P<number>\d{1,9}) ?条"), 1),
)
_TOOL = re.compile(r"\bfunction call (?:default_api:)?(?P<name>[\w.-]+) ?(?:,|in the)")
# A run is looked at once, from its start: a pasted text can be one run of hundreds of thousands of signs.
_BROKEN = re.compile(r"(?<![\w.:-])([\w.:-]++)[ \t]*+\n[ \t]*+([\w:-]++)")
_WORD = re.compile(r"[A-Z]?[a-z]+")
_CUT = re.compile(r"(?:\.{3}|…)$")
_MOST_NAMED = 50


class NamedId(Struct, frozen=True):
    """An id that a text names. `cut`: only its beginning, for the text breaks off or leaves out the rest."""

    text: str
    is_truncated: bool = False

    def matches(self, call_id: str) -> bool:
        """Whether it names this id."""
        return call_id.startswith(self.text) if self.is_truncated else call_id == self.text


class MessageReference(Struct, frozen=True):
    """A place in the messages of a request: `message` counted from 0 as the provider does, `block` in `inside` (its
    content, parts or tool_calls; -1 for the whole message), `field` below it. `text` is how it was written.
    """

    message: int
    block: int = -1
    list_key: str = ""
    field: str = ""
    text: str = ""


class ParsedErrorText(Struct, frozen=True):
    """A pasted text, read. `meaning` is None when its wording is not known; `tool` is a tool that it names.

    `plain` is the text on one line without quotes and escapes, `narrow` the same without spaces.
    """

    text: str
    flat_text: str
    text_without_spaces: str
    explanation: ErrorExplanation | None
    ids: tuple[NamedId, ...] = ()
    references: tuple[MessageReference, ...] = ()
    request_ids: tuple[str, ...] = ()
    tool: str = ""

    @property
    def profile(self) -> str:
        """Whose words they are, "" when that is not known."""
        return self.explanation.profile if self.explanation else ""

    @property
    def rules(self) -> tuple[str, ...]:
        return self.explanation.rules if self.explanation else ()


def parse_error_text(text: str) -> ParsedErrorText:
    """Take a text apart, in whatever shape it was pasted."""
    clean = strip_decoration(text)
    plain = flatten_text(clean)
    narrow, tool = remove_spaces(plain), _TOOL.search(plain)
    return ParsedErrorText(
        text=text,
        flat_text=plain,
        text_without_spaces=narrow,
        explanation=explain_error(text),
        ids=tuple(dict.fromkeys([*_ids(plain), *_rejoined_ids(clean)]))[:_MOST_NAMED],
        references=tuple(_once(_references(plain) or _references(narrow)))[:_MOST_NAMED],
        request_ids=tuple(dict.fromkeys(_REQUEST.findall(plain)))[:_MOST_NAMED],
        tool=tool["name"] if tool else "",
    )


def _once(spots: list[MessageReference]) -> list[MessageReference]:
    """Every place once, though it be written in two ways."""
    return list({(spot.message, spot.block): spot for spot in reversed(spots)}.values())[::-1]


def _ids(plain: str) -> Iterator[NamedId]:
    """The ids of a flat text: behind the words that lead up to one, and wherever one has the look of one."""
    for behind in _ID_CONTEXTS:
        for found in behind.finditer(plain):
            for token in re.split(r",? and |[, ]+", found["ids"]):
                if not _PATH.match(token) and not (token.isalpha() and token.islower()):
                    yield from _named(token)
    for found in _ID.finditer(plain):
        yield from _named(found[0] + ("…" if plain[found.end() : found.end() + 3].startswith(("…", "...")) else ""))


def _rejoined_ids(clean: str) -> Iterator[NamedId]:
    """Ids that a terminal broke at the end of a line: with the beginning of the next line they are whole."""
    for found in _BROKEN.finditer(clean):
        whole = found[1] + found[2]
        if _ID.fullmatch(found[1]) and _ID.fullmatch(whole) and not _WORD.fullmatch(found[2]):
            yield from _named(whole)


def _named(token: str) -> Iterator[NamedId]:
    cut = _CUT.search(token) is not None
    bare = token.rstrip("….,:;!?")
    if bare and bare not in _NO_IDS and not (cut and len(bare) < 6):
        yield NamedId(bare, cut)


def _references(plain: str) -> list[MessageReference]:
    """The places that a text names, those with an index path first."""
    found = []
    for path in _PATH.finditer(plain):
        inner = _INNER.search(path["rest"])
        rest = path["rest"][inner.end() :] if inner else path["rest"]
        field = ".".join(word for word in re.findall(r"[A-Za-z_]+", rest) if word != "member")
        block, inside = (int(inner["number"]), inner["list"]) if inner else (-1, "")
        found.append(MessageReference(int(path["number"]), block, inside, field, path[0].rstrip(".")))
    for said, first in _SPOKEN_NUMBERS:
        found += [MessageReference(int(each["number"]) - first, text=each[0]) for each in said.finditer(plain)]
    return found
