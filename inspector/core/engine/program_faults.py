"""Faults of the program: an unexpected exception becomes a sentence about the log, and ends nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager

from inspector.core.errors import InspectorError, ProgramFault, TooDeep, describe_error_origin
from inspector.core.translation import tr


@contextmanager
def raise_as_program_fault() -> Iterator[None]:
    """Raise any unexpected exception as a ProgramFault, and a recursion that is too deep as TooDeep."""
    try:
        yield
    except InspectorError:
        raise
    except RecursionError as error:
        raise TooDeep from error
    except Exception as error:
        raise ProgramFault(program_fault_sentence(error)) from error


def program_fault_sentence(error: BaseException) -> str:
    """Return what went wrong and where in the program, without any content of the log."""
    if isinstance(error, RecursionError | TooDeep):
        return str(TooDeep())
    if isinstance(error, OSError) and error.strerror:
        return tr(
            "The operating system reported an error: {strerror}. Check the disk and the permissions, and check "
            "the log before you try again.",
            strerror=error.strerror,
        )
    sentence = tr(
        "The program failed because of an internal error ({describe_error_origin}). The log was not changed.",
        describe_error_origin=describe_error_origin(error, "inspector"),
    )
    return tr("{sentence} Please report this error, and include the log if you can.", sentence=sentence)
