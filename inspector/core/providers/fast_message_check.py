"""A quick check of messages that are spelled plainly, as nearly all are, for every API.

The reader of an API (`read_simple_message` in its `schema`) knows few members and few kinds of blocks. It returns None
for everything else, which does not mean that something is wrong, only that the rules have to check. The check knows a
small part of what is right, and nothing of what is wrong: "sound" means that the rules find no error. The tests try on
random histories that both agree.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import orjson

from inspector.core.model.columnar_index import Role
from inspector.core.providers.profile import Profile

# The id and the name of a call, or of the call that a result answers ("" if the API does not say it). They are taken
# from the message as they are, whatever their type.
IdAndName: TypeAlias = tuple[Any, Any]
# A block: "text", "call" or "result", and the call that it is or answers.
PlainBlock: TypeAlias = tuple[str, IdAndName | None]


class SimpleMessage(NamedTuple):
    """One message: its role (user, assistant, tool, system), its calls and results, and whether it has a text.

    Results come before everything else in the message, calls after it. `own_id` is the id that it has beside those.
    """

    role: str
    calls: list[IdAndName]
    results: list[IdAndName]
    has_text: bool
    own_id: str | None = None


MessageReader: TypeAlias = Callable[[Any], SimpleMessage | None]

TEXT_BLOCK_KEYS = {"type", "text", "cache_control"}


def read_simple_blocks(role: str, blocks: Any, read_block: Callable[[Any], PlainBlock | None]) -> SimpleMessage | None:
    """Read a message that is a list of blocks: results of the user first, then texts, then calls of the assistant."""
    calls: list[IdAndName] = []
    results: list[IdAndName] = []
    speaks = False
    for block in blocks if type(blocks) is list else ():
        plain = read_block(block)
        if plain is None:
            return None
        kind, value = plain
        if value is None:
            if calls:
                return None
            speaks = True
        elif kind == "call" and role == "assistant":
            calls.append(value)
        elif kind == "result" and role == "user" and not speaks:
            results.append(value)
        else:
            return None
    return SimpleMessage(role, calls, results, speaks) if blocks and type(blocks) is list else None


def is_nonblank_text(text: Any) -> bool:
    """Return whether a value is a text that is not blank."""
    return type(text) is str and bool(text) and not text.isspace()


def is_nonblank_text_content(content: Any, kind: str = "text", known: set[str] = TEXT_BLOCK_KEYS) -> bool:
    """Return whether a content is a text, or a list of text blocks, none of which is blank."""
    if type(content) is not list:
        return is_nonblank_text(content)
    for block in content:
        if type(block) is not dict or not block.keys() <= known or block.get("type") != kind:
            return False
        if not is_nonblank_text(block.get("text")):
            return False
    return bool(content)


def is_text_only_result(content: Any) -> bool:
    """Return whether the content of a result is any text, or a list of text blocks."""
    return type(content) is str or is_nonblank_text_content(content)


def is_json_object_text(text: Any) -> bool:
    """Return whether a value is a text with a JSON object."""
    if type(text) is not str or text[:1] != "{":
        return False
    try:
        return type(orjson.loads(text)) is dict
    except ValueError:
        return False


def passes_fast_check(messages: Sequence[Any], read: MessageReader, profile: Profile) -> bool:
    """Return whether the quick check shows that the provider accepts these messages."""
    plain_messages: list[SimpleMessage] = []
    for message in messages:
        plain = read(message)
        if plain is None:
            return False
        plain_messages.append(plain)
    own_ids = [message.own_id for message in plain_messages if message.own_id]
    if not plain_messages or len(set(own_ids)) < len(own_ids) or not _names_fit(plain_messages, profile):
        return False
    if profile.result_role == Role.USER:
        return _in_messages(plain_messages, profile)
    return _in_items(plain_messages, profile)


def _names_fit(messages: Iterable[SimpleMessage], profile: Profile) -> bool:
    """Return whether every call has a name and an id that the provider accepts, and no id is used twice."""
    fits_id = re.compile(profile.call_id_pattern or "(?s:.*)").fullmatch
    fits_name = re.compile(profile.tool_name_pattern or "(?s:.+)").fullmatch
    seen: set[str] = set()
    for message in messages:
        for call_id, name in message.calls:
            if type(call_id) is not str or type(name) is not str or call_id in seen:
                return False
            if fits_id(call_id) is None or fits_name(name) is None:
                return False
            if call_id:
                seen.add(call_id)
    return True


def _in_messages(messages: list[SimpleMessage], profile: Profile) -> bool:
    """Return whether user and assistant alternate, and all calls of a message have their results in the next one."""
    open_calls: list[IdAndName] = []
    for number, message in enumerate(messages):
        if message.role != ("assistant" if number % 2 else "user") or not _answers(message.results, open_calls):
            return False
        if message.results and message.has_text and (profile.requires_results_alone or "R9" in profile.refusals):
            return False
        open_calls = message.calls
    return not open_calls


def _in_items(messages: list[SimpleMessage], profile: Profile) -> bool:
    """Return whether results are messages of their own, right after the calls."""
    open_calls: list[IdAndName] = []
    results: list[IdAndName] = []
    before = ""
    one_turn = Role.ASSISTANT in profile.merged_roles
    for message in messages:
        if message.results:
            results += message.results
        elif one_turn and message.calls and open_calls and not results and not message.has_text:
            open_calls = [*open_calls, *message.calls]
        else:
            if not _answers(results, open_calls):
                return False
            if before == "tool" and message.role != "assistant" and "M10" in profile.refusals:
                return False
            if not before and message.role == "assistant":
                return False
            open_calls, results = message.calls, []
        before = message.role
    return _answers(results, open_calls) and (profile.allows_prefill or before != "assistant")


def _answers(results: list[IdAndName], calls: list[IdAndName]) -> bool:
    """Return whether these results answer these calls, one for every call; without ids by name and in order."""
    if len(results) != len(calls):
        return False
    if not calls:
        return True
    if any(not call_id for call_id, _ in calls):
        return results == calls
    names = dict(calls)
    for call_id, name in results:
        if type(call_id) is not str or call_id not in names:
            return False
        called = names.pop(call_id)
        if name and name != called:
            return False
    return True
