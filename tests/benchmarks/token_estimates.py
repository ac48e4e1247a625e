"""How far estimates of tokens are from what providers measured: `python -m tests.benchmarks.token_estimates FOLDER …`.

Each session of the logs below the folders that recorded at least two measurements is a sample: what its context grew by
between the first and the last one, against the estimate of what was added between them.
"""

import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from inspector.core.analysis.context_usage import measure_context
from inspector.core.engine.log import OpenLog
from inspector.core.errors import InspectorError

SMALLEST = 2000  # tokens that a context must have grown by


def samples(folder: Path) -> Iterator[tuple[str, int, float]]:
    """Yield the family of models, the growth that was measured, and the error of the estimate as a share of it."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        try:
            with OpenLog.at(path) as log:
                for session in (each for each in log.check().sessions if each.threads):
                    usage = measure_context(session.threads[0].context)
                    if usage.growth_measured >= SMALLEST:
                        error = usage.growth_estimated / usage.growth_measured - 1
                        yield usage.family.name, usage.growth_measured, error
        except InspectorError:
            continue  # no log


def main() -> None:
    """Print a line for each family of models."""
    by_family = defaultdict[str, list[tuple[int, float]]](list)
    for folder in sys.argv[1:]:
        for family, growth, error in samples(Path(folder)):
            by_family[family].append((growth, error))
    for family, found in sorted(by_family.items()):
        errors = sorted(abs(error) for _, error in found)
        bias = sum(growth * error for growth, error in found) / sum(growth for growth, _ in found)
        print(
            f"{family}: {len(found)} sessions, {sum(growth for growth, _ in found):,} tokens; error: "
            f"median {statistics.median(errors):.0%}, nine in ten below {errors[(len(errors) - 1) * 9 // 10]:.0%}, "
            f"all together {bias:+.0%}"
        )


if __name__ == "__main__":
    main()
