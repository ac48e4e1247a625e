"""Ask the core about a pasted text, with answers short enough to be compared."""

from pathlib import Path

from inspector.core.check.check import check
from inspector.core.discovery.opening import open_log, open_source
from inspector.core.error_lookup.locate import ErrorPlace
from inspector.core.error_lookup.lookup import ErrorLookup, look_up_in_log
from inspector.core.providers.registry import PROFILES


def answer(path: Path, text: str) -> ErrorLookup:
    with open_source(str(path)) as source:
        return look_up_in_log(text, check(open_log(source)))


def found(path: Path, text: str) -> list[str]:
    """The places as `how record rule:id`, the rule left out where nothing is wrong."""
    return [said(each) for log in answer(path, text).logs for each in log.location.places]


def said(each: ErrorPlace) -> str:
    rule = f"{each.finding.rule}:" if each.finding else ""
    return f"{each.certainty.word} {each.place.record} {rule}{each.call_id}".rstrip(": ")


def remarks(path: Path, text: str) -> str:
    return " ".join(remark for log in answer(path, text).logs for remark in log.location.remarks)


def refusal(profile: str, rule: str, message: int, block: int = 0, call_id: str = "nobody's") -> str:
    """What a provider answers, in the shape in which an agent shows it."""
    text = PROFILES[profile].refusal_text(rule, message, block, call_id)
    assert text is not None
    return f'API Error: 400 {{"type":"error","error":{{"message":"{text}"}}}}'
