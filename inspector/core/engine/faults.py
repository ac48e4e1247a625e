"""The last gate: a fault of the program's own becomes a sentence that names the log, and ends nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager

from inspector.core.errors import InspectorError, ProgramFault, TooDeep, error_location


@contextmanager
def raise_as_program_fault() -> Iterator[None]:
    """Whatever goes wrong with a log that nobody foresaw is raised as a ProgramFault, a walk too deep as TooDeep."""
    try:
        yield
    except InspectorError:
        raise
    except RecursionError as error:
        raise TooDeep from error
    except Exception as error:
        raise ProgramFault(fault_sentence(error)) from error


def fault_sentence(error: BaseException) -> str:
    """What went wrong and where in the program; nothing of the log is in it."""
    if isinstance(error, RecursionError | TooDeep):
        return str(TooDeep())
    told = f"The program met a fault of its own ({error_location(error, 'inspector')}). The log is as it was."
    return f"{told} Please report this, with the log."
