"""What providers and agents answer when a history is broken: their wordings, and the classes of anomaly behind them.

`wordings` is data, a module a speaker; `meaning` compares a text with it, whatever shape it was pasted in; `reading`
takes such a text apart.
"""

from inspector.core.provider_errors.meaning import Explanation, explain, is_of_the_line

__all__ = ["Explanation", "explain", "is_of_the_line"]
