"""What providers and agents answer when a history is broken: their wordings, and the classes of anomaly behind them.

`wordings` is data, a module a speaker; `meaning` compares a text with it, whatever shape it was pasted in; `reading`
takes such a text apart. `kinds` tells the errors that are no fault of the history.
"""

from inspector.core.known_texts.provider_errors.kinds import Kind, is_of_the_line, kind_of, telling
from inspector.core.known_texts.provider_errors.meaning import Explanation, explain

__all__ = ["Explanation", "Kind", "explain", "is_of_the_line", "kind_of", "telling"]
