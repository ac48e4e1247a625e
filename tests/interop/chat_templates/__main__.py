"""`python -m tests.interop.chat_templates`: fetch the templates, and ask each about every history of the table."""

import subprocess
import sys

from tests.interop.chat_templates.histories import judged
from tests.interop.chat_templates.rendering import FOLDER, TEMPLATES, fetch, path_of


def main() -> int:
    try:
        if not path_of("Qwen3.5-4B").exists():
            fetch()
    except subprocess.CalledProcessError as error:
        print(f"The templates could not be fetched: {error}")
        return 1
    print(f"Templates in {FOLDER}")
    wrong = 0
    for profile, names in TEMPLATES.items():
        for name in names:
            if not path_of(name).exists():
                print(f"{name}: not there")
                continue
            rows = list(judged(profile, name, int(sys.argv[1]) if sys.argv[1:] else 5))
            faults = [row for row in rows if row.is_wrong]
            refused = sum(row.refusal is not None for row in rows)
            print(f"{name} ({profile}): {len(rows)} histories, {refused} refused, {len(faults)} judged wrongly")
            for row in faults[:10]:
                print(f"  {row}")
            wrong += len(faults)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
