"""Where a format keeps its messages, as data; and what is found there."""

from functools import cache
from typing import TypeAlias

from msgspec import Struct

from inspector.core.bytes.sequences import Truncation


class DocumentLayout(Struct, frozen=True):
    """Where a format keeps its messages, as paths of keys; arrays on the way are passed through.

    A path of `lists` ends at an array of messages. One of `replies` ends at what a provider has just answered: a
    message, or an array of its items; "" is the document itself. A bare array of messages is found without a path.
    The key "*" at the end of a path is any other key whose array begins with a message. An object with one of the keys
    `telling` is itself a message (or an item) of the array that it stands in, rather than holding some.
    """

    message_paths: tuple[str, ...]
    response_paths: tuple[str, ...] = ()
    message_keys: frozenset[str] = frozenset({"role", "call_id"})


# A list of messages, runs of tau-bench (`traj`) and of tau2 (`simulations`), the lines of a batch.
DEFAULT_LAYOUT = DocumentLayout(("messages", "traj", "simulations/messages", "body/messages", "params/messages"))

Tree: TypeAlias = "dict[str, Tree | str]"
LIST_LEAF, RESPONSE_LEAF = "list", "reply"
ANY_KEY = "*"


@cache
def path_tree(shapes: DocumentLayout) -> Tree:
    """The paths as nested keys that end in LIST or REPLY."""
    root: Tree = {}
    for paths, leaf in ((shapes.message_paths, LIST_LEAF), (shapes.response_paths, RESPONSE_LEAF)):
        for path in filter(None, paths):
            *way, last = path.split("/")
            node = root
            for key in way:
                inner = node.setdefault(key, {})
                assert isinstance(inner, dict), f"{path} runs through the end of another path"
                node = inner
            node[last] = leaf
    return root


class MessageArray(Struct):
    """An array of messages: offset of its `[`, spans of its whole elements, span of the object around it if any.

    `root` is the span of the outermost object around it. With `single`, one message that stands by itself, at that
    offset. `reply`: a provider has just answered it. `pointer` is the JSON pointer to it.
    """

    start: int
    spans: list[tuple[int, int]]
    enclosing_object: tuple[int, int] | None = None
    outermost_object: tuple[int, int] | None = None
    is_single_message: bool = False
    is_response: bool = False
    pointer: str = ""


class DocumentArrays(Struct):
    """All arrays of messages of a text, and where it is cut if it is.

    `parsed`: a parser that does not look into strings has found the whole text to be JSON.
    """

    arrays: list[MessageArray]
    truncation: Truncation | None = None
    parsed: bool = False
