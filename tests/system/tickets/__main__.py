"""`python -m tests.system.tickets`: write the forty tickets, and print how much of their truth is found."""

import tempfile
from pathlib import Path

from tests.system.tickets.generator import is_available, write_tickets
from tests.system.tickets.measure import checked, judged, tally


def main() -> int:
    if not is_available():
        print("There are no logs of real agents beside the checkout, or there is no corpus.")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        tickets = write_tickets(Path(folder))
        for name, ask in {"check": checked, "judge": judged}.items():
            print(f"{name}: {tally(tickets, {ticket.path: ask(ticket) for ticket in tickets})}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
