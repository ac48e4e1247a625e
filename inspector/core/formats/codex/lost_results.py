"""The results that a Codex rollout holds in events, where the output of the call is missing.

Codex runs calls side by side and writes their outputs in the order of the calls: each waits for those before it. The
event of a call's end is written at once. So what a killed session lacks may be in its events.

Facts: seen in 0.169.0: `item_completed` with an item whose `id` is that of the call.
`CommandExecution`: `aggregated_output` holds stdout and stderr up to 65,536 characters; of longer ones the head and the
tail, around a line that says so. A command that was interrupted is `failed` with the exit code -1, and its output is
partial. Of an output above 10,000 bytes the model is given the first and the last 5,000.
`McpToolCall`: `result` is the answer of the server, and `error` is there where it gave none. The model is given the
structured content as a text, else the content in parts, both with at most 12,000 bytes of text.
`FileChange`: `stdout` or `stderr` of a patch, whose output is the same for the tool `apply_patch` and for a command.
openai/codex codex-rs/protocol/src/protocol.rs: `exec_command_end`, `mcp_tool_call_end` (with the result as `Ok` or
`Err`) and `patch_apply_end`; core/src/tools/context.rs (ExecCommandToolOutput) and core/src/tools/mod.rs
(format_exec_output_for_model): how the result of a command is written.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from inspector.core.formats.base.call_evidence import EvidenceQuery
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.storage.json_text import dump_json, object_at, text_at
from inspector.core.translation import tr

PLACES = tr(
    "in the event recorded at the end of a command, an MCP call or a patch (`item_completed`, "
    "`exec_command_end`, `mcp_tool_call_end`, `patch_apply_end`). The event contains the id of the "
    "call"
)
_CUT_MARK = tr("... command output truncated for persistence ...")
_CUT = tr("only the beginning and the end of the output were recorded")
_TOO_LONG = tr("the result has more text parts than Codex sends to the model")
_ENDED = ("completed", "failed")
_KIND_OF_EVENT = {
    "exec_command_end": "CommandExecution",
    "mcp_tool_call_end": "McpToolCall",
    "patch_apply_end": "FileChange",
}
_BYTES_PER_TOKEN = 4  # by which Codex estimates
_MOST_BYTES = 10_000  # of an output, for a model that Codex does not know; it is the lowest of its limits
_MOST_BYTES_OF_MCP = 12_000
_UNIFIED, _FREEFORM = "exec_command", "shell_command"
_PATCH = "apply_patch"
_STRUCTURED = ("shell", "container.exec", "local_shell")


def lost_results_in_event(row: Any, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
    """Yield the result in the event of a call's end; see `LostResultSource.lost_results_in`."""
    payload = row.get("payload") if isinstance(row, dict) and row.get("type") == "event_msg" else None
    if not isinstance(payload, dict):
        return
    kind = str(payload.get("type"))
    ended, call_id = payload, payload.get("call_id")
    if kind == "item_completed":
        ended = object_at(payload, "/item")
        call_id = ended.get("id")
    read = _READERS.get(_KIND_OF_EVENT.get(kind) or text_at(ended, "/type"))
    call = calls.get(call_id) if isinstance(call_id, str) else None
    result = read(call, ended) if read is not None and call is not None else None
    if result is not None:
        yield replace(result, origin=f"event {kind}")


def _result_of_command(call: EvidenceQuery, ended: dict[str, Any]) -> LostResult | None:
    output, code, status = ended.get("aggregated_output"), ended.get("exit_code"), ended.get("status", _ENDED[0])
    if not isinstance(output, str) or not isinstance(code, int) or code < 0 or status not in _ENDED:
        return None
    text = _as_written(call, output, code, _seconds(ended.get("duration")))
    return LostResult(call.id, text, "", code != 0, _CUT if _CUT_MARK in output else "") if text else None


def _result_of_mcp_call(call: EvidenceQuery, ended: dict[str, Any]) -> LostResult | None:
    result, error = ended.get("result"), ended.get("error")
    if isinstance(result, dict) and ended.get("status", _ENDED[0]) in _ENDED:
        result, error = result.get("Ok", result), result.get("Err", error)
    else:
        result = None
    if isinstance(error, dict):
        error = error.get("message")
    seconds = f"Wall time: {_seconds(ended.get('duration')):.4f} seconds\nOutput:"
    if isinstance(error, str):
        parts = [{"type": "input_text", "text": error}]
    elif not isinstance(result, dict) or not isinstance(result.get("content"), list):
        return None
    elif result.get("structuredContent") is not None:
        structured = dump_json(result["structuredContent"]).decode()
        text = _without_middle(f"{seconds}\n{structured}", _MOST_BYTES_OF_MCP)
        return LostResult(call.id, text, "", result.get("isError") is True)
    else:
        parts = [_part(each) for each in result["content"]]
    kept = _within_limit([{"type": "input_text", "text": seconds}, *parts])
    text = "\n".join(part["text"] for part in kept if "text" in part)
    failed = isinstance(error, str) or object_at(result, "").get("isError") is True
    return LostResult(call.id, text, "", failed, _TOO_LONG if len(kept) <= len(parts) else "", content=kept)


def _part(content: Any) -> dict[str, str]:
    """Return a part of an MCP server's answer as Codex gives it to the model."""
    kind = text_at(content, "/type")
    if kind == "text" and isinstance(content.get("text"), str):
        return {"type": "input_text", "text": content["text"]}
    if kind == "image" and isinstance(content.get("data"), str) and isinstance(content.get("mimeType"), str):
        url = f"data:{content['mimeType']};base64,{content['data']}"
        return {"type": "input_image", "image_url": url, "detail": "high"}
    return {"type": "input_text", "text": dump_json(content).decode()}


def _within_limit(parts: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return parts with the text that Codex gives to the model: what follows the limit is left out."""
    kept, rest = [], _MOST_BYTES_OF_MCP
    for part in parts:
        if "text" not in part:
            kept.append(part)
        elif rest > 0:
            kept.append({**part, "text": _without_middle(part["text"], rest)})
            rest -= len(part["text"].encode("utf-8", "replace"))
    return kept


def _result_of_patch(call: EvidenceQuery, ended: dict[str, Any]) -> LostResult | None:
    succeeded = {"completed": True, "failed": False}.get(str(ended.get("status")), ended.get("success"))
    told = ended.get("stdout"), ended.get("stderr")
    if ended.get("status", _ENDED[0]) not in _ENDED or not isinstance(succeeded, bool):
        return None
    if call.name not in (_PATCH, _UNIFIED, _FREEFORM) or not all(isinstance(each, str) for each in told):
        return None
    by_command = "Wall time: 0.0000 seconds\nOutput:\n" if succeeded and call.name == _UNIFIED else ""
    text = tr(
        "{by_command}Exit code: {succeeded}\nWall time: 0 seconds\nOutput:\n{told}{told_2}",
        by_command=by_command,
        succeeded=int(not succeeded),
        told=told[0],
        told_2=told[1],
    )
    return LostResult(call.id, text, "", not succeeded)


_READERS: dict[str, Callable[[EvidenceQuery, dict[str, Any]], LostResult | None]] = {
    "CommandExecution": _result_of_command,
    "McpToolCall": _result_of_mcp_call,
    "FileChange": _result_of_patch,
}


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
    if _CUT_MARK in output or (cut := _without_middle(output, most)) == output:
        return output
    return (
        f"Warning: truncated output (original token count: {_tokens(output)})\n"
        f"Total output lines: {len(output.splitlines())}\n\n{cut}"
    )


def _without_middle(text: str, most: int) -> str:
    """Return a text with at most this many bytes of it, and a mark where the others were."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= most:
        return text
    head = raw[: most // 2].decode("utf-8", "ignore")
    tail = raw[len(raw) - (most - most // 2) :].decode("utf-8", "ignore")
    return f"{head}…{len(text) - len(head) - len(tail)} chars truncated…{tail}"
