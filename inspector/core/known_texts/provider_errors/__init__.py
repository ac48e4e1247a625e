"""What providers and agents answer when a history is broken: their wordings, and the classes of anomaly behind them.

`wordings` is data, a module a speaker; `meaning` compares a text with it, whatever shape it was pasted in; `reading`
takes such a text apart. `kinds` tells the errors that are no fault of the history.
"""

from inspector.core.known_texts.provider_errors.kinds import (
    ProviderErrorKind,
    classify_error,
    is_service_error,
    telltale_words,
)
from inspector.core.known_texts.provider_errors.meaning import ErrorExplanation, explain_error

__all__ = [
    "ErrorExplanation",
    "ProviderErrorKind",
    "classify_error",
    "explain_error",
    "is_service_error",
    "telltale_words",
]
