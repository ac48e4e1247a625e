"""The cases of the repair catalogue as data: a history, what is wrong with it, and what each strategy makes of it.

`=` stands for the same bytes, `refused` for a plan that leaves the history invalid, so that nothing is written.
Findings are `rule:call`; one in brackets may or may not be reported beside the others. What is expected is what
Anthropic's rules ask for; `differs` says where another provider's, or one format, differ. A placeholder is `PH!`: where
a format has no error flag the format's own writer leaves it out of the expectation.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.core.formats.written import WrittenFormat

SAME = "="
REFUSED = "refused"


@dataclass(frozen=True)
class Outcome:
    """What a repair makes of a history. `loses` are words that the loss report must hold."""

    history: str
    loses: tuple[str, ...] = ()


Repairs = dict[str, str | Outcome]


@dataclass(frozen=True)
class Reading:
    """What one provider, or one format, makes of a case where it differs."""

    repairs: Repairs = field(default_factory=dict)
    findings: str | None = None


@dataclass(frozen=True)
class Case:
    """`repairs` maps strategies ("" is the default preset) to the history that they make.

    `differs` maps providers, formats and further words of these (several for several) to what they make of it instead.
    `only` are the formats that can hold the case, where a `why` keeps all others from it. `profile` is asked for in
    place of the session's own provider.
    """

    id: str
    history: str
    findings: str
    repairs: Repairs
    differs: dict[str, Reading] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    why: str = ""
    profile: str = ""

    def expected(self, written: WrittenFormat) -> dict[str, Outcome]:
        table = self.repairs
        for reading in self._readings(written):
            table = table | reading.repairs
        return {key: value if isinstance(value, Outcome) else Outcome(value) for key, value in table.items()}

    def expected_findings(self, written: WrittenFormat) -> list[str]:
        told = [reading.findings for reading in self._readings(written) if reading.findings is not None]
        return (told[-1] if told else self.findings).split()

    def cannot(self, written: WrittenFormat) -> str:
        """Why the format cannot hold this case, "" when it can."""
        if self.only and written.name not in self.only:
            return self.why
        keys = [self.id.split()[0], *(finding.partition(":")[0] for finding in self.findings.split())]
        return next((written.cannot[key] for key in keys if key in written.cannot), "")

    def _readings(self, written: WrittenFormat) -> Iterator[Reading]:
        """The provider's first, the format's last."""
        for name in (written.provider, *written.also, written.name):
            yield from (reading for key, reading in self.differs.items() if name in key.split())


def lost(history: str, *words: str) -> Outcome:
    return Outcome(history, words)


SIGNED = ("claude-code", "claude-stream", "cline-task", "cline-sdk", "anthropic-messages")
UNSIGNED = "it keeps no signed reasoning, and no calls of the provider's own tools"
FRAGMENTS = "no other program writes one message in several records, with results between them"

PER_TURN = "openai-chat gemini"  # ids need to be unique within a turn only
# Two messages of the assistant are not one turn: to the provider, or to the agent that sends them.
AS_THEY_STAND = "openai-chat gemini bedrock-converse strands claude-code claude-stream cline-sdk cline-task"
ITEMS = "openai-responses"  # no messages: every block is an item of its own, and an output is found by id
BLANKS_PASS = "openai-chat openai-responses gemini"

ANY_ID = "openai-chat openai-responses gemini"


def in_a_text(mended: str) -> dict[str, Reading]:
    """The input of a call is a text to OpenAI, whatever it holds; others keep what they read of it."""
    kept = Reading({"": mended}, "K6:A")
    return {"openai-chat openai-responses dsh": Reading({"": SAME}, ""), "keeps-inputs": kept}


def per_turn(reading: Reading, strict: str, findings: str) -> dict[str, Reading]:
    """Qwen Code and Hermes leave a call out whose id an earlier one had, though its provider would take it."""
    of_hermes = Reading({"": strict.replace(')+"', ') | u"')}, findings)
    return {
        PER_TURN: reading,
        "qwen-code": Reading({"": strict}, findings),
        "hermes hermes-database hermes-rows": of_hermes,
    }


CASES = [
    Case(
        "T01 sound",
        'u | a"t"{A,B} | r(A=alpha,B=beta) | a"ok"',
        "",
        {"": SAME, "D1=drop-call D2=drop-exchange D3=cut-tail R1=drop R3=drop": SAME},
    ),
    Case(
        "T02 one turn in two messages",
        'u | a{A} | a{B} | r(A=alpha,B=beta) | a"ok"',
        "",
        {"": SAME},
        {AS_THEY_STAND: Reading({"": 'u | a{A} | r(A=alpha) | a{B} | r(B=beta) | a"ok"'}, "R4:A")},
    ),
    Case(
        "T03 call at the end",
        'u | a"thinking aloud"{A}',
        "D1:A",
        {
            "": 'u | a"thinking aloud"{A} | PH!(A)',
            "D1=leave": REFUSED,
            "D1=drop-call": 'u | a"thinking aloud"',
            "D1=drop-exchange": lost("u", "thinking aloud"),
            "D1=cut-tail": lost("u", "thinking aloud"),
        },
    ),
    Case(
        "T04 nothing but the call",
        "u | a{A}",
        "D1:A",
        {"": "u | a{A} | PH!(A)", "D1=drop-call": "u", "D1=drop-exchange": "u", "D1=cut-tail": "u"},
    ),
    Case(
        "T05 one of two answered",
        'u | a"thinking aloud"{A,B} | r(A=alpha)',
        "D3:B",
        {
            "": 'u | a"thinking aloud"{A,B} | r(A=alpha),PH!(B)',
            "D3=drop-call": 'u | a"thinking aloud"{A} | r(A=alpha)',
            "D3=drop-exchange": lost('u | a"thinking aloud"', "alpha"),
            "D3=cut-tail": lost("u", "thinking aloud", "alpha"),
        },
    ),
    Case(
        "T06 unanswered in the middle",
        'u | a"thinking aloud"{A} | u"stop" | a"ok"',
        "D2:A",
        {
            "": 'u | a"thinking aloud"{A} | PH!(A)+"stop" | a"ok"',
            "D2=drop-call": 'u | a"thinking aloud" | u"stop" | a"ok"',
            "D2=drop-exchange": lost('u | u"stop" | a"ok"', "thinking aloud"),
            "D2=cut-tail": lost("u", "thinking aloud", "stop", "ok"),
        },
    ),
    Case(
        "T07 the later one answered",
        'u | a{A,B} | r(B=beta) | a"ok"',
        "D3:A",
        {
            "": 'u | a{A,B} | r(B=beta),PH!(A) | a"ok"',
            "D3=drop-call": 'u | a{B} | r(B=beta) | a"ok"',
            "D3=drop-exchange": lost('u | a"ok"', "beta"),
        },
        {"gemini": Reading({"": 'u | a{A,B} | PH!(A),r(B=beta) | a"ok"'})},
    ),
    Case(
        "T08 two messages, none answered",
        'u | a{A} | a{B} | u"go on"',
        "D4:A D4:B",
        {"": 'u | a{A} | a{B} | PH!(A),PH!(B)+"go on"', "D2=drop-call D4=drop-call": 'u | u"go on"'},
        {
            AS_THEY_STAND: Reading({"": 'u | a{A} | PH!(A) | a{B} | PH!(B) | u"go on"'}),
            ITEMS: Reading(findings="D2:A D2:B"),
        },
    ),
    Case(
        "T09 user text before the result",
        'u | a{A} | u"hi" | r(A=alpha) | a"ok"',
        "R3:A (R9:A)",
        {"": 'u | a{A} | r(A=alpha)+"hi" | a"ok"', "R3=leave M3=leave": REFUSED},
        {ITEMS: Reading({"": SAME, "R3=leave M3=leave": SAME}, "")},
    ),
    Case(
        "T10 user text between, and one unanswered",
        'u | a{A,B} | u"hi" | r(A=alpha) | a"ok"',
        "R3:A D3:B (R9:A)",
        {
            "": 'u | a{A,B} | r(A=alpha),PH!(B)+"hi" | a"ok"',
            "D3=drop-call": 'u | a{A} | r(A=alpha)+"hi" | a"ok"',
        },
        {
            ITEMS: Reading(
                {
                    "": 'u | a{A,B} | PH!(B)+"hi"+r(A=alpha) | a"ok"',
                    "D3=drop-call": 'u | a{A} | u"hi" | r(A=alpha) | a"ok"',
                },
                "D3:B",
            )
        },
    ),
    Case(
        "T11 result behind another answer",
        'u | a{A} | u"hi" | a"mm" | r(A=alpha) | a"ok"',
        "R4:A",
        {"": 'u | a{A} | r(A=alpha)+"hi" | a"mm" | a"ok"'},
        {ITEMS: Reading({"": SAME}, "")},
    ),
    Case(
        "T12 developer message between",
        'u | a{A} | dev"reminder" | r(A=alpha)',
        "R3:A",
        {"": 'u | a{A} | r(A=alpha) | dev"reminder"'},
        {ITEMS: Reading({"": SAME}, "")},
    ),
    Case(
        "T13 result before its call",
        'u | r(A=alpha) | a{A} | u"go on"',
        "R2:A (D2:A)",
        {
            "": 'u | a{A} | r(A=alpha)+"go on"',
            "R2=drop": lost('u | a{A} | PH!(A)+"go on"', "alpha"),
            "R2=keep-as-note": 'u | note(A=alpha) | a{A} | PH!(A)+"go on"',
        },
    ),
    Case(
        "T14 call compacted away",
        'u"summary" | r(A=alpha) | a"ok"',
        "R1:A",
        {
            "": 'u"summary" | note(A=alpha) | a"ok"',
            "R1=drop": lost('u"summary" | a"ok"', "alpha"),
        },
    ),
    Case(
        "T15 orphan at the head",
        'r(A=alpha) | a"ok" | u"q"',
        "R1:A",
        {"": 'note(A=alpha) | a"ok" | u"q"'},
        {"openai-chat openai-responses": Reading({"R1=drop": lost('a"ok" | u"q"', "alpha")})},
    ),
    Case(
        "T16 orphan beside a result",
        'u | a{A} | r(A=alpha,Z=zeta) | a"ok"',
        "R1:Z",
        {
            "": 'u | a{A} | r(A=alpha)+note(Z=zeta) | a"ok"',
            "R1=drop": lost('u | a{A} | r(A=alpha) | a"ok"', "zeta"),
        },
    ),
    Case(
        "T17 orphan between answers",
        'u | a"ok" | r(Z=zeta) | a"fine"',
        "R1:Z",
        {
            "": 'u | a"ok" | note(Z=zeta) | a"fine"',
            "R1=drop": lost('u | a"ok" | a"fine"', "zeta"),
        },
    ),
    Case("T18 the same result twice", "u | a{A} | r(A=alpha,A=alpha)", "R5:A", {"": "u | a{A} | r(A=alpha)"}),
    Case(
        "T19 two different results",
        "u | a{A} | r(A=alpha,A=beta)",
        "R7:A",
        {
            "": "u | a{A} | r(A=alpha)+note(A=beta)",
            "R7=keep-first": lost("u | a{A} | r(A=alpha)", "beta"),
            "R7=keep-last": lost("u | a{A} | r(A=beta)", "alpha"),
        },
    ),
    Case(
        "T20 placeholder after the real result",
        'u | a{A} | r(A=alpha) | a"ok" | PH(A) | a"fine"',
        "R6:A",
        {"": 'u | a{A} | r(A=alpha) | a"ok" | a"fine"'},
    ),
    Case(
        "T21 placeholder before the real result",
        'u | a{A} | PH(A) | u"q" | r(A=alpha)',
        "R6:A (R3:A)",
        {"": 'u | a{A} | r(A=alpha) | u"q"'},
        {ITEMS: Reading({"": 'u | a{A} | u"q" | r(A=alpha)'})},
    ),
    Case(
        "T22 somebody else's placeholder",
        'u | a{A} | r(A=aborted) | u"q" | r(A=alpha)',
        "R6:A (R3:A)",
        {"": 'u | a{A} | r(A=alpha) | u"q"'},
        {ITEMS: Reading({"": 'u | a{A} | u"q" | r(A=alpha)'})},
    ),
    Case(
        "T23 no placeholder, though it begins like one",
        'u | a{A} | r(A="aborted: 3 tests failed") | u"q" | r(A=alpha)',
        "R7:A (R3:A)",
        {
            "": 'u | a{A} | r(A="aborted: 3 tests failed") | u"q" | note(A=alpha)',
            "R7=keep-first": lost('u | a{A} | r(A="aborted: 3 tests failed") | u"q"', "alpha"),
        },
    ),
    Case(
        "T24 id used again",
        "u | a{c0} | r(c0=one) | u | a{c0} | r(c0=two) | a",
        "K1:c0",
        {"": "u | a{c0} | r(c0=one) | u | a{c0-2} | r(c0-2=two) | a"},
        per_turn(Reading({"": SAME}, ""), "u | a{c0} | r(c0=one) | u | a{c0-2} | r(c0-2=two) | a", "K1:c0"),
    ),
    Case(
        "T25 id used again, the first unanswered",
        'u | a{c0} | u"q2" | a"t2"{c0} | r(c0=two) | a',
        "K1:c0 D2:c0",
        {"": 'u | a{c0} | PH!(c0)+"q2" | a"t2"{c0-2} | r(c0-2=two) | a'},
        per_turn(
            Reading({"": 'u | a{c0} | PH!(c0) | u"q2" | a"t2"{c0} | r(c0=two) | a'}, "D2:c0"),
            'u | a{c0} | PH!(c0)+"q2" | a"t2"{c0-2} | r(c0-2=two) | a',
            "K1:c0 D2:c0",
        ),
    ),
    Case(
        "T26 id used again, the second unanswered",
        'u | a"t"{c0} | r(c0=one) | u | a"t2"{c0} | u"q3" | a',
        "K1:c0 D2:c0",
        {
            "": 'u | a"t"{c0} | r(c0=one) | u | a"t2"{c0-2} | PH!(c0-2)+"q3" | a',
            "D2=drop-call": 'u | a"t"{c0} | r(c0=one) | u | a"t2" | u"q3" | a',
        },
        per_turn(
            Reading({"": 'u | a"t"{c0} | r(c0=one) | u | a"t2"{c0} | PH!(c0) | u"q3" | a'}, "D2:c0"),
            'u | a"t"{c0} | r(c0=one) | u | a"t2"{c0-2} | PH!(c0-2)+"q3" | a',
            "K1:c0 D2:c0",
        ),
    ),
    Case(
        "T27 one id for everything",
        "u | a{k} | r(k=one) | u | a{k} | r(k=two) | u | a{k} | r(k=three)",
        "K1:k",
        {"": "u | a{k} | r(k=one) | u | a{k-2} | r(k-2=two) | u | a{k-3} | r(k-3=three)"},
        per_turn(
            Reading({"": SAME}, ""), "u | a{k} | r(k=one) | u | a{k-2} | r(k-2=two) | u | a{k-3} | r(k-3=three)", "K1:k"
        ),
    ),
    Case("T28 call repeated in its turn", "u | a{A,A} | r(A=alpha)", "K2:A", {"": "u | a{A} | r(A=alpha)"}),
    Case(
        "T29 two calls share an id",
        "u | a{A p=1,A p=2} | r(A=alpha,A=beta)",
        "K2:A",
        {"": "u | a{A p=1,A-2 p=2} | r(A=alpha,A-2=beta)"},
        {"kimi-code": Reading(findings="K2:A R3:A")},  # it waits for one result an id, and passes over the second
    ),
    Case(
        "T30 result under another id",
        "u | a{A} | r(X=alpha) | a",
        "R8:X D2:A",
        {
            "": "u | a{A} | PH!(A)+note(X=alpha) | a",
            "R8=match": "u | a{A} | r(A=alpha) | a",
            "R8=drop": lost("u | a{A} | PH!(A) | a", "alpha"),
        },
        # A response names its tool: one of no known call was named after its id.
        {"gemini-contents google-adk": Reading({"R8=match": lost("u | a{A} | r(A=alpha) | a", "X")})},
    ),
    Case(
        "T31 nobody can tell whose result it is",
        "u | a{A,B} | r(X=alpha) | a",
        "R1:X D2:A D2:B",
        {"": "u | a{A,B} | PH!(A),PH!(B)+note(X=alpha) | a"},
    ),
    Case(
        "T32 no id",
        'u | a{""} | r(""=alpha) | a',
        "K3",
        {"": "u | a{call-2} | r(call-2=alpha) | a"},
    ),
    Case(
        "T33 ids that are illegal, and alike when they are legal",
        "u | a{read:0} | r(read:0=alpha) | a{read-0} | r(read-0=beta) | a",
        "K4:read:0",
        {"": "u | a{read-0-2} | r(read-0-2=alpha) | a{read-0} | r(read-0=beta) | a"},
        {ANY_ID: Reading({"": SAME}, "")},
    ),
    Case(
        "T34 input null",
        "u | a{A =null} | r(A=alpha) | a",
        "K6:A",
        {"": "u | a{A} | r(A=alpha) | a"},
        {**in_a_text("u | a{A} | r(A=alpha) | a"), "gemini qwen-code goose": Reading({"": SAME}, "")},
    ),
    Case(
        "T34 input an object in a text",
        r'u | a{A ="{\"a\":1}"} | r(A=alpha) | a',
        "K6:A",
        {"": "u | a{A a=1} | r(A=alpha) | a"},
        in_a_text("u | a{A a=1} | r(A=alpha) | a"),
    ),
    Case(
        "T34 input a list",
        "u | a{A =[1]} | r(A=alpha) | a",
        "K6:A",
        {"": "u | a{A _raw=[1]} | r(A=alpha) | a"},
        in_a_text("u | a{A _raw=[1]} | r(A=alpha) | a"),
    ),
    Case(
        "T34 input broken off",
        r'u | a{A ="{\"a\":"} | r(A=alpha) | a',
        "K6:A",
        {"": r'u | a{A _raw="{\"a\":"} | r(A=alpha) | a'},
        in_a_text(r'u | a{A _raw="{\"a\":"} | r(A=alpha) | a'),
    ),
    Case(
        "T35 text before the result in one turn",
        'u | a{A} | "n"+r(A=alpha) | a',
        "R9:A",
        {"": 'u | a{A} | r(A=alpha)+"n" | a'},
        {"openai-chat gemini neovate crush": Reading(findings="R3:A"), ITEMS: Reading({"": SAME}, "")},
    ),
    Case(
        "T36 results in two turns",
        "u | a{A,B} | r(A=alpha) | r(B=beta) | a",
        "",
        {"": SAME},
        {"bedrock-converse strands gemini-contents": Reading({"": "u | a{A,B} | r(A=alpha,B=beta) | a"}, "R10:B")},
    ),
    Case(
        "T37 text behind the result in one turn",
        'u | a{A} | r(A=alpha)+"n" | a',
        "",
        {"": SAME},
        only=("bedrock-converse", "strands"),
        why="whether a text may stand behind results is a question for Bedrock alone, and its models answer yes",
    ),
    Case(
        "T38 one message in four lines",
        'u | A[m1]th | A[m1]"t" | A[m1]{A} | r(A=alpha) | A[m1]{B} | r(B=beta)',
        "",
        {"": SAME},
        only=("claude-code",),
        why=FRAGMENTS,
    ),
    Case(
        "T39 unanswered fragment",
        'u | A[m1]"t" | A[m1]{A} | A[m1]{B} | r(A=alpha)',
        "D3:B",
        {
            "": 'u | a"t"{A,B} | r(A=alpha),PH!(B)',
            "D3=drop-call": 'u | a"t"{A} | r(A=alpha)',
        },
        only=("claude-code", "claude-stream"),
        why=FRAGMENTS,
    ),
    Case(
        "T44 thinking beside an unanswered call",
        'u | a[th]"t"{A,B} | r(A=alpha) | u',
        "D3:B",
        {
            "": 'u | a[th]"t"{A,B} | r(A=alpha),PH!(B) | u',
            "D3=drop-call": lost('u | a"t"{A} | r(A=alpha) | u', "th"),
        },
        {ITEMS: Reading({"D3=drop-call": 'u | a[th]"t"{A} | r(A=alpha) | u'})},
    ),
    Case(
        "T45 reasoning behind the change",
        'u | a[th=one]"t" | u | a[th=two]{A} | u"go on" | a[th=three]"ok"',
        "D2:A",
        {"": lost('u | a[th=one]"t" | u | a[th=two]{A} | PH!(A)+"go on" | a"ok"', "three")},
        only=SIGNED,
        why=UNSIGNED,
        profile="anthropic-prefix-bound",
    ),
    Case(
        "T46 reasoning before an unanswered call",
        'u | a[th]{A} | u"go on"',
        "D2:A",
        {"": 'u | a[th]{A} | PH!(A)+"go on"', "D2=drop-call": lost('u | u"go on"', "th")},
    ),
    Case(
        "T47 server call without its result",
        'u | a s{S}"t" | u"q"',
        "X1:S",
        {"": 'u | a"t" | u"q"'},
        only=SIGNED,
        why=UNSIGNED,
    ),
    Case(
        "T47 nothing but a server call",
        'u | a s{S} | u"q"',
        "X1:S",
        {"": 'u | u"q"'},
        only=SIGNED,
        why=UNSIGNED,
    ),
    Case(
        "T48 server result without its call",
        'u | a sr(S)"t" | u',
        "X2:S",
        {"": 'u | a"t" | u'},
        only=SIGNED,
        why=UNSIGNED,
    ),
    Case(
        "T54 blank text beside a call",
        'u | a""{A} | r(A=alpha) | a',
        "M6",
        {"": "u | a{A} | r(A=alpha) | a"},
        {BLANKS_PASS: Reading({"": SAME}, "")},
    ),
    Case(
        "T56 interrupted steps before a deferred text",
        'u | a{A} | a{B} | u"n" | a{C} | r(C=gamma)',
        "D4:A D4:B",
        {"": 'u | a{A} | a{B} | PH!(A),PH!(B)+"n" | a{C} | r(C=gamma)'},
        {
            AS_THEY_STAND: Reading({"": 'u | a{A} | PH!(A) | a{B} | PH!(B) | u"n" | a{C} | r(C=gamma)'}),
            ITEMS: Reading(findings="D2:A D2:B"),
        },
    ),
    Case(
        "T56 and a stale placeholder at the end",
        'u | a{A} | a{B} | u"n" | a{C} | r(C=gamma) | a"ok" | PH(A)',
        "R4:A D2:B",
        {"": 'u | a{A} | a{B} | PH(A),PH!(B)+"n" | a{C} | r(C=gamma) | a"ok"'},
        {
            AS_THEY_STAND: Reading({"": 'u | a{A} | PH(A) | a{B} | PH!(B) | u"n" | a{C} | r(C=gamma) | a"ok"'}),
            ITEMS: Reading({"": 'u | a{A} | a{B} | PH!(B)+"n" | a{C} | r(C=gamma) | a"ok" | PH(A)'}, "D3:B"),
        },
    ),
]
