"""One JSON document, or JSON values line by line, whose arrays of messages hold the records.

Finds the arrays in the shapes that people keep conversations in: a bare list, a request body, a list of conversations,
benchmark runs (`traj` of tau-bench, `simulations[].messages` of tau2), a conversation a line, a provider's response.
"""

from inspector.core.containers.document.parsed import arrays_in
from inspector.core.containers.document.pieces import Pieces
from inspector.core.containers.document.shapes import SHAPES, Arrays, MessageArray, Shapes
from inspector.core.containers.document.walk import message_arrays, messages_of_tail

__all__ = [
    "SHAPES",
    "Arrays",
    "MessageArray",
    "Pieces",
    "Shapes",
    "arrays_in",
    "message_arrays",
    "messages_of_tail",
]
