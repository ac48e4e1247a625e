"""One JSON document, or JSON values line by line, whose arrays of messages hold the records.

Finds the arrays in the shapes that people keep conversations in: a bare list, a request body, a list of conversations,
benchmark runs (`traj` of tau-bench, `simulations[].messages` of tau2), a conversation a line, a provider's response.
"""

from inspector.core.containers.document.parsed import message_arrays_in_value
from inspector.core.containers.document.pieces import DocumentPieces
from inspector.core.containers.document.shapes import DEFAULT_LAYOUT, DocumentArrays, DocumentLayout, MessageArray
from inspector.core.containers.document.walk import find_message_arrays, messages_in_tail

__all__ = [
    "DEFAULT_LAYOUT",
    "DocumentArrays",
    "DocumentLayout",
    "DocumentPieces",
    "MessageArray",
    "find_message_arrays",
    "message_arrays_in_value",
    "messages_in_tail",
]
