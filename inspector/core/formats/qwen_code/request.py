"""The request of Qwen Code on resume, and what it does with a damaged chat.

Facts: @qwen-code/qwen-code 0.24.4, `repairOrphanedToolUseTurns` (before every request: what a call lacks in the run of
the user's messages behind its own is put before their words, a result that stands later in that run is taken to its
call, the first of several is kept) and `cleanOrphanedToolCalls` of the converter for OpenAI (what answers no call goes;
of calls with one id the first stays). It was run on thirteen broken chats and on their repairs. Media of a result that
its model does not take become a note behind the text.
"""

import re
from collections.abc import Iterable, Sequence

from inspector.core.formats.base.agent_behavior import (
    BROKEN_CHAIN_LOSSES,
    CYCLE_LOSSES,
    INVALID_JSON_LOSSES,
    ResumeBehavior,
    losses_of_rules,
)
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.model.columnar_index import Columns, ReadRecord, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.storage.json_text import object_at, objects_at, parse_json, text_at, value_at
from inspector.core.translation import tr

_MEDIA = ("inlineData", "fileData")
_MEDIA_MEMBERS = (b'"inlineData"', b'"fileData"')
_OMNI_MODELS = re.compile(r"gemini-|qwen\d*\.?\d*-omni|qwen-omni")
_VISION_MODELS = re.compile(
    r"gpt-|o\d|claude-|qwen3\.[5-7]-plus|qwen3\.8-(flash|plus|max)|coder-model$|qwen3?-vl-|qwen3\.6-35b|deepseek-.*vision|"
    r"glm-[0-9.]+v|glm-5\.3-flash|minimax-m3|kimi-k3|kimi-k2\.|doubao-seed(?!ance|ream)|doubao-.*(vision|vl)"
)
_MISSING_RESULT = PLACEHOLDER_WORDINGS["qwen-code"].text
_CALL, _RESULT = BlockKind.CALL, BlockKind.RESULT
_SENT_ROLES = (Role.USER, Role.ASSISTANT, Role.TOOL)


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages that a resume of the session sends."""
    sent: list[RequestMessage] = []
    known: set[str | None] = {None, ""}
    kinds, ids = columns.block_kinds, columns.call_ids
    notes = _media_notes(columns, session.main_thread.path, raw)
    for spoken, following in _exchanges(columns, session.main_thread.path):
        calls = {ids[row]: row for row in reversed(spoken) if kinds[row] == _CALL and ids[row] not in known}
        own = [row for row in spoken if kinds[row] != _CALL or calls.get(ids[row]) == row]
        known.update(calls)
        results: dict[str | None, int] = {}
        for row in following:
            if kinds[row] == _RESULT and ids[row] in calls:
                results.setdefault(ids[row], row)
        answers = [RequestBlock(row, note=notes.get(row, "")) for row in results.values()]
        answers += [
            RequestBlock(row, _MISSING_RESULT) for call_id, row in reversed(calls.items()) if call_id not in results
        ]
        words = [RequestBlock(row) for row in following if kinds[row] != _RESULT]
        _add(sent, Role.ASSISTANT, [RequestBlock(row) for row in own])
        _add(sent, Role.TOOL, answers)
        _add(sent, Role.USER, words)
    return ResumeRequest("openai-chat", sent)


def _media_notes(columns: Columns, path: Sequence[int], raw: ReadRecord) -> dict[int, str]:
    """Return what stands for the media of results that the model does not take, by block row.

    What a model takes is known by its name (`modalityDefaults.ts`; settings may say something else).
    """
    notes: dict[int, str] = {}
    model: str | None = None
    for record in path:
        rows = [row for row in columns.block_rows(record) if columns.block_kinds[row] == _RESULT]
        text = raw(record) if rows else b""
        if not any(member in text for member in _MEDIA_MEMBERS):
            continue
        model = _newest_model(columns, path, raw) if model is None else model
        value = parse_json(text)
        for row in rows:
            response = value_at(value, f"/message/parts/{row - columns.first_block[record]}/functionResponse")
            media = (object_at(part, f"/{member}") for part in objects_at(response, "/parts") for member in _MEDIA)
            lines = (_note_for(text_at(each, "/mimeType"), model) for each in media if each)
            notes[row] = "\n".join(filter(None, lines))
    return notes


def _note_for(media_type: str, model: str) -> str:
    """Return the text for a medium (`slimCompactionInput`), "" where the model takes it."""
    kind = media_type.partition("/")[0]
    takes_all = _OMNI_MODELS.match(model) is not None
    takes_pdf = media_type == "application/pdf" and model.startswith("claude-")
    if takes_all or takes_pdf or (kind in ("image", "video") and _VISION_MODELS.match(model) is not None):
        return ""
    return f"[{'image' if kind == 'image' else 'document'}: {media_type or 'application/octet-stream'}]"


def _newest_model(columns: Columns, path: Sequence[int], raw: ReadRecord) -> str:
    answers = (record for record in reversed(path) if columns.roles[record] == Role.ASSISTANT)
    models = (text_at(parse_json(raw(record)), "/model") for record in answers)
    return next(filter(None, models), "").lower()


def _add(sent: list[RequestMessage], role: Role, blocks: list[RequestBlock]) -> None:
    if blocks:
        sent.append(RequestMessage(role, blocks))


def _exchanges(columns: Columns, path: Iterable[int]) -> list[tuple[list[int], list[int]]]:
    """Return the blocks of each message of the model, and those of the user's messages up to the next one."""
    exchanges: list[tuple[list[int], list[int]]] = [([], [])]
    group: str | None = None
    for record in path:
        if columns.roles[record] not in _SENT_ROLES:
            continue
        rows = columns.block_rows(record)
        if columns.roles[record] != Role.ASSISTANT:
            exchanges[-1][1].extend(rows)
        elif columns.groups[record] is not None and columns.groups[record] == group:
            exchanges[-1][0].extend(rows)
        else:
            group = columns.groups[record]
            exchanges.append((list(rows), []))
    return exchanges


# What Qwen Code does on resume with a damaged chat.
#
# Facts: @qwen-code/qwen-code 0.24.4, run against a provider on the loopback address, and its source
# (`repairOrphanedToolUseTurns` before every request, `cleanOrphanedToolCalls` of the converter for OpenAI).
# In memory it answers a call that has no result in the run of the user's messages behind its own, takes a result that
# stands later in that run to its call, keeps the first of several results, and leaves results without a call out. A
# result after the next message of the model is not found: it stays out, and a placeholder is sent. The file stays as it
# is. Lines that are not JSON are skipped (of whole records on one line both are read), so that what hung off them is
# cut off from all that came before. A line that is torn is written on: the next record is fused with it and lost to the
# resume after that. Of calls with one id the first keeps its place in the request; a later one goes with its result, in
# whatever turn it is, which no provider requires. An input that is no object is sent letter by letter.

AGENT_LABEL = "Qwen Code"
LOSSY_RULES = frozenset({"K1"})  # findings of the classes that cost results, though the provider takes what is sent
_WITHOUT_CALL = tr("results without a call")
_LOSSES = {
    "R1": _WITHOUT_CALL,
    "R8": _WITHOUT_CALL,
    "R2": tr("results that come before their calls"),
    "R4": tr("results after the next model message (the agent replaces them with placeholders)"),
    "R6": tr("a real result that comes after a placeholder"),
    "R7": tr("all results of a call except the first"),
    "R11": tr("calls and results in messages with the wrong role"),
    "R12": tr("results of calls on another branch"),
    "C2": tr("results of calls that were removed by a compaction"),
    "K1": tr("calls that reuse an id, with their results"),
    "K2": tr("calls that reuse an id, with their results"),
    "K3": tr("calls without an id, with their results"),
    "K5": tr("results whose ids differ from those of their calls"),
    "K6": tr("inputs that are not objects (the agent sends them character by character)"),
    **BROKEN_CHAIN_LOSSES,
    **CYCLE_LOSSES,
    **INVALID_JSON_LOSSES,
    "F1": tr("the incomplete line and the next record, which the agent appends to that line"),
    "F2": tr(
        "a record that follows an incomplete record on the same line, and everything before the incomplete record"
    ),
}
_UNCHANGED_RULES = frozenset({"K4", "K7", "F7"})


def resume_behavior(session: Session, rules: set[str]) -> ResumeBehavior:
    """Return what Qwen Code does on resume; see `Agent.resume_behavior`."""
    agent, label = f"qwen-code {session.version}".strip(), session.agent or AGENT_LABEL
    loses = losses_of_rules(_LOSSES, rules)
    if rules & _UNCHANGED_RULES:
        return ResumeBehavior(agent, "refuses", loses, label)
    of_pairs = any(rule[0] not in "FG" for rule in rules)
    return ResumeBehavior(agent, "mends" if of_pairs else "as-is", loses, label)
