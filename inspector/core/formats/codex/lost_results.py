"""The results of commands that a Codex rollout holds in events, where the output of the call is missing.

Codex runs commands side by side and writes their outputs in the order of the calls: each waits for those before it. The
event of a command's end is written at once. So what a killed session lacks may be in its events.

Facts: seen in 0.169.0: `item_completed` with an item `CommandExecution`, whose `id` is that of the call. Its
`aggregated_output` holds stdout and stderr up to 65,536 characters; of longer ones the head and the tail, around a
line that says so. A command that was interrupted is `failed` with the exit code -1, and its output is partial.
openai/codex codex-rs/protocol/src/protocol.rs: `exec_command_end`; core/src/tools/context.rs (ExecCommandToolOutput)
and core/src/tools/mod.rs (format_exec_output_for_model): how a result is written. Seen: of an output above
10,000 bytes the model is given the first and the last 5,000.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.core.formats.base.call_evidence import EvidenceQuery
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.storage.json_text import dump_json

PLACES = "in the event of a command's end (`item_completed`, `exec_command_end`), which names the call"
_CUT_MARK = "... command output truncated for persistence ..."
_CUT = "only the beginning and the end of the output were recorded"
_ENDED = ("completed", "failed")
_BYTES_PER_TOKEN = 4  # by which Codex estimates
_MOST_BYTES = 10_000  # of an output, for a model that Codex does not know; it is the lowest of its limits
_UNIFIED, _FREEFORM = "exec_command", "shell_command"
_STRUCTURED = ("shell", "container.exec", "local_shell")


def lost_results_in_event(row: Any, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
    """Yield the result in the event of a command's end; see `LostResultSource.lost_results_in`."""
    payload = row.get("payload") if isinstance(row, dict) and row.get("type") == "event_msg" else None
    if not isinstance(payload, dict):
        return
    kind, ended, call_id = payload.get("type"), payload, payload.get("call_id")
    if kind == "item_completed" and isinstance(payload.get("item"), dict):
        ended = payload["item"]
        call_id = ended.get("id") if ended.get("type") == "CommandExecution" else None
    elif kind != "exec_command_end":
        return
    call = calls.get(call_id) if isinstance(call_id, str) else None
    if call is None:
        return
    output, code, status = ended.get("aggregated_output"), ended.get("exit_code"), ended.get("status", _ENDED[0])
    if not isinstance(output, str) or not isinstance(code, int) or code < 0 or status not in _ENDED:
        return
    text = _as_written(call, output, code, _seconds(ended.get("duration")))
    if text:
        doubt = _CUT if _CUT_MARK in output else ""
        yield LostResult(call.id, text, f"event {kind}", failed=code != 0, doubt=doubt)


def _seconds(duration: Any) -> float:
    if not isinstance(duration, dict):
        return 0.0
    parts = duration.get("secs"), duration.get("nanos")
    return sum(part * unit for part, unit in zip(parts, (1, 1e-9), strict=True) if isinstance(part, int))


def _as_written(call: EvidenceQuery, output: str, code: int, seconds: float) -> str:
    """Return the output of a command as Codex gives it to the model, "" for a tool that runs no command."""
    if call.name == _UNIFIED:
        asked = call.input.get("max_output_tokens") if isinstance(call.input, dict) else None
        most = asked * _BYTES_PER_TOKEN if isinstance(asked, int) and asked >= 0 else _MOST_BYTES
        count = "" if _CUT_MARK in output else f"Original token count: {_tokens(output)}\n"
        return (
            f"Wall time: {seconds:.4f} seconds\nProcess exited with code {code}\n"
            f"{count}Output:\n{_cut_middle(output, min(most, _MOST_BYTES))}"
        )
    if call.name == _FREEFORM:
        return f"Exit code: {code}\nWall time: {round(seconds, 1):g} seconds\nOutput:\n{_cut_middle(output)}"
    if call.name in _STRUCTURED:
        metadata = {"exit_code": code, "duration_seconds": round(seconds, 1)}
        return dump_json({"output": _cut_middle(output), "metadata": metadata}).decode()
    return ""


def _tokens(output: str) -> int:
    return -(-len(output.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


def _cut_middle(output: str, most: int = _MOST_BYTES) -> str:
    """Return an output cut in its middle, as Codex cuts it for a model that it does not know.

    One that was recorded with a cut stays as it is: its length is not known.
    """
    raw = output.encode("utf-8", "replace")
    if len(raw) <= most or _CUT_MARK in output:
        return output
    head = raw[: most // 2].decode("utf-8", "ignore")
    tail = raw[len(raw) - (most - most // 2) :].decode("utf-8", "ignore")
    removed = len(output) - len(head) - len(tail)
    return (
        f"Warning: truncated output (original token count: {_tokens(output)})\n"
        f"Total output lines: {len(output.splitlines())}\n\n{head}…{removed} chars truncated…{tail}"
    )
