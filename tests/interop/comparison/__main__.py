"""`python -m tests.interop.comparison`: other repairers and ours over the cases of the table that OpenAI chat can hold.

A "no" names the cases. With `--cases` what each made of them is printed, too. The exit code is 1 when ours has a "no".
"""

import sys

from rich.console import Console
from rich.table import Table

from tests.core.formats import WRITABLE
from tests.core.repair.table import CASES
from tests.interop.comparison.questions import QUESTIONS, Repair
from tests.interop.comparison.repairers import REPAIRERS, Messages, Repairer
from tests.interop.third_party.environments import NotInstalled
from tests.support.notation import openai_messages, parse, show
from tests.support.projection import from_chat

# Inputs that are no objects (T34) are legal in OpenAI's texts, but LangChain's messages cannot hold them.
CHAT = [case for case in CASES if not case.cannot(WRITABLE["openai-chat"]) and not case.id.startswith("T34")]


def repairs(repairer: Repairer, histories: list[Messages]) -> list[Repair]:
    made = repairer.repair(histories)
    twice = repairer.repair([each.messages for each in made])
    return [Repair(one, two.messages) for one, two in zip(made, twice, strict=True)]


def main(arguments: list[str]) -> int:
    console = Console(width=180, highlight=False, markup=False)
    histories = [openai_messages(parse(case.history)) for case in CHAT]
    table = Table("repairer", "version", *QUESTIONS, title=f"{len(CHAT)} histories of OpenAI chat", show_lines=True)
    code = 0
    for repairer in REPAIRERS:
        try:
            repairer.install()
        except NotInstalled as error:
            console.print(f"{repairer.name} could not be installed: {error}")
            continue
        found = repairs(repairer, histories)
        cells = []
        for question in QUESTIONS.values():
            no = [case.id.split()[0] for case, repair in zip(CHAT, found, strict=True) if question(repair)]
            cells.append(f"no ({len(no)}): {' '.join(dict.fromkeys(no))}" if no else "yes")
            code |= bool(no) and repairer is REPAIRERS[-1]
        table.add_row(repairer.name, repairer.version, *cells)
        if "--cases" in arguments:
            for case, repair in zip(CHAT, found, strict=True):
                outcome = repair.made.refused or show(from_chat(repair.made.messages))
                console.print(f"{repairer.name:22} {case.id}\n    {case.history}\n    {outcome}")
    console.print(table)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
