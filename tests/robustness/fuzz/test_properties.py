"""Every property notices the fault that it is there for: each is planted into the product, one at a time."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.cli import check_runner as check_command
from inspector.cli import exit_codes
from inspector.cli import repair as repair_command
from inspector.core.check import check as checking
from inspector.core.check.check import Verdict
from inspector.core.errors import NotVerified
from inspector.core.report import json as json_report
from inspector.core.rules import RULES
from inspector.core.save import save
from inspector.core.storage.source import Source
from tests.robustness.fuzz import leaves, watch
from tests.robustness.fuzz.asking import Said, Seen, ask
from tests.robustness.fuzz.properties import PROPERTIES, failures, nothing_lost_untold
from tests.robustness.fuzz.seeds import SeedLog, seed_logs
from tests.robustness.fuzz.trial import Trial
from tests.support.notation import claude_code, openai, parse
from tests.support.packing import zstd
from tests.support.thorough import every

BROKEN = (
    'u"a question of the user" | a"I look at it."{A@Bash p=1,B p=2} | r(A="one result",Z="an orphan") | a"an answer"'
)
Plant = Callable[[pytest.MonkeyPatch], None]


def written(history: str, *choices: str) -> Trial:
    files = {"log.json": openai(parse(history))}
    return Trial("planted", SeedLog("planted", files, "log.json", "openai-chat"), files, "log.json", (), choices)


def of_an_agent(block: dict[str, Any]) -> Trial:
    """The log of an agent, with a block that no provider takes in its last message."""
    *before, last = claude_code(parse('u"a question" | a"an answer"')).splitlines()
    record = json.loads(last)
    record["message"]["content"].append(block)
    files = {"log.jsonl": b"\n".join([*before, json.dumps(record).encode(), b""])}
    return Trial("planted", SeedLog("planted", files, "log.jsonl", "claude-code"), files, "log.jsonl", ())


def broken_properties(asked: Trial) -> dict[str, str]:
    return {failure.kind: failure.place for failure in failures(ask(asked))}


def fault(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(checking, "resume_outcome", lambda *_: 1 // 0)


def admission(patch: pytest.MonkeyPatch) -> None:
    def refuse(source: Source, *_: Any) -> None:
        source.close()
        raise NotVerified("It is not what was planned. Please report this log.")

    patch.setattr(save, "_judge", refuse)


def hang(patch: pytest.MonkeyPatch) -> None:
    def turn_about(*_: Any) -> None:
        while True:
            pass

    patch.setattr(watch, "LIMIT", 0.1)
    patch.setattr(checking, "resume_outcome", turn_about)


def wrong_code(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(exit_codes, "FINDINGS", 0)


def blind_rules(patch: pytest.MonkeyPatch) -> None:
    for code, rule in RULES.items():
        patch.setitem(RULES, code, replace(rule, find=lambda context: iter(())))


def forgotten_losses(patch: pytest.MonkeyPatch) -> None:
    real = repair_command.repaired_sessions

    def without(*told: Any) -> Any:
        sessions = real(*told)
        for each in sessions:
            each.session.losses = []
        return sessions

    patch.setattr(repair_command, "repaired_sessions", without)


def written_otherwise(change: Callable[[bytes], bytes]) -> Plant:
    """What is written is not what was planned, and nobody looks at it again."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        real = save.output_chunks

        def output(plan: Any) -> Iterator[bytes]:
            yield change(b"".join(real(plan)))

        patch.setattr(save, "output_chunks", output)
        patch.setattr(save, "_judge", trusted)

    return plant


def trusted(source: Source, *_: Any) -> Verdict:
    source.close()
    return Verdict.HEALTHY


def no_gate(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(check_command, "escape_controls", lambda text: text)


def half_a_report(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(json_report, "report_chunks", lambda *_, **__: [b'{"sessions":'])


def stray(patch: pytest.MonkeyPatch) -> None:
    real = save.write_atomically

    def write(target: Path, *more: Any) -> Any:
        target.with_name("left-over").touch()
        return real(target, *more)

    patch.setattr(save, "write_atomically", write)


PLANTED: dict[str, tuple[Plant, Trial]] = {
    "no_fault_of_its_own": (fault, written(BROKEN)),
    "nothing_to_report": (admission, written(BROKEN)),
    "no_hang": (hang, written(BROKEN)),
    "exit_codes_as_documented": (wrong_code, written(BROKEN)),
    "healthy_is_accepted": (blind_rules, written(BROKEN)),
    "healthy_requests_have_the_published_types": (
        blind_rules,
        of_an_agent({"type": "text", "text": "more", "cache_control": 7}),
    ),
    "nothing_lost_untold": (forgotten_losses, written(BROKEN, "--preset", "clean")),
    "what_no_edit_names_stays": (
        written_otherwise(lambda data: data.replace(b"a question", b"the answer")),
        written(BROKEN),
    ),
    "repaired_twice_is_once": (written_otherwise(lambda data: data + b" "), written(BROKEN)),
    "the_outcome_is_as_promised": (
        written_otherwise(lambda data: re.sub(rb'"tool"', b'"user"', data)),
        written(BROKEN),
    ),
    "nothing_steers_the_terminal": (no_gate, written(BROKEN.replace("B p=2", "B@Ba\x1bsh p=2"))),
    "json_is_valid": (half_a_report, written(BROKEN)),
    "no_stray_files": (stray, written(BROKEN)),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, asked = PLANTED[name]
    assert broken_properties(asked) == {}
    with monkeypatch.context() as patch:
        plant(patch)
        assert name in broken_properties(asked)


@pytest.mark.parametrize("log", every(5, seed_logs()), ids=lambda log: log.name)
def test_logs_that_were_not_mutated_break_no_promise(log: SeedLog) -> None:
    assert broken_properties(Trial("as it is", log, log.files, next(iter(log.files)), ())) == {}


@pytest.mark.parametrize(
    ("message", "member", "value"), [(-1, "cache_control", []), (-2, "is_error", 7)], ids=("cache_control", "is_error")
)
def test_members_that_cline_converts_are_not_asked_for(message: int, member: str, value: Any) -> None:
    (log,) = [each for each in seed_logs() if each.name == "cline-sdk, history 3"]
    document = json.loads(log.files[log.log])
    document["messages"][message]["content"][-1][member] = value
    files = {log.log: json.dumps(document).encode()}
    assert broken_properties(Trial("planted", log, files, log.log, ())) == {}


def test_ids_names_and_times_are_no_texts_under_any_of_their_keys() -> None:
    odd = b'{"stepUuid":"5e0c&amp;01","displayName":"FindFiles","odd key":"2026-01-01T00:01:50.000Z","said":"words!"}'
    assert [*leaves.texts_of({"log": odd})] == ["words!"]
    mutated = rb'{"type\u0000":"web_search_tool_result","call_id":{"value":"call_gone"},"messageId":"7cad5833-10"}'
    assert [*leaves.texts_of({"log": mutated})] == []
    assert [*leaves.texts_of({"log": b'{"tool_e_id":"call_gone"}'})] == []
    assert [
        *leaves.texts_of({"log": b'{"pan":"tool_calls","additional_kwar":"list_dir","ext":"sorry../../etc"}'})
    ] == []
    assert [*leaves.texts_of({"log": rb'{"ext":"\\ud83d"}'})] == []
    assert [*leaves.texts_of({"log": b'{"parentUuid":"Replace:2","text":"Replace:2"}'})] == []
    assert [
        *leaves.texts_of({"log": [r'["part", "{\n  \"callID\": \"call_gone\",\n  \"output\": \"words!\"\n}"]']})
    ] == ["words!"]
    assert [*leaves.texts_of({"log": b'{"text\x85":"words!","said":{"value":"more!!"}}'})] == ["more!!", "words!"]


def test_a_packed_file_is_kept_where_it_lies_beside_the_outcome() -> None:
    packed = zstd.compress(b'{"said":"a text that nobody can read"}')
    said = dict.fromkeys(("check", "repair"), Said(("repair",)))
    seen = Seen(written(BROKEN), {"part.json": packed}, said, {}, aside=b"--- part.json, 9 bytes\n" + packed)
    assert [*nothing_lost_untold(seen)] == []
    seen.aside = packed[:-9]
    assert [*nothing_lost_untold(seen)]


def test_the_data_of_a_medium_are_told_by_their_size() -> None:
    data, report = (
        "iVBORw0KGgoAAAANSUhEUgAA" * 4,
        {"sessions": [{"losses": [{"kind": "media", "text": "a, 72 bytes"}]}]},
    )
    said = {"check": Said(("check",)), "repair": Said(("repair",), out=json.dumps(report))}
    seen = Seen(written(BROKEN), {"log.json": json.dumps({"data": data}).encode()}, said, {"log.json": b"{}"})
    assert [*nothing_lost_untold(seen)] == []
    said["repair"] = Said(("repair",), out=json.dumps(report).replace("72", "71"))
    assert [*nothing_lost_untold(seen)]


def test_every_property_has_a_planted_fault() -> None:
    assert [holds.__name__ for holds in PROPERTIES] == list(PLANTED)


def test_what_is_quoted_within_quotes_is_found() -> None:
    said = words = 'PIECE = "pcs"'
    for _ in range(5):
        said = json.dumps({"result": f"As it stood here: {said}"})
    assert words in leaves.everything_in([said])
