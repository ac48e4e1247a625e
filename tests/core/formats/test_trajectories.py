"""Trajectories and evaluations, which are judged and not repaired: what of them was sent, and in which sessions."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats import atif, inspect_ai, mini_swe_agent, openhands, swe_agent
from tests.support import product
from tests.support.archives import zipped
from tests.support.notation import parse
from tests.support.projection import chat

Item = dict[str, Any]
ANSWERED = 'u"go" | a"t"{A p=1} | r(A=alpha) | a"done"'
LOST = 'u"go" | a"t"{A p=1} | u"stop" | a"done"'


def written(folder: Path, name: str, value: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(value, indent=2), "utf-8")
    return path


def judged(path: Path) -> list[str]:
    """The verdict of every session, with its id and what is wrong with it."""
    answer = product.check(path)
    return [
        " ".join([each["id"], each["verdict"], *(finding["rule"] for finding in each["findings"])])
        for each in answer.report["sessions"]
    ]


# SWE-agent


def test_the_attempts_of_a_run_are_sessions(tmp_path: Path) -> None:
    attempts = [swe_agent.trajectory(chat(parse(history))) for history in (LOST, ANSWERED)]
    path = written(tmp_path, "task-1.traj", {"attempts": attempts} | attempts[1])
    assert judged(path) == ["task-1/0 broken D2", "task-1/1 healthy", "task-1/2 healthy"]


def test_a_demonstration_may_be_the_history_alone(tmp_path: Path) -> None:
    history = swe_agent.trajectory(chat(parse(ANSWERED)))["history"]
    assert judged(written(tmp_path, "demo.traj", {"history": history})) == ["demo healthy"]


def test_a_history_behind_a_long_trajectory_is_found(tmp_path: Path) -> None:
    trajectory = swe_agent.trajectory(chat(parse(LOST)))
    trajectory["trajectory"][0]["observation"] = "line\n" * 100_000
    assert judged(written(tmp_path, "long.traj", trajectory)) == ["long broken D2"]


# mini-swe-agent


def responses(*interrupting: Item) -> Item:
    """A run with the Responses API, which a person interrupts before the calls are answered if there is a message."""
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]}
    calls = [
        {"type": "function_call", "call_id": name, "name": "bash", "arguments": '{"command": "ls"}'} for name in "AB"
    ]
    outputs = [{"type": "function_call_output", "call_id": name, "output": "x", "extra": {}} for name in "AB"]
    prompt = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}
    asked = {"object": "response", "output": [said, *calls], "extra": {}}
    answered = {"object": "response", "output": [said], "extra": {}}
    trajectory: Item = mini_swe_agent.trajectory([])
    trajectory["messages"] = [prompt, asked, *(interrupting or outputs), answered]
    return trajectory


def test_items_of_the_responses_api_are_paired(tmp_path: Path) -> None:
    stop = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "stop"}], "extra": {}}
    assert judged(written(tmp_path, "a.traj.json", responses())) == ["a healthy"]
    assert judged(written(tmp_path, "b.traj.json", responses(stop))) == ["b broken D2 D2"]
    product.convert(tmp_path / "a.traj.json", "openai", tmp_path / "out.json")
    messages = json.loads((tmp_path / "out.json").read_bytes())["messages"]
    assert [(each["role"], each.get("content")) for each in messages] == [
        ("user", "go"),
        ("assistant", "I look."),
        ("tool", "x"),
        ("tool", "x"),
        ("assistant", "I look."),
    ]


def test_the_call_that_ended_a_run_waits_and_is_no_damage(tmp_path: Path) -> None:
    trajectory = mini_swe_agent.trajectory(chat(parse('u"go" | a"t"{A p=1}')))
    assert judged(written(tmp_path, "a.traj.json", trajectory)) == ["a broken D1"]
    trajectory["messages"].append({"role": "exit", "content": "", "extra": {"exit_status": "Submitted"}})
    assert judged(written(tmp_path, "b.traj.json", trajectory)) == ["b waiting D6"]


def test_a_patch_before_the_messages_may_be_longer_than_the_part_that_is_looked_at(tmp_path: Path) -> None:
    trajectory = mini_swe_agent.trajectory(chat(parse(LOST)))
    trajectory["info"]["submission"] = "+line\n" * 100_000
    assert judged(written(tmp_path, "long.traj.json", trajectory)) == ["long broken D2"]


# inspect_ai


def inspected(history: str, name: str = "1", epoch: int = 1) -> Item:
    return inspect_ai.sample(chat(parse(history)), name, epoch)


def test_the_samples_of_a_log_are_sessions_with_their_epoch(tmp_path: Path) -> None:
    log = inspect_ai.log(inspected(LOST, "a"), inspected(ANSWERED, "a", 2), inspected(ANSWERED, "b"))
    assert judged(written(tmp_path, "log.json", log)) == ["a/1 broken D2", "a/2 healthy", "b/1 healthy"]


def test_the_samples_of_an_archive_are_logs(tmp_path: Path) -> None:
    log = inspect_ai.log()
    samples = {
        f"samples/{name}_epoch_1.json": json.dumps(inspected(history, name)).encode()
        for name, history in (("a", LOST), ("b", ANSWERED))
    }
    header = json.dumps({key: value for key, value in log.items() if key != "samples"}).encode()
    path = zipped(tmp_path, {"_journal/start.json": b'{"version": 2}', **samples, "header.json": header}, "log.eval")
    sessions = product.check(tmp_path).report["sessions"]
    assert [(each["path"], each["id"], each["verdict"]) for each in sessions] == [
        (f"{path}/samples/a_epoch_1.json", "a/1", "broken"),
        (f"{path}/samples/b_epoch_1.json", "b/1", "healthy"),
    ]


def test_calls_that_a_limit_left_without_results_wait(tmp_path: Path) -> None:
    assert judged(written(tmp_path, "log.json", inspect_ai.log(inspected('u"go" | a"t"{A,B}')))) == [
        "1/1 waiting D6 D6"
    ]


@pytest.mark.parametrize(
    ("message", "rules"),
    [
        ({"role": "user"}, "M7"),
        ({"role": "user", "content": {"text": "go"}}, "M12"),
        ({"role": "user", "content": [{"type": "text"}]}, "M12"),
        ({"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}, "M12"),
        ({"role": "assistant", "content": "t", "tool_calls": [{"id": "A", "function": "f"}]}, "K6 M12 D6"),
        ({"role": "user", "content": [{"type": "image", "image": "data:image/png;base64,iVBORw0KGgo="}]}, ""),
        ({"role": "assistant", "content": [{"type": "reasoning", "reasoning": "so"}]}, ""),
    ],
)
def test_a_message_that_inspect_ai_does_not_read_is_malformed(message: Item, rules: str, tmp_path: Path) -> None:
    log = inspect_ai.log(inspected('u"go" | a"done"'))
    log["samples"][0]["messages"].append(message)
    (session,) = judged(written(tmp_path, "log.json", log))
    assert session.split()[2:] == rules.split()


# ATIF


def steps(history: str) -> list[Item]:
    return atif.steps(parse(history))


def test_the_trajectories_of_subagents_are_sessions(tmp_path: Path) -> None:
    subagent = atif.trajectory(steps(LOST)) | {"trajectory_id": "sub-1"}
    both = atif.trajectory(steps(ANSWERED)) | {"subagent_trajectories": [subagent]}
    assert judged(written(tmp_path, "t.json", both)) == ["run-1 healthy", "sub-1 broken D2"]


def test_a_result_that_names_no_call_is_one_of_its_step(tmp_path: Path) -> None:
    made = steps('u"go" | a"t"{A,B} | r(A=alpha) | a"done"')
    del made[1]["observation"]["results"][0]["source_call_id"]
    path = written(tmp_path, "t.json", atif.trajectory(made))
    assert judged(path) == ["run-1 healthy"]
    made[1]["observation"]["results"][0]["source_call_id"] = "A"
    assert judged(written(tmp_path, "u.json", atif.trajectory(made))) == ["run-1 broken D3"]
    product.convert(path, "openai", tmp_path / "out.json")
    assert product.check(tmp_path / "out.json").session["verdict"] == "healthy"


def test_calls_of_the_last_step_wait(tmp_path: Path) -> None:
    assert judged(written(tmp_path, "t.json", atif.trajectory(steps('u"go" | a"t"{A}')))) == ["run-1 waiting D6"]


STEP = {"step_id": 3, "source": "user", "message": "more"}
CALLING = {"step_id": 3, "source": "agent", "message": ""}
CALL = {"tool_call_id": "A", "function_name": "ls", "arguments": {}}
SHAPES = {
    "a step of an unknown source": (STEP | {"source": "tool"}, False),
    "no message": ({"step_id": 3, "source": "user"}, False),
    "a number as message": (STEP | {"message": 1}, False),
    "a part without its text": (STEP | {"message": [{"type": "text"}]}, False),
    "a part of another type": (STEP | {"message": [{"type": "video", "source": {}}]}, False),
    "a call without arguments": (CALLING | {"tool_calls": [{"tool_call_id": "A", "function_name": "ls"}]}, False),
    "arguments that are a text": (CALLING | {"tool_calls": [CALL | {"arguments": "{}"}]}, False),
    "a call without an id": (CALLING | {"tool_calls": [{"function_name": "ls", "arguments": {}}]}, False),
    "a result of a call of no step": (
        CALLING | {"tool_calls": [CALL], "observation": {"results": [{"source_call_id": "Z", "content": "x"}]}},
        False,
    ),
    "a result that is a number": (
        CALLING | {"tool_calls": [CALL], "observation": {"results": [{"source_call_id": "A", "content": 1}]}},
        False,
    ),
    "an image": (
        STEP | {"message": [{"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}]},
        True,
    ),
    "a result of the whole step": (
        CALLING | {"tool_calls": [CALL], "observation": {"results": [{"content": "x"}]}},
        True,
    ),
    "a result of the system": (
        {"step_id": 3, "source": "system", "message": "note", "observation": {"results": [{"content": "x"}]}},
        True,
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_step_that_has_another_shape_is_not_healthy(name: str, tmp_path: Path) -> None:
    step, is_sound = SHAPES[name]
    trajectory = atif.trajectory([*steps('u"go" | a"done"'), step])
    (session,) = judged(written(tmp_path, "t.json", trajectory))
    assert (session.split()[1] == "healthy") == is_sound, session


@pytest.mark.parametrize("name", SHAPES)
def test_the_models_of_atif_take_the_same_steps(name: str) -> None:
    models = pytest.importorskip("atif", reason="the package atif is not installed")
    step, is_sound = SHAPES[name]
    trajectory = atif.trajectory([*steps('u"go" | a"done"'), step])
    try:
        models.Trajectory.model_validate(trajectory)
    except ValueError:
        assert not is_sound
    else:
        assert is_sound


# OpenHands


def conversation(folder: Path, events: list[Item]) -> Path:
    """A conversation as the SDK keeps it."""
    path = folder / "0c5d"
    (path / "events").mkdir(parents=True)
    (path / "base_state.json").write_text(json.dumps({"id": "conv-1", "agent": {"kind": "Agent"}}))
    for number, event in enumerate(events):
        (path / "events" / f"event-{number:05}-{event['id']}.json").write_text(json.dumps(event))
    return path


@pytest.mark.parametrize(
    ("history", "verdict"), [(ANSWERED, "healthy"), (LOST, "broken D2"), ('u"go" | a{A}', "waiting D6")]
)
def test_a_folder_of_events_is_a_conversation(history: str, verdict: str, tmp_path: Path) -> None:
    path = conversation(tmp_path, openhands.events(parse(history)))
    assert judged(path) == [f"conv-1 {verdict}"]
    members = {f"c/{file.relative_to(path)}": file.read_bytes() for file in path.rglob("*.json")}
    assert judged(zipped(tmp_path, members)) == [f"conv-1 {verdict}"]


@pytest.mark.parametrize(
    ("history", "outcome", "loss"),
    [
        (LOST, "mends", "the calls without a result, with the other calls and results of their answers"),
        ('u"go" | r(X=x) | a"done"', "mends", "the results without a call"),
        ('u"go" | a{A} | r(A=x),r(A=y) | a"done"', "mends", "the second results of a call"),
        ('u"go" | a{A} | u"stop" | r(A=x) | a"done"', "refuses", ""),
    ],
)
def test_what_openhands_leaves_out_is_named(history: str, outcome: str, loss: str, tmp_path: Path) -> None:
    path = openhands.FORMAT.write(parse(history), tmp_path)
    resumed = product.check(path).session["on_resume"]
    assert (resumed["outcome"], *resumed["loses"]) == (outcome, *([loss] if loss else []))


def test_results_that_name_only_their_action_are_bound(tmp_path: Path) -> None:
    events = openhands.events(parse('u"go" | a{A,B} | r(A=x),r(B=y) | a"done"'))
    for event in events[3:5]:
        of_call = event.pop("tool_call_id")
        event["action_id"] = next(each["id"] for each in events if each.get("tool_call_id") == of_call)
    assert judged(written(tmp_path, "dump.json", events)) == ["0 healthy"]
    del events[4]
    assert judged(written(tmp_path, "dump.json", events)) == ["0 broken D3"]


def test_a_condensation_replaces_the_events_that_it_names(tmp_path: Path) -> None:
    events = openhands.events(parse('u"go" | a"t"{A} | u"stop" | a"done" | u"more"'))
    condensation = {
        "id": "c-1",
        "timestamp": "2026-11-02T09:01:00",
        "source": "environment",
        "forgotten_event_ids": [event["id"] for event in events[1:4]],
        "summary": "It was stopped.",
        "summary_offset": 1,
        "llm_response_id": "r",
        "kind": "Condensation",
    }
    path = written(tmp_path, "dump.json", [*events, condensation])
    assert judged(path) == ["0 healthy"]
    product.convert(path, "openai", tmp_path / "out.json")
    said = [each["content"] for each in json.loads((tmp_path / "out.json").read_bytes())["messages"]]
    assert said == ["go", "It was stopped.", "more"]


OLDER_CALL = {"function_name": "execute_bash", "tool_call_id": "A", "model_response": {}, "total_calls_in_response": 1}
OLDER = [
    {"id": 0, "source": "user", "message": "go", "action": "message", "args": {"content": "go"}},
    {
        "id": 1,
        "source": "agent",
        "message": "Running command: ls",
        "action": "run",
        "args": {"command": "ls", "thought": "I look."},
        "tool_call_metadata": OLDER_CALL,
    },
    {
        "id": 2,
        "source": "agent",
        "message": "Command `ls` executed with exit code 0.",
        "observation": "run",
        "content": "a.py",
        "extras": {"command": "ls"},
        "cause": 1,
        "tool_call_metadata": OLDER_CALL,
    },
    {
        "id": 3,
        "source": "agent",
        "message": "All done!",
        "action": "finish",
        "args": {"final_thought": "Done.", "thought": ""},
        "tool_call_metadata": OLDER_CALL | {"function_name": "finish", "tool_call_id": "B"},
    },
]


def test_the_instances_of_a_benchmark_are_sessions_of_older_events(tmp_path: Path) -> None:
    path = tmp_path / "output.jsonl"
    lost = [OLDER[0], OLDER[1], {**OLDER[0], "id": 2}, OLDER[3]]
    rows = [{"instance_id": f"task-{n}", "history": events} for n, events in enumerate([OLDER, lost])]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert judged(path) == ["task-0 healthy", "task-1 broken D2"]
    product.convert(path, "openai", tmp_path / "out.json", "--session", "task-0")
    messages = json.loads((tmp_path / "out.json").read_bytes())["messages"]
    assert [(each["role"], each.get("content")) for each in messages] == [
        ("user", "go"),
        ("assistant", "I look."),
        ("tool", "a.py"),
        ("assistant", "All done!"),
    ]
    assert json.loads(messages[1]["tool_calls"][0]["function"]["arguments"])["command"] == "ls"


# all of them

READ_ONLY = {
    "openhands": "leaves out what it cannot send",
    "atif": "continues a run from it",
    "swe-agent": "does not load it",
    "mini-swe-agent": "does not load it",
    "inspect-ai": "does not continue it",
}


@pytest.mark.parametrize("name", READ_ONLY)
def test_a_repair_is_not_written_and_a_converted_history_can_be_repaired(
    name: str, samples: Path, tmp_path: Path
) -> None:
    (sample,) = samples.glob(f"{name}-broken.*")
    answer = product.repair(sample, tmp_path / "out.json")
    assert READ_ONLY[name] in str(answer.report["reason"])
    assert not (tmp_path / "out.json").exists()
    converted = tmp_path / "converted.json"
    broken = next(each["id"] for each in product.check(sample).report["sessions"] if each["verdict"] == "broken")
    product.convert(sample, "openai", converted, "--session", broken)
    assert product.check(converted).session["verdict"] == "broken"
    assert product.repair(converted, tmp_path / "repaired.json").code == 0
    assert product.check(tmp_path / "repaired.json").session["verdict"] == "healthy"
