"""A quick check of messages that are spelled plainly, as nearly all are, for every API.

The check knows a small part of what is right, and nothing of what is wrong: "sound" means that the rules find no error.
The tests try on random histories that both agree.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from inspector.core.model.columns import Role
from inspector.core.providers.plain_messages import IdAndName, MessageReader, PlainMessage
from inspector.core.providers.profile import Profile


def is_plainly_sound(messages: Sequence[Any], read: MessageReader, profile: Profile) -> bool:
    """Return whether the quick check shows that the provider accepts these messages."""
    plain_messages: list[PlainMessage] = []
    for message in messages:
        plain = read(message)
        if plain is None:
            return False
        plain_messages.append(plain)
    if not plain_messages or not _names_fit(plain_messages, profile):
        return False
    if profile.result_role == Role.USER:
        return _in_messages(plain_messages, profile)
    return _in_items(plain_messages, profile)


def _names_fit(messages: Iterable[PlainMessage], profile: Profile) -> bool:
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


def _in_messages(messages: list[PlainMessage], profile: Profile) -> bool:
    """Return whether user and assistant alternate, and all calls of a message have their results in the next one."""
    open_calls: list[IdAndName] = []
    for number, message in enumerate(messages):
        if message.role != ("assistant" if number % 2 else "user") or not _answers(message.results, open_calls):
            return False
        if message.results and message.has_text and (profile.requires_results_alone or "R9" in profile.refusals):
            return False
        open_calls = message.calls
    return not open_calls


def _in_items(messages: list[PlainMessage], profile: Profile) -> bool:
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
        if type(call_id) is not str or call_id not in names or (name and name != names.pop(call_id)):
            return False
        names.pop(call_id, None)
    return True
