"""Kimi Code: `~/.kimi-code/sessions/<project>/<session>/agents/<agent>/wire.jsonl`, a log of events.

Facts: MoonshotAI/kimi-code d723cc4 and 2.1.0: the folds as named in `fold`, what is sent in `sends`; reading in
`agent/records` (the first record is `metadata`; up to d723cc4 a line that is no JSON stops the resume unless it is the
unterminated last one: issue #3181); `docs/en/guides/sessions.md` (folders, `kimi --session`).
The session's folder also holds `state.json`, and `session_index.jsonl` names it: neither speaks of messages.
"""

import re
from array import array
from typing import Any

from inspector.core.bytes.json_text import dump_json, object_at, parse_json
from inspector.core.formats.bases.agent import Sender
from inspector.core.formats.bases.edits import Settled
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.json_lines import JsonLines, file_stem
from inspector.core.formats.bases.next_steps import GO_THERE, RUN, NextSteps
from inspector.core.formats.bases.on_resume import OnResume
from inspector.core.formats.bases.request import Request
from inspector.core.formats.bases.store import Headline, Store, first_line, first_said
from inspector.core.formats.bases.tracer import Tracer
from inspector.core.formats.kimi_code import traces, writing
from inspector.core.formats.kimi_code.compaction import CutMap
from inspector.core.formats.kimi_code.entries import is_typed, text_in
from inspector.core.formats.kimi_code.fold import Fold
from inspector.core.formats.kimi_code.manifest import folder_told, headline_beside
from inspector.core.formats.kimi_code.memory import memory_of
from inspector.core.formats.kimi_code.reader import V1, V2, Reader
from inspector.core.formats.kimi_code.rows import SHAPE, add_line
from inspector.core.formats.kimi_code.sends import as_sent, named, request_of
from inspector.core.formats.kimi_code.shown import view
from inspector.core.formats.kimi_code.steps import steps_of
from inspector.core.index.columns import Columns, ReadRecord, RecordMark, Role
from inspector.core.index.session import CutExchange, DamagedLink, LinkDamage, Log, Session, Thread
from inspector.core.known_texts.versions import version_numbers
from inspector.core.profiles.by_name import profile_of
from inspector.core.wire.fields import truncation_reason

_LABEL = "Kimi Code"
_IN_STORE = re.compile(r"([^/\\]+)[/\\]agents[/\\]([^/\\]+)[/\\][^/\\]+$")
_NO_STEP = "This part or call belongs to no step that is open: engine v1 refuses to load the session."
_NO_HEADER = "The log does not begin with its metadata: engine v1 refuses to load it."
_TORN, _BEHIND = "the torn line", "everything from the damaged line on"
_DAMAGED = frozenset({"F2", "F3", "F4", "F6", "F8"})


class KimiCode(JsonLines, Sender, Tracer):
    """Sessions of Kimi Code, both engines."""

    name = "kimi-code"
    label = "Kimi Code session"
    keys = "protocol_version event"
    detection = "a metadata line with protocol_version and created_at first, then dotted types"
    read = "the messages that the events fold into: compaction, undo and clear applied; engine by protocol version"
    write_back = "yes: a copy, in place"
    resume = (
        "metadata first; a result between its call and the end of its step; no part without its step; counts shifted"
    )
    unsupported = "a new session (it needs its own state.json and a line of session_index.jsonl)"
    source = "MoonshotAI/kimi-code d723cc4, agent-core and agent-core-v2"
    profile = "openai-chat"
    block_schema = writing.SPELLING
    stores = (Store("~/.kimi-code", "sessions/*/*/agents/main/wire.jsonl", "KIMI_CODE_HOME"),)
    merges_fragments = True
    results_share_record = False
    results_are_records = True
    supported_profiles = ("openai-chat", "anthropic", "openai-responses", "gemini")
    profiles_with_new_ids = frozenset({"anthropic", "openai-chat", "openai-responses"})
    message_schema = SHAPE

    def score(self, head: Head) -> float:
        if not head.is_lines:
            return 0.0
        first = head.lines[0]
        events = sum(str(row.get("type")).startswith("context.") for row in head.lines)
        if first.get("type") == "metadata" and "protocol_version" in first:
            return 0.95 if events or "created_at" in first else 0.0
        return 0.8 if events > len(head.lines) / 4 else 0.0

    index_valid_record = staticmethod(add_line)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        reader = _reader(_version(columns, raw))
        known: CutMap = {}
        if columns is not log.columns and log.columns.has_mark(RecordMark.COMPACTION):
            known = _by_slot(log.columns, Fold(log.columns, log.raw, reader).run())
        fold = Fold(columns, raw, reader, known).run().finish()
        path = array("I", fold.path())
        thread = Thread(path, damaged_links=_links(columns, raw, fold), ignored_results=fold.unheard)
        thread.cut_exchanges = _cut_off(fold, set(path)) if fold.all_cut_off or fold.split else []
        in_store = _IN_STORE.search(log.source.path)
        session_id = in_store[1] if in_store else file_stem(log.source.path)
        found = profile_of(*named(columns, raw))
        profile, members = found or self.profile, range(len(columns))
        return [Session(0, session_id, members, [thread], profile, provider_assumed=not found)]

    pointer = staticmethod(writing.pointer)

    def truncation_reason(self, columns: Columns, record: int, raw: ReadRecord, pointer: str) -> str:
        """How the step of the call ended, as its `step.end` says."""
        end = steps_of(columns).ends[record]
        return truncation_reason(parse_json(raw(end)), ("/event/finishReason",)) if end >= 0 else ""

    view = staticmethod(view)

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        """A compaction may lack its summary, or tell it under another key (`readCompactionSummaryText`)."""
        if columns.marks[record] & RecordMark.COMPACTION:
            return dump_json(self.view(raw).blocks[0].text)
        return super().block_bytes(columns, record, raw, ordinal)

    # looking

    def describe(self, log: Log, session: Session) -> None:
        session.version = _version(log.columns, log.raw)
        session.agent = f"{_LABEL} (protocol {session.version or 'unknown'})"
        named = _IN_STORE.search(log.source.path)
        if named and named[2] != "main":
            session.agent += f", subagent {named[2]}"
        said = (record for record in session.main_thread.path if not log.columns.marks[record] & RecordMark.COMPACTION)
        session.title = first_said(log, said, lambda raw: _title(parse_json(raw)))
        session.memory = memory_of(log.columns, log.raw, _reader(session.version))

    def metadata(self, head: Head) -> Headline:
        beside = headline_beside(head.path)
        said = (_title(row) for row in head.lines if row.get("type") == "context.append_message")
        title = beside.title or next((title for title in said if title), "")
        return Headline(beside.project or folder_told(head), title)

    def build_request(self, session: Session, columns: Columns, raw: ReadRecord) -> Request:
        return request_of(columns, session.main_thread, raw, _reader(session.version))

    sent_text = staticmethod(as_sent)

    def resume_behavior(self, session: Session, rules: set[str]) -> OnResume:
        """Engine v1 refuses a damaged line that is not the last, and parts without their step; 2.1.0 goes on."""
        agent, label = f"{self.name} {session.version}".strip(), session.agent or _LABEL
        older = _reader(session.version) is V1
        if "F7" in rules or (older and rules & {*_DAMAGED, "F5", "G1"}):
            return OnResume(agent, "refuses", (), label)
        loses = [_TORN] if "F1" in rules else []
        loses += [_BEHIND] if rules & _DAMAGED else []
        loses += ["parts and calls of a step that is not open"] if "G1" in rules else []
        return OnResume(agent, "mends" if rules else "as-is", tuple(loses), label)

    # what the log shows of calls

    evidence_in = staticmethod(traces.trace)
    folders_at = staticmethod(traces.folders)

    # writing

    rewrite = staticmethod(writing.rewrite)

    def insertion_start(self, columns: Columns, record: int) -> int:
        """The begin of its step: what is written between the parts of one comes behind them."""
        begin = steps_of(columns).begins[record] if columns.groups[record] is not None else -1
        return begin if begin >= 0 else record

    def result_position(self, columns: Columns, call: int, after: int) -> int:
        """Behind the parts and results of its step and before the step's end: there both engines take it."""
        return steps_of(columns).followed[call]

    def records_before_results(self, columns: Columns, call: int) -> list[int]:
        return steps_of(columns).in_between(call)

    def detached_call_anchor(self, columns: Columns, call: int) -> int:
        """Right before the next step, where the call's own is still open when that begins.

        Engine v1 reads results that come later than that too late.
        """
        parted = steps_of(columns).parted[call]
        return parted - 1 if parted > 0 else -1

    move_cut = staticmethod(writing.cut_before)

    def relink(self, columns: Columns, record: int, raw: ReadRecord) -> list[bytes]:
        """A part amid those of an open step belongs to it; another one gets a step of its own."""
        around = _step_around(columns, record) if columns.roles[record] == Role.ASSISTANT else -1
        if around < 0:
            return [writing.parent_line(raw(record)), raw(record)]
        return [writing.part_of(raw(record), raw(around))]

    result_block = staticmethod(writing.answer)
    match_form = staticmethod(writing.fit)
    user_record = staticmethod(writing.user_record)

    def update_derived(self, before: Columns, after: Columns, raw: ReadRecord) -> Settled:
        """Counts of messages before a compaction or a cutoff; undo counts prompts, which no repair adds or drops."""
        record_of = {slot: record for record, slot in enumerate(after.stable_numbers)}
        reader = _reader(_version(after, raw))

        def as_read(record: int) -> bytes:
            return raw(record_of[record]) if record in record_of else b"{}"

        known = _by_slot(before, Fold(before, as_read, reader, cutoffs=True).run())
        fold = Fold(after, raw, reader, known, cutoffs=True).run()
        cuts = {after.stable_numbers[record]: (record, cut, raw(record)) for record, cut in fold.cuts.items()}
        return writing.settled(known, cuts)

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        close = "Close Kimi Code: it appends to this file by name."
        return NextSteps((GO_THERE, RUN), f"kimi --session {session_id}", close)


def _header(columns: Columns, raw: ReadRecord) -> dict[str, Any]:
    """The metadata record, empty where the log does not begin with it."""
    if not len(columns) or columns.roles[0] or columns.marks[0] & RecordMark.UNREADABLE:
        return {}
    value = parse_json(raw(0))
    return value if isinstance(value, dict) and value.get("type") == "metadata" else {}


def _version(columns: Columns, raw: ReadRecord) -> str:
    """The protocol version that the metadata names, "" where it names none."""
    return str(_header(columns, raw).get("protocol_version") or "")


def _reader(version: str) -> Reader:
    """The engine that writes this protocol version; what is newer than it knows, engine v1 replays as it is."""
    return V2 if version_numbers(version) >= (1, 5) else V1


def _by_slot(columns: Columns, fold: Fold) -> CutMap:
    return {columns.stable_numbers[record]: cut for record, cut in fold.cuts.items()}


def _links(columns: Columns, raw: ReadRecord, fold: Fold) -> list[DamagedLink]:
    """What misses the record that it hangs off: the log its header, parts between two steps the step they are of."""
    found = []
    if len(columns) and not columns.marks[0] & RecordMark.UNREADABLE and not _header(columns, raw):
        found.append(DamagedLink(0, LinkDamage.MISSING_PARENT, text=_NO_HEADER))
    homeless = set(fold.homeless)
    told: set[str | None] = set()
    for record in range(len(columns)) if homeless else ():
        if columns.marks[record] & RecordMark.GROUP_START:
            told.clear()
        elif record in homeless and columns.groups[record] not in told:
            told.add(columns.groups[record])
            found.append(DamagedLink(record, LinkDamage.MISSING_PARENT, text=_NO_STEP))
    return found


def _step_around(columns: Columns, record: int) -> int:
    """The begin of a step whose parts stand before and after a record, -1 when there is none."""
    groups, marks, ends = (
        columns.groups,
        columns.marks,
        RecordMark.GROUP_START | RecordMark.GROUP_END | RecordMark.COMPACTION,
    )
    begin = next((at for at in range(record, -1, -1) if columns.roles[at] == Role.LINK or marks[at] & ends), -1)
    if begin < 0 or not marks[begin] & RecordMark.GROUP_START:
        return -1
    for later in range(record + 1, len(columns)):
        if marks[later] & ends:
            break
        if columns.roles[later] == Role.ASSISTANT and groups[later] == groups[begin]:
            return begin
    return -1


def _cut_off(fold: Fold, path: set[int]) -> list[CutExchange]:
    """The exchanges that compactions cut, as far as something of them is left; what is mended by a count comes last."""
    for cut in fold.all_cut_off:
        cut.call_kept = cut.call in path
        if cut.result not in path:
            cut.result = -1
    return [*fold.all_cut_off, *(cut for cut in fold.split if cut.result in path and cut.call not in path)]


def _title(row: Any) -> str:
    message = object_at(row, "/message")
    if message.get("role") != "user" or not is_typed(message.get("origin")):
        return ""
    return first_line(text_in(message.get("content")))
