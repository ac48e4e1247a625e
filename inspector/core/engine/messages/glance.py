"""A first look at messages: most histories are sound, and most of them are plain enough to see it at once.

The look knows a small part of what is right, and nothing of what is wrong: "sound" means that the rules find no error,
anything else means that they have to be asked. That both agree is a property that the tests try on random histories.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from inspector.core.engine.messages.plain import IdAndName, MessageReader, PlainMessage
from inspector.core.index.columns import Role
from inspector.core.profiles.profile import Profile


def is_plainly_sound(messages: Sequence[Any], read: MessageReader, profile: Profile) -> bool:
    """Whether it can be told at a glance that the provider takes these messages."""
    said: list[PlainMessage] = []
    for message in messages:
        one = read(message)
        if one is None:
            return False
        said.append(one)
    if not said or not _names_fit(said, profile):
        return False
    return _in_messages(said, profile) if profile.result_role == Role.USER else _in_items(said, profile)


def _names_fit(said: Iterable[PlainMessage], profile: Profile) -> bool:
    """Whether every call has a name and an id as the provider wants them, and no id is used twice."""
    fits_id = re.compile(profile.call_id_pattern or "(?s:.*)").fullmatch
    fits_name = re.compile(profile.tool_name_pattern or "(?s:.+)").fullmatch
    seen: set[str] = set()
    for one in said:
        for call_id, name in one.calls:
            if type(call_id) is not str or type(name) is not str or call_id in seen:
                return False
            if fits_id(call_id) is None or fits_name(name) is None:
                return False
            if call_id:
                seen.add(call_id)
    return True


def _in_messages(said: list[PlainMessage], profile: Profile) -> bool:
    """User and assistant in turns, all results of a message in the next one."""
    open_calls: list[IdAndName] = []
    for number, one in enumerate(said):
        if one.role != ("assistant" if number % 2 else "user") or not _answers(one.results, open_calls):
            return False
        if one.results and one.has_text and (profile.requires_results_alone or "R9" in profile.refusals):
            return False
        open_calls = one.calls
    return not open_calls


def _in_items(said: list[PlainMessage], profile: Profile) -> bool:
    """Results in messages of their own, right behind the calls."""
    open_calls: list[IdAndName] = []
    results: list[IdAndName] = []
    before = ""
    one_turn = Role.ASSISTANT in profile.merged_roles
    for one in said:
        if one.results:
            results += one.results
        elif one_turn and one.calls and open_calls and not results and not one.has_text:
            open_calls = [*open_calls, *one.calls]
        else:
            if not _answers(results, open_calls):
                return False
            if before == "tool" and one.role != "assistant" and "M10" in profile.refusals:
                return False
            if not before and one.role == "assistant":
                return False
            open_calls, results = one.calls, []
        before = one.role
    return _answers(results, open_calls) and (profile.allows_prefill or before != "assistant")


def _answers(results: list[IdAndName], calls: list[IdAndName]) -> bool:
    """Whether these are the results of these calls, one each; without ids, name by name in the same order."""
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
