"""Nothing is recovered from another call's record, from one that was cut, or from one that did not end."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.core.formats.codex import FILE, call_item, event, message, output_item, rollout
from tests.support import product
from tests.support.notation import PLACEHOLDER_START, Call, Result

IDS = st.sampled_from(["A", "AB", "A.1", 'A"', "ä"])
CUT = "... command output truncated for persistence ..."


def mostly(usual: Any, *others: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from([usual] * 4 * len(others) + [*others])


@st.composite
def ends(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """What may tell of a command's end, or of something else: its output names the call that it says it is of."""
    id = draw(IDS)
    fields = {
        "status": draw(mostly("completed", "failed", "in_progress", "declined")),
        "aggregated_output": f"output of {id}{draw(mostly('', CUT))}",
        "exit_code": draw(mostly(0, 1, -1, None)),
    }
    if draw(st.booleans()):
        kind = draw(mostly("exec_command_end", "exec_command_begin", "exec_command_output_delta"))
        return event(kind, call_id=id, turn_id=draw(IDS), **fields)
    item = {"type": draw(mostly("CommandExecution", "AgentMessage")), "id": id, **fields}
    return event(draw(mostly("item_completed", "item_started")), item=item, thread_id=draw(IDS), turn_id=draw(IDS))


CALLS = st.lists(IDS, unique=True, min_size=1, max_size=4).map(
    lambda ids: [("response_item", call_item(Call(id, "exec_command", {"cmd": f"echo {id}"}))) for id in ids]
)
ENTRIES = st.one_of(
    IDS.map(lambda id: ("response_item", call_item(Call(id, "exec_command", {"cmd": f"echo {id}"})))),
    IDS.map(lambda id: ("response_item", output_item(Result(id, f"real {id}")))),
    ends(),
    ends(),
)


def is_certain(row: dict[str, Any], id: str) -> bool:
    """Whether a line says by itself that the command of a call ended, and how, and all that it put out."""
    payload = row["payload"]
    ended = payload.get("item", {}) if payload.get("type") == "item_completed" else payload
    named = (
        ended.get("id") == id and ended["type"] == "CommandExecution"
        if "item" in payload
        else (payload.get("type") == "exec_command_end" and payload["call_id"] == id)
    )
    return bool(
        named
        and ended["status"] in ("completed", "failed")
        and ended["exit_code"] in (0, 1)
        and CUT not in ended["aggregated_output"]
    )


def is_call(row: dict[str, Any], id: str) -> bool:
    return bool(row["payload"].get("type") == "function_call" and row["payload"]["call_id"] == id)


def outputs(rows: list[dict[str, Any]], id: str) -> list[str]:
    kind = "function_call_output"
    told = [row["payload"] for row in rows if row["payload"].get("type") == kind]
    return [payload["output"] for payload in told if payload["call_id"] == id]


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@given(st.lists(ENTRIES, max_size=2), CALLS, st.lists(ENTRIES, min_size=1, max_size=8))
def test_nothing_is_recovered_from_elsewhere(before: list[Any], calling: list[Any], after: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        path, out = Path(folder, FILE), Path(folder, "out.jsonl")
        path.write_bytes(rollout(("response_item", message("user", "hi")), *before, *calling, *after))
        rows = read(path)
        answer = product.repair(path, out)
        assert answer.code == 0
        taken = {each["call_id"]: each["record"] for each in answer.session["recovered"]}
        made = read(out)
        for id in {row["payload"]["call_id"] for row in rows if row["payload"].get("type") == "function_call"}:
            calls = [record for record, row in enumerate(rows) if is_call(row, id)]
            told = [record for record, row in enumerate(rows) if is_certain(row, id)]
            if id in taken:
                assert len(calls) == 1
                assert taken[id] in told
                assert calls[0] < taken[id]
                assert outputs(made, id)[-1].endswith(f"Output:\noutput of {id}")
            elif len(calls) == 1 and not outputs(rows, id):
                # Nothing certain follows the call, or what follows it disagrees.
                assert len({exit_code(rows[record]) for record in told if record > calls[0]}) != 1
                assert outputs(made, id)[0].startswith(PLACEHOLDER_START)


def exit_code(row: dict[str, Any]) -> int:
    payload = row["payload"]
    code: int = payload.get("item", payload)["exit_code"]
    return code
