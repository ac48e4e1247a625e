"""The same shapes in a value that is parsed already, as the head of a log is."""

from typing import Any

from inspector.core.containers.document.shapes import ANY_KEY, DocumentLayout, path_tree


def message_arrays_in_value(value: Any, shapes: DocumentLayout) -> list[list[Any]]:
    """The arrays of messages of a value, and what a provider has just answered in it as arrays of one."""
    alone = [[value]] if "" in shapes.response_paths and isinstance(value, dict) else []
    if isinstance(value, dict) and path_tree(shapes).keys().isdisjoint(value):
        return alone
    if isinstance(value, list) and not _is_conversation(next(iter(value), None), shapes):
        return [value]
    found = [
        each for path in shapes.message_paths for each in _at(value, path.split("/"), shapes) if isinstance(each, list)
    ]
    for path in filter(None, shapes.response_paths):
        found += [each if isinstance(each, list) else [each] for each in _at(value, path.split("/"), shapes)]
    return found or alone


def _is_conversation(value: Any, shapes: DocumentLayout) -> bool:
    if not isinstance(value, dict) or _is_message_value(value, shapes):
        return False
    return any(isinstance(value.get(key), list | dict) for key in path_tree(shapes))


def _at(value: Any, path: list[str], shapes: DocumentLayout) -> list[Any]:
    """What lies at the end of a path of keys; arrays on the way are passed through."""
    if not path:
        return [value] if isinstance(value, dict | list) else []
    if isinstance(value, list):
        return [found for each in value for found in _at(each, path, shapes)]
    if not isinstance(value, dict):
        return []
    if path[0] != ANY_KEY:
        return _at(value[path[0]], path[1:], shapes) if path[0] in value else []
    return [each for each in value.values() if isinstance(each, list) and each and _is_message_value(each[0], shapes)]


def _is_message_value(value: Any, shapes: DocumentLayout) -> bool:
    return isinstance(value, dict) and not shapes.message_keys.isdisjoint(value)
