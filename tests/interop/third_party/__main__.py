"""`python -m tests.interop.third_party`: install the judges and the frameworks, and print eleven tables.

The first holds each judge to what it is known to catch; the second asks it about every repaired log of the cases, in
every format. The third tries the adapters of `resources/docs/frameworks.md` against the fake provider. In the
others, programs continue broken logs before and after their repair: the OpenAI Agents SDK (`sessions`), versions 4 to 7
of the AI SDK (`messages`), agents of LangGraph (`threads`), OpenClaw and omp (`files`), Pydantic AI (`runs`), agents of
Strands (`folders`), Google ADK (`events`), and Hermes (`rows`). The exit code is 1 when a judge judges otherwise than
its row says or refuses a repaired log, when an adapter fails, or when a log is not continued or sent as predicted.
Names of judges and frameworks, and these words, limit it to them.
"""

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from tests.core.formats import WRITABLE
from tests.interop.third_party import (
    agent_sessions,
    ai_sdk,
    google_adk_sessions,
    graph_threads,
    hermes_sessions,
    pydantic_ai_runs,
    session_files,
    strands_sessions,
)
from tests.interop.third_party.adapters import ADAPTERS, ENVIRONMENT, Adapter, tried
from tests.interop.third_party.environments import Environment, NotInstalled
from tests.interop.third_party.judges import HISTORIES, JUDGES, Judge
from tests.interop.third_party.repaired import Sample, samples
from tests.interop.third_party.shapes import SHAPES
from tests.support.notation import History, parse, show


def judged(judge: Judge, histories: list[History]) -> list[bool]:
    return judge.refuses([SHAPES[judge.shape](history) for history in histories])


def known(judges: list[Judge], console: Console) -> int:
    """The first table; the number of judgements that are not those of the rows."""
    table = Table("judge", "package", *HISTORIES, title="Refused (X) and accepted (.)")
    wrong = 0
    for judge in judges:
        refused = dict(zip(HISTORIES, judged(judge, [parse(each) for each in HISTORIES.values()]), strict=True))
        expected = set(judge.catches.split())
        cells = [("X" if no else ".") + ("" if no == (name in expected) else "!") for name, no in refused.items()]
        wrong += sum("!" in cell for cell in cells)
        table.add_row(judge.name, judge.environment.packages[0], *cells)
    console.print(table)
    if wrong:
        console.print(f"{wrong} judgements (!) are not those that the pinned versions gave.")
    return wrong


def agreement(judges: list[Judge], console: Console) -> int:
    """The second table; the number of repaired logs that somebody refuses."""
    found: list[Sample] = list(samples())
    table = Table("repaired logs of", "cases", *(judge.name for judge in judges), title="Accepted repairs")
    refused: Counter[tuple[str, str]] = Counter()
    for judge in judges:
        for sample, no in zip(found, judged(judge, [sample.history for sample in found]), strict=True):
            if no and sample.case.split()[0] != judge.objects_to:
                refused[sample.format, judge.name] += 1
                console.print(
                    f"{judge.name} refuses {sample.case} of {sample.format}: {show(sample.history)}", style="red"
                )
    for name in WRITABLE:
        number = sum(sample.format == name for sample in found)
        table.add_row(name, str(number), *(str(number - refused[name, judge.name]) for judge in judges))
    console.print(table)
    return refused.total()


def adaptation(adapters: list[Adapter], console: Console) -> int:
    """The third table; the number of histories that are not refused, repaired and answered as they shall be."""
    table = Table("framework", *HISTORIES, title="Refused without the adapter (X), and answered with it (.)")
    wrong = 0
    for adapter in adapters:
        trials = tried(adapter, str(ENVIRONMENT.python))
        for trial in trials:
            if trial.wrong:
                wrong += 1
                console.print(f"{adapter.name}, {trial.history}: {trial.wrong}", style="red")
        cells = [("X" if trial.refused else "") + ("!" if trial.wrong else ".") for trial in trials]
        table.add_row(adapter.name, *cells)
    console.print(table)
    return wrong


def resumption(console: Console) -> int:
    """The fourth table; the number of sessions that are not resumed as predicted, or not after their repair."""
    table = Table("session", "verdict", "predicted", "resumed", "repaired and resumed", title="Resumed by the SDK")
    with TemporaryDirectory() as folder:
        found = agent_sessions.tried(Path(folder), str(agent_sessions.ENVIRONMENT.python))
    for each in found:
        answers = ("refused" if resumed.refused else "answered" for resumed in (each.before, each.after))
        table.add_row(each.name, each.verdict, each.outcome, *answers)
        for wrong in each.wrong:
            console.print(f"{each.name}: {wrong}", style="red")
    console.print(table)
    return sum(bool(each.wrong) for each in found)


def conversion(versions: list[str], console: Console) -> int:
    """The fifth table; the number of histories that are not sent as predicted, or not after their repair."""
    table = Table("messages", "version", "verdict, predicted", "real", "repaired", title="Sent by the AI SDK")
    with TemporaryDirectory() as folder:
        found = ai_sdk.tried(Path(folder), versions)
    for each in found:
        answers = ("refused" if told.startswith(("AI_", "the SDK")) else "sent" for told in (each.real, each.repaired))
        table.add_row(each.name, each.version, each.verdict, *answers)
        for wrong in each.wrong:
            console.print(f"{each.name}, version {each.version}: {wrong}", style="red")
    console.print(table)
    return sum(bool(each.wrong) for each in found)


def continuation(console: Console) -> int:
    """The sixth table; the number of threads that do not go on as predicted, or not after their repair."""
    table = Table(
        "thread", "verdict", "predicted", "continued", "repaired and continued", title="Continued by LangGraph"
    )
    with TemporaryDirectory() as folder:
        found = graph_threads.tried(Path(folder), str(graph_threads.ENVIRONMENT.python))
    for each in found:
        answers = ("refused" if refused else "answered" for refused, _ in (each.before, each.after))
        table.add_row(each.name, each.verdict, each.outcome, *answers)
        for wrong in each.wrong:
            console.print(f"{each.name}: {wrong}", style="red")
    console.print(table)
    return sum(bool(each.wrong) for each in found)


def loading(names: list[str], console: Console) -> int:
    """The seventh table; the number of session files that are not sent as predicted, or not after their repair."""
    table = Table("file", "program", "verdict, predicted", "real", title="Loaded by OpenClaw and omp")
    wrong = 0
    for name in names:
        with TemporaryDirectory() as folder:
            found = session_files.tried(session_files.PROGRAMS[name], Path(folder))
        wrong += sum(bool(each.wrong) for each in found)
        for each in found:
            table.add_row(each.name, name, each.verdict, each.before)
            for told in each.wrong:
                console.print(f"{each.name}, {name}: {told}", style="red")
    console.print(table)
    return wrong


def runs(versions: list[str], console: Console) -> int:
    """The eighth table; the number of histories that are not sent as predicted, or not after their repair."""
    table = Table("history", "version", "API", "verdict", "predicted", "real", "repaired", title="Sent by Pydantic AI")
    found = []
    for version, wire in pydantic_ai_runs.RUNS:
        if version in versions:
            with TemporaryDirectory() as folder:
                found += [(wire, each) for each in pydantic_ai_runs.tried(Path(folder), version, wire)]
    for wire, each in found:
        answers = ("refused" if run.error else "answered" for run in (each.before, each.after))
        table.add_row(each.name, each.version, wire, each.verdict, each.outcome, *answers)
        for wrong in each.wrong:
            console.print(f"{each.name}, version {each.version}, {wire}: {wrong}", style="red")
    console.print(table)
    return sum(bool(each.wrong) for _, each in found)


def folders(console: Console) -> int:
    """The ninth table; the number of sessions that are not continued as predicted, or not after their repair."""
    table = Table("session", "API", "verdict", "predicted", "continued", "repaired", title="Continued by Strands")
    found = []
    for wire in strands_sessions.WIRES:
        with TemporaryDirectory() as folder:
            found += [each for each in strands_sessions.tried(Path(folder), wire) if each.wire == each.profile]
    for each in found:
        answers = ("refused" if run.error else "answered" for run in (each.before, each.after))
        table.add_row(each.name, each.wire, each.verdict, each.outcome, *answers)
        for wrong in each.wrong:
            console.print(f"{each.name}, {each.wire}: {wrong}", style="red")
    console.print(table)
    return sum(bool(each.wrong) for each in found)


def replay(versions: list[str], console: Console) -> int:
    """The tenth table; the number of sessions that are not sent as predicted, or not after their repair."""
    table = Table("session", "version", "model", "verdict", "predicted", "real", "repaired", title="Sent by Google ADK")
    found = []
    for version, wire in google_adk_sessions.RUNS:
        if version in versions:
            with TemporaryDirectory() as folder:
                found += google_adk_sessions.tried(Path(folder), version, wire)
    for each in found:
        answers = ("refused" if run.error else "answered" for run in (each.before, each.after))
        table.add_row(each.name, each.version, each.wire, each.verdict, each.outcome, *answers)
        for wrong in each.wrong:
            console.print(f"{each.name}, version {each.version}, {each.wire}: {wrong}", style="red")
    console.print(table)
    return sum(bool(each.wrong) for each in found)


def resumption_of_rows(console: Console) -> int:
    """The eleventh table; the number of sessions of Hermes that are not resumed as predicted."""
    table = Table("broken", "verdict", "outcome", "before", "after", title="Sessions of Hermes")
    with TemporaryDirectory() as folder:
        found = hermes_sessions.tried(Path(folder))
    for each in found:
        answers = ("refused" if run.error else "answered" for run in (each.before, each.after))
        table.add_row(each.name, each.verdict, each.outcome, *answers)
        for wrong in each.wrong:
            console.print(f"{each.name}: {wrong}", style="red")
    console.print(table)
    return sum(bool(each.wrong) for each in found)


def is_installed(name: str, environment: Environment, console: Console) -> bool:
    try:
        console.print(f"{name}: {' '.join(environment.packages)} in {environment.folder}")
        environment.install()
    except NotInstalled as error:
        console.print(f"{name} could not be installed: {error}", style="yellow")
        return False
    return True


def main(names: list[str]) -> int:
    console = Console(width=200, highlight=False, markup=False)
    judges = [judge for judge in JUDGES if not names or judge.name in names]
    judges = [judge for judge in judges if is_installed(judge.name, judge.environment, console)]
    adapters = [adapter for adapter in ADAPTERS if not names or adapter.name in names]
    adapters = [adapter for adapter in adapters if is_installed(adapter.name, ENVIRONMENT, console)]
    wrong = known(judges, console) + agreement(judges, console) if judges else 0
    wrong += adaptation(adapters, console) if adapters else 0
    if (not names or "sessions" in names) and is_installed("sessions", agent_sessions.ENVIRONMENT, console):
        wrong += resumption(console)
    if not names or "messages" in names:
        kept = [number for number, each in ai_sdk.VERSIONS.items() if is_installed(f"AI SDK {number}", each, console)]
        wrong += conversion(kept, console)
    if (not names or "threads" in names) and is_installed("threads", graph_threads.ENVIRONMENT, console):
        wrong += continuation(console)
    if not names or "files" in names:
        programs = session_files.PROGRAMS.items()
        wrong += loading([name for name, each in programs if is_installed(name, each.environment, console)], console)
    if not names or "runs" in names:
        releases = pydantic_ai_runs.VERSIONS.items()
        kept = [version for version, each in releases if is_installed(f"Pydantic AI {version}", each, console)]
        wrong += runs(kept, console)
    if (not names or "folders" in names) and is_installed("folders", strands_sessions.ENVIRONMENT, console):
        wrong += folders(console)
    if not names or "events" in names:
        releases = google_adk_sessions.VERSIONS.items()
        kept = [version for version, each in releases if is_installed(f"Google ADK {version}", each, console)]
        wrong += replay(kept, console)
    if (not names or "rows" in names) and is_installed("rows", hermes_sessions.ENVIRONMENT, console):
        wrong += resumption_of_rows(console)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
