"""The judges: whose program, in which shape, and what each is known to catch. JUDGES is the table.

The histories B1 to B8 are broken, S1 to S5 are sound, X9 uses an id again in a later turn. `catches` is what a judge
was seen to refuse when its version was pinned: `test_judges` and `python -m tests.interop.third_party` hold it to that,
so that an upgrade that changes its judgement is noticed.
"""

from dataclasses import dataclass
from typing import Any

from tests.interop.third_party.environments import ENVIRONMENTS, Environment

HISTORIES = {
    "S1": 'u"Oslo and Rome?" | a{A,B} | r(A=3C,B=20C) | a"3C and 20C" | u"thanks"',
    "S2": 'u"Oslo, then Rome?" | a"checking"{A} | r(A=3C) | a{B} | r(B=20C)',
    "S3": 'u"Oslo and Rome?" | a{A,B} | r(B=20C,A=3C) | a"ok" | u"thanks"',
    "S4": 'u"Oslo?" | a{A} | r!(A=timeout) | a"failed" | u"again"',
    "S5": 'u"hi" | a"hello" | u"bye"',
    "B1": 'u"Oslo and Rome?" | a{A,B} | r(A=3C) | a"ok" | u"thanks"',
    "B2": 'u"hi" | a"hello" | r(A=3C) | a"ok" | u"thanks"',
    "B3": 'u"Oslo?" | r(A=3C) | a{A} | u"well?"',
    "B4": 'u"Oslo?" | a{A} | r(A=3C,A=3C) | a"ok" | u"thanks"',
    "B5": 'u"Oslo?" | a{A} | u"wait" | r(A=3C) | a"ok" | u"thanks"',
    "B6": 'u"Oslo?" | a{A,A} | r(A=3C,A=20C) | a"ok" | u"thanks"',
    "B7": 'u"Oslo?" | a{A}',
    "B8": 'u"Oslo?" | a{A} | u"never mind"',
    "X9": 'u"Oslo?" | a{A} | r(A=3C) | a"ok" | u"Rome?" | a{A} | r(A=20C) | a"ok" | u"thanks"',
}
BROKEN = tuple(name for name in HISTORIES if name[0] == "B")


@dataclass(frozen=True)
class Judge:
    """`caveat` says why it misses what it misses; `objects_to` is the case that it alone takes for broken."""

    name: str
    environment: Environment
    program: str
    shape: str
    catches: str
    caveat: str = ""
    objects_to: str = ""

    def refuses(self, histories: list[list[dict[str, Any]]]) -> list[bool]:
        """The judgement of histories in its own shape."""
        return [answer["refused"] for answer in self.environment.ask(self.program, histories)]


JUDGES = (
    Judge(
        "pydantic-ai",
        ENVIRONMENTS["pydantic-ai"],
        "pydantic_ai_repair.py",
        "pydantic-ai",
        "B1 B2 B3 B7 B8",
        caveat="counts results in any order within a turn of the user",
    ),
    Judge(
        "strands",
        ENVIRONMENTS["strands"],
        "strands_fix.py",
        "bedrock",
        "B1 B2 B3 B5 B8",
        caveat="compares sets of ids, and leaves the tail to the next run",
    ),
    Judge(
        "inspect_ai",
        ENVIRONMENTS["inspect-ai"],
        "inspect_ai_pad.py",
        "anthropic",
        "B1 B2 B3 B5 B7 B8",
        caveat="compares sets of ids",
    ),
    Judge(
        "AI SDK",
        ENVIRONMENTS["ai-sdk"],
        "ai_sdk_generate.mjs",
        "model-messages",
        "B1 B3 B5 B7 B8",
        caveat="looks for missing results alone",
    ),
    Judge(
        "openai-agents",
        ENVIRONMENTS["openai-agents"],
        "openai_agents_drop.py",
        "responses",
        "B1 B2 B7 B8",
        caveat="an output anywhere is an answer",
    ),
    Judge("google-adk", ENVIRONMENTS["google-adk"], "google_adk_rearrange.py", "gemini", "B1 B2 B3 B5 B7 B8"),
    Judge(
        "LiteLLM",
        ENVIRONMENTS["litellm"],
        "litellm_sanitize.py",
        "openai",
        "B1 B2 B3 B4 B6 B7 B8",
        caveat="passes over a user message between call and result",
        objects_to="T54",  # it fills in a blank text, which OpenAI takes as it is
    ),
    Judge(
        "LangGraph",
        ENVIRONMENTS["langgraph"],
        "langgraph_validate.py",
        "langchain",
        "B1 B7 B8",
        caveat="any result anywhere is an answer",
    ),
)
