"""The cases of the repair catalogue as data: a history, what is wrong with it, and what each strategy makes of it.

`=` stands for the same bytes, `refused` for a plan that leaves the history invalid, so that nothing is written.
Findings are `rule:call`; one in brackets may or may not be reported beside the others.
"""

from dataclasses import dataclass, field

SAME = "="
REFUSED = "refused"
MESSAGES_AND_LOGS = ("anthropic", "openai", "claude-code")


@dataclass(frozen=True)
class Outcome:
    """What a repair makes of a history. `loses` are words that the loss report must hold."""

    history: str
    loses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """`repairs` maps strategies ("" is the default preset) to the history that they make.

    `openai` and `openai_findings` stand in for `repairs` and `findings` where that format differs.
    """

    id: str
    history: str
    findings: str
    repairs: dict[str, str | Outcome]
    openai: dict[str, str | Outcome] = field(default_factory=dict)
    openai_findings: str | None = None
    formats: tuple[str, ...] = MESSAGES_AND_LOGS

    def expected(self, format_name: str) -> dict[str, Outcome]:
        table = self.repairs | (self.openai if format_name == "openai" else {})
        return {key: value if isinstance(value, Outcome) else Outcome(value) for key, value in table.items()}

    def expected_findings(self, format_name: str) -> list[str]:
        differs = format_name == "openai" and self.openai_findings is not None
        return (self.openai_findings if differs else self.findings).split()


def lost(history: str, *words: str) -> Outcome:
    return Outcome(history, words)


ANTHROPIC = ("anthropic", "claude-code")

CASES = [
    Case("T01 sound", 'u | a"t"{A,B} | r(A=alpha,B=beta) | a"ok"', "", {"": SAME}),
    Case(
        "T02 one turn in two messages",
        'u | a{A} | a{B} | r(A=alpha,B=beta) | a"ok"',
        "",
        {"": SAME},
        openai={"": 'u | a{A} | r(A=alpha) | a{B} | r(B=beta) | a"ok"'},
        openai_findings="R4:A",
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
    Case("T04 nothing but the call", "u | a{A}", "D1:A", {"": "u | a{A} | PH!(A)", "D1=drop-call": "u"}),
    Case(
        "T05 one of two answered",
        'u | a"thinking aloud"{A,B} | r(A=alpha)',
        "D3:B",
        {
            "": 'u | a"thinking aloud"{A,B} | r(A=alpha),PH!(B)',
            "D3=drop-call": 'u | a"thinking aloud"{A} | r(A=alpha)',
            "D3=drop-exchange": lost('u | a"thinking aloud"', "alpha"),
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
        },
    ),
    Case(
        "T07 the later one answered",
        'u | a{A,B} | r(B=beta) | a"ok"',
        "D3:A",
        {"": 'u | a{A,B} | r(B=beta),PH!(A) | a"ok"'},
    ),
    Case(
        "T08 two messages, none answered",
        'u | a{A} | a{B} | u"go on"',
        "D4:A D4:B",
        {"": 'u | a{A} | a{B} | PH!(A),PH!(B)+"go on"'},
        openai={"": 'u | a{A} | PH(A) | a{B} | PH(B) | u"go on"'},
    ),
    Case(
        "T09 user text before the result",
        'u | a{A} | u"hi" | r(A=alpha) | a"ok"',
        "R3:A (R9:A)",
        {"": 'u | a{A} | r(A=alpha)+"hi" | a"ok"'},
    ),
    Case(
        "T10 user text between, and one unanswered",
        'u | a{A,B} | u"hi" | r(A=alpha) | a"ok"',
        "R3:A D3:B (R9:A)",
        {"": 'u | a{A,B} | r(A=alpha),PH!(B)+"hi" | a"ok"'},
    ),
    Case(
        "T11 result behind another answer",
        'u | a{A} | u"hi" | a"mm" | r(A=alpha) | a"ok"',
        "R4:A",
        {"": 'u | a{A} | r(A=alpha)+"hi" | a"mm" | a"ok"'},
    ),
    Case(
        "T12 developer message between",
        'u | a{A} | dev"reminder" | r(A=alpha)',
        "R3:A",
        {"": 'u | a{A} | r(A=alpha) | dev"reminder"'},
        formats=("openai",),
    ),
    Case(
        "T13 result before its call",
        'u | r(A=alpha) | a{A} | u"go on"',
        "R2:A (D2:A)",
        {
            "": 'u | a{A} | r(A=alpha)+"go on"',
            "R2=drop": lost('u | a{A} | PH!(A)+"go on"', "alpha"),
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
        openai={"R1=drop": lost('a"ok" | u"q"', "alpha")},
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
        {"": "u | a{A} | r(A=alpha)+note(A=beta)"},
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
    ),
    Case(
        "T22 somebody else's placeholder",
        'u | a{A} | r(A=aborted) | u"q" | r(A=alpha)',
        "R6:A (R3:A)",
        {"": 'u | a{A} | r(A=alpha) | u"q"'},
    ),
    Case(
        "T23 no placeholder, though it begins like one",
        'u | a{A} | r(A="aborted: 3 tests failed") | u"q" | r(A=alpha)',
        "R7:A (R3:A)",
        {"": 'u | a{A} | r(A="aborted: 3 tests failed") | u"q" | note(A=alpha)'},
    ),
    Case(
        "T24 id used again",
        "u | a{c0} | r(c0=one) | u | a{c0} | r(c0=two) | a",
        "K1:c0",
        {"": "u | a{c0} | r(c0=one) | u | a{c0_2} | r(c0_2=two) | a"},
        openai={"": SAME},
        openai_findings="",
    ),
    Case(
        "T25 id used again, the first unanswered",
        'u | a{c0} | u"q2" | a"t2"{c0} | r(c0=two) | a',
        "K1:c0 D2:c0",
        {"": 'u | a{c0} | PH!(c0)+"q2" | a"t2"{c0_2} | r(c0_2=two) | a'},
        openai={"": 'u | a{c0} | PH(c0) | u"q2" | a"t2"{c0} | r(c0=two) | a'},
        openai_findings="D2:c0",
    ),
    Case(
        "T26 id used again, the second unanswered",
        'u | a"t"{c0} | r(c0=one) | u | a"t2"{c0} | u"q3" | a',
        "K1:c0 D2:c0",
        {
            "": 'u | a"t"{c0} | r(c0=one) | u | a"t2"{c0_2} | PH!(c0_2)+"q3" | a',
            "D2=drop-call": 'u | a"t"{c0} | r(c0=one) | u | a"t2" | u"q3" | a',
        },
        openai={"": 'u | a"t"{c0} | r(c0=one) | u | a"t2"{c0} | PH(c0) | u"q3" | a'},
        openai_findings="D2:c0",
    ),
    Case(
        "T27 one id for everything",
        "u | a{k} | r(k=one) | u | a{k} | r(k=two) | u | a{k} | r(k=three)",
        "K1:k",
        {"": "u | a{k} | r(k=one) | u | a{k_2} | r(k_2=two) | u | a{k_3} | r(k_3=three)"},
        openai={"": SAME},
        openai_findings="",
    ),
    Case("T28 call repeated in its turn", "u | a{A,A} | r(A=alpha)", "K2:A", {"": "u | a{A} | r(A=alpha)"}),
    Case(
        "T29 two calls share an id",
        "u | a{A p=1,A p=2} | r(A=alpha,A=beta)",
        "K2:A",
        {"": "u | a{A p=1,A_2 p=2} | r(A=alpha,A_2=beta)"},
    ),
    Case(
        "T30 result under another id",
        "u | a{A} | r(X=alpha) | a",
        "R8:X D2:A",
        {
            "": "u | a{A} | PH!(A)+note(X=alpha) | a",
            "R8=match": "u | a{A} | r(A=alpha) | a",
        },
    ),
    Case(
        "T31 nobody can tell whose result it is",
        "u | a{A,B} | r(X=alpha) | a",
        "R1:X D2:A D2:B",
        {"": "u | a{A,B} | PH!(A),PH!(B)+note(X=alpha) | a"},
    ),
    Case(
        "T35 text before the result in one turn",
        'u | a{A} | "n"+r(A=alpha) | a',
        "R9:A",
        {"": 'u | a{A} | r(A=alpha)+"n" | a'},
        openai_findings="R3:A",
    ),
    Case("T36 results in two turns", "u | a{A,B} | r(A=alpha) | r(B=beta) | a", "", {"": SAME}),
    Case(
        "T38 one message in four lines",
        'u | A[m1]th | A[m1]"t" | A[m1]{A} | r(A=alpha) | A[m1]{B} | r(B=beta)',
        "",
        {"": SAME},
        formats=("claude-code",),
    ),
    Case(
        "T39 unanswered fragment",
        'u | A[m1]"t" | A[m1]{A} | A[m1]{B} | r(A=alpha)',
        "D3:B",
        {
            "": 'u | a"t"{A,B} | r(A=alpha),PH!(B)',
            "D3=drop-call": 'u | a"t"{A} | r(A=alpha)',
        },
        formats=("claude-code",),
    ),
    Case(
        "T44 thinking beside an unanswered call",
        'u | a[th]"t"{A,B} | r(A=alpha) | u',
        "D3:B",
        {"": 'u | a[th]"t"{A,B} | r(A=alpha),PH!(B) | u'},
        formats=ANTHROPIC,
    ),
    Case(
        "T54 blank text beside a call",
        'u | a""{A} | r(A=alpha) | a',
        "M6",
        {"": "u | a{A} | r(A=alpha) | a"},
        formats=ANTHROPIC,
    ),
    Case("T54 blank text is legal for OpenAI", 'u | a""{A} | r(A=alpha) | a', "", {"": SAME}, formats=("openai",)),
]
