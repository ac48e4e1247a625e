"""Kimi Code: `~/.kimi-code/sessions/<project>/<session>/agents/<agent>/wire.jsonl`, a log of events.

Facts: MoonshotAI/kimi-code d723cc4 and 2.1.0: the folds as named in `loader`, what is sent in `request`; reading in
`agent/records` (the first record is `metadata`; up to d723cc4 a line that is not JSON stops the resume unless it is the
unterminated last one: issue #3181); `docs/en/guides/sessions.md` (folders, `kimi --session`).
The session's folder also holds `state.json`, and `session_index.jsonl` names the folder. Neither holds messages.
"""

import re
from array import array
from collections.abc import Mapping
from typing import Any

from inspector.core.formats.base.agent_behavior import (
    CHANGE_FOLDER_STEP,
    RUN_STEP,
    SENDS_HALF_PAIRS,
    InvalidCharacters,
    NextSteps,
    RequestBuilder,
    ResumeBehavior,
)
from inspector.core.formats.base.call_evidence import CallEvidenceSource
from inspector.core.formats.base.json_lines import JsonLines, file_stem
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.lost_results import LostResultSource
from inspector.core.formats.base.request import ResumeRequest
from inspector.core.formats.base.stores import SessionMetadata, StorePattern, first_user_text, title_line
from inspector.core.formats.base.writer import DerivedUpdates
from inspector.core.formats.kimi_code import lost_results, reader, request, writer
from inspector.core.formats.kimi_code.compaction import CutsBySlot
from inspector.core.formats.kimi_code.loader import (
    ENGINE_V1_RULES,
    ENGINE_V2_RULES,
    HistoryFold,
    ReplayRules,
    is_from_user_or_model,
    text_of_content,
)
from inspector.core.formats.kimi_code.memory_log_comparison import compare_memory_with_log
from inspector.core.formats.kimi_code.reader import step_bounds_of
from inspector.core.formats.kimi_code.record_views import record_view
from inspector.core.formats.kimi_code.title_and_folder import folder_in_head, stored_metadata
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import DamagedLink, ExchangeCutByCompaction, LinkDamage, Log, Session, Thread
from inspector.core.providers.message_fields import truncation_reason
from inspector.core.providers.registry import profile_name_of
from inspector.core.storage.json_text import dump_json, object_at, parse_json
from inspector.core.storage.source import SHORT_HEAD_SIZE
from inspector.core.text import version_numbers
from inspector.core.translation import tr

_LABEL = "Kimi Code"
_STORE_PATH = re.compile(r"([^/\\]+)[/\\]agents[/\\]([^/\\]+)[/\\][^/\\]+$")
_NO_OPEN_STEP = tr("This part or call does not belong to an open step, so engine v1 does not load the session.")
_NO_HEADER = tr("The log does not begin with its metadata, so engine v1 does not load it.")
_TORN_LINE, _REST_OF_LOG = tr("the incomplete line"), tr("the damaged line and everything after it")
_DAMAGE_RULES = frozenset({"F2", "F3", "F4", "F6", "F8"})


class KimiCode(JsonLines, RequestBuilder, CallEvidenceSource, LostResultSource):
    """Sessions of Kimi Code, both engines."""

    name = "kimi-code"
    label = "Kimi Code session"
    keys = "protocol_version event"
    detection = tr(
        "a metadata line with protocol_version and created_at, followed by lines with a type that contains dots"
    )
    read = tr(
        "the messages that the events produce once compaction, undo and clear are applied (the protocol "
        "version determines the engine)"
    )
    write_back = tr("yes, as a copy or in place")
    resume = tr(
        "metadata comes first, each result is between its call and the end of the step, every part belongs to "
        "a step, and counts are adjusted"
    )
    unsupported = tr("saving a new session, which needs its own state.json and a line in session_index.jsonl")
    source = "MoonshotAI/kimi-code d723cc4, agent-core and agent-core-v2"
    profile = "openai-chat"
    block_schema = writer.WIRE_BLOCK_SCHEMA
    stores = (StorePattern("~/.kimi-code", "sessions/*/*/agents/main/wire.jsonl", "KIMI_CODE_HOME"),)
    session_store = "inspector.core.formats.kimi_code.session_store:KimiCodeStore"
    merges_fragments = True
    results_share_record = False
    results_are_records = True
    supported_profiles = ("openai-chat", "anthropic", "openai-responses", "gemini")
    profiles_with_new_ids = frozenset({"anthropic", "openai-chat", "openai-responses"})
    message_schema = reader.LINE_SCHEMA

    def score(self, head: Head) -> float:
        if not head.is_lines:
            return 0.0
        first = head.lines[0]
        events = sum(str(row.get("type")).startswith("context.") for row in head.lines)
        if first.get("type") == "metadata" and "protocol_version" in first:
            return 0.95 if events or "created_at" in first else 0.0
        return 0.8 if events > len(head.lines) / 4 else 0.0

    index_valid_record = staticmethod(reader.add_line)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        rules = _replay_rules(_version(columns, raw))
        cuts: CutsBySlot = {}
        if columns is not log.columns and log.columns.has_mark(RecordMark.COMPACTION):
            cuts = _cuts_by_slot(log.columns, HistoryFold(log.columns, log.raw, rules).run())
        fold = HistoryFold(columns, raw, rules, cuts).run().finish()
        path = array("I", fold.path())
        thread = Thread(path, damaged_links=_missing_links(columns, raw, fold), ignored_results=fold.unheard)
        thread.cut_exchanges = _split_exchanges(fold, set(path)) if fold.all_cut_off or fold.split else []
        in_store = _STORE_PATH.search(log.source.path)
        session_id = in_store[1] if in_store else file_stem(log.source.path)
        profile, members = profile_name_of(*request.requested_protocol_and_model(columns, raw)), range(len(columns))
        return [Session(0, session_id, members, [thread], profile or self.profile, provider_assumed=not profile)]

    pointer = staticmethod(writer.block_pointer)

    def truncation_reason(self, columns: Columns, record: int, raw: ReadRecord, pointer: str) -> str:
        """Return how the step of the call ended, according to its `step.end`."""
        end = step_bounds_of(columns).ends[record]
        return truncation_reason(parse_json(raw(end)), ("/event/finishReason",)) if end >= 0 else ""

    view = staticmethod(record_view)

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        """Return the JSON of a block. A compaction may lack its summary, or have it under another key.

        See `readCompactionSummaryText` of the program.
        """
        if columns.marks[record] & RecordMark.COMPACTION:
            return dump_json(self.view(raw).blocks[0].text)
        return super().block_bytes(columns, record, raw, ordinal)

    def describe(self, log: Log, session: Session) -> None:
        session.version = _version(log.columns, log.raw)
        session.agent = f"{_LABEL} (protocol {session.version or 'unknown'})"
        in_store = _STORE_PATH.search(log.source.path)
        if in_store and in_store[2] != "main":
            session.agent += f", subagent {in_store[2]}"
        records = (
            record for record in session.main_thread.path if not log.columns.marks[record] & RecordMark.COMPACTION
        )
        session.title = first_user_text(log, records, lambda raw: _title(parse_json(raw)))
        session.memory = compare_memory_with_log(log.columns, log.raw, _replay_rules(session.version))

    def metadata(self, head: Head) -> SessionMetadata:
        stored = stored_metadata(head.path)
        titles = (_title(row) for row in head.lines if row.get("type") == "context.append_message")
        title = stored.title or next((title for title in titles if title), "")
        return SessionMetadata(stored.project or folder_in_head(head), title)

    def stored_folder(self, log: Log, session: int) -> str:
        return stored_metadata(log.source.path).project or folder_in_head(Head(log.source, SHORT_HEAD_SIZE))

    # what the agent does

    passes_inputs_on = True

    def build_request(self, session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
        return request.build_request(columns, session.main_thread, raw, _replay_rules(session.version))

    sent_text = staticmethod(request.sent_result_text)

    def invalid_characters(self, version: str) -> Mapping[str, InvalidCharacters]:
        """Return nothing for engine v1, of which it is not known."""
        return {} if _replay_rules(version) is ENGINE_V1_RULES else SENDS_HALF_PAIRS

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Return what the engine does with damage.

        Engine v1 refuses a damaged line that is not the last, and parts without their step. 2.1.0 goes on.
        """
        agent, label = f"{self.name} {session.version}".strip(), session.agent or _LABEL
        older = _replay_rules(session.version) is ENGINE_V1_RULES
        if "F7" in rules or (older and rules & {*_DAMAGE_RULES, "F5", "G1"}):
            return ResumeBehavior(agent, "refuses", (), label)
        loses = [_TORN_LINE] if "F1" in rules else []
        loses += [_REST_OF_LOG] if rules & _DAMAGE_RULES else []
        loses += [tr("parts and calls that do not belong to an open step")] if "G1" in rules else []
        return ResumeBehavior(agent, "mends" if rules else "as-is", tuple(loses), label)

    evidence_in = staticmethod(reader.evidence_in_event)
    folders_at = staticmethod(reader.working_folder_by_record)
    side_files = (lost_results.FOLDER,)
    lost_result_places = lost_results.PLACES
    lost_results_in = staticmethod(lost_results.lost_results_in_event)
    lost_results_beside = staticmethod(lost_results.lost_results_beside)

    # writing

    rewrite = staticmethod(writer.rewrite_line)

    def insertion_start(self, columns: Columns, record: int) -> int:
        """Return the begin of the record's step, because what is written between its parts is read after them."""
        begin = step_bounds_of(columns).begins[record] if columns.groups[record] is not None else -1
        return begin if begin >= 0 else record

    def result_position(self, columns: Columns, call: int, after: int) -> int:
        """Return the record after the step's parts and results and before its end, where both engines read a result."""
        return step_bounds_of(columns).followed[call]

    def records_before_results(self, columns: Columns, call: int) -> list[int]:
        return step_bounds_of(columns).in_between(call)

    def detached_call_anchor(self, columns: Columns, call: int) -> int:
        """Return the record before the next step if the call's own step is still open then, else -1.

        Engine v1 reads a later result too late.
        """
        parted = step_bounds_of(columns).parted[call]
        return parted - 1 if parted > 0 else -1

    move_cut = staticmethod(writer.move_compaction_cut)

    def relink(self, columns: Columns, record: int, raw: ReadRecord, session_id: str) -> list[bytes]:
        """Return the part in the open step around it, or after a step of its own if there is none."""
        begin = _step_around(columns, record) if columns.roles[record] == Role.ASSISTANT else -1
        if begin < 0:
            return [writer.make_parent_line(raw(record)), raw(record)]
        return [writer.move_to_step(raw(record), raw(begin))]

    result_block = staticmethod(writer.make_result_line)
    match_form = staticmethod(writer.convert_to_form_of)
    user_record = staticmethod(writer.make_user_line)

    def update_derived(self, before: Columns, after: Columns, raw: ReadRecord) -> DerivedUpdates:
        """Return new counts of messages before compactions and cutoffs.

        An undo counts prompts, and no repair adds or drops those.
        """
        record_of = {slot: record for record, slot in enumerate(after.stable_numbers)}
        rules = _replay_rules(_version(after, raw))

        def as_read(record: int) -> bytes:
            return raw(record_of[record]) if record in record_of else b"{}"

        cuts_before = _cuts_by_slot(before, HistoryFold(before, as_read, rules, cutoffs=True).run())
        fold = HistoryFold(after, raw, rules, cuts_before, cutoffs=True).run()
        cuts = {after.stable_numbers[record]: (record, cut, raw(record)) for record, cut in fold.cuts.items()}
        return writer.updated_counts(cuts_before, cuts)

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        close = tr("Close Kimi Code, because it appends to the log while it is running.")
        return NextSteps((CHANGE_FOLDER_STEP, RUN_STEP), f"kimi --session {session_id}", close)


def _header(columns: Columns, raw: ReadRecord) -> dict[str, Any]:
    """Return the metadata record, an empty object if the log does not begin with it."""
    if not len(columns) or columns.roles[0] or columns.marks[0] & RecordMark.UNREADABLE:
        return {}
    value = parse_json(raw(0))
    return value if isinstance(value, dict) and value.get("type") == "metadata" else {}


def _version(columns: Columns, raw: ReadRecord) -> str:
    """Return the protocol version that the metadata names, "" if it names none."""
    return str(_header(columns, raw).get("protocol_version") or "")


def _replay_rules(version: str) -> ReplayRules:
    """Return the rules of the engine that writes this protocol version. An unknown version counts as engine v1's."""
    return ENGINE_V2_RULES if version_numbers(version) >= (1, 5) else ENGINE_V1_RULES


def _cuts_by_slot(columns: Columns, fold: HistoryFold) -> CutsBySlot:
    return {columns.stable_numbers[record]: cut for record, cut in fold.cuts.items()}


def _missing_links(columns: Columns, raw: ReadRecord, fold: HistoryFold) -> list[DamagedLink]:
    """Return the records without their parent: the first one if the log has no header, and parts without a step."""
    links = []
    if len(columns) and not columns.marks[0] & RecordMark.UNREADABLE and not _header(columns, raw):
        links.append(DamagedLink(0, LinkDamage.MISSING_PARENT, text=_NO_HEADER))
    homeless = set(fold.homeless)
    reported: set[str | None] = set()
    for record in range(len(columns)) if homeless else ():
        if columns.marks[record] & RecordMark.GROUP_START:
            reported.clear()
        elif record in homeless and columns.groups[record] not in reported:
            reported.add(columns.groups[record])
            links.append(DamagedLink(record, LinkDamage.MISSING_PARENT, text=_NO_OPEN_STEP))
    return links


def _step_around(columns: Columns, record: int) -> int:
    """Return the begin of a step with parts before and after a record, -1 if there is none."""
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


def _split_exchanges(fold: HistoryFold, path: set[int]) -> list[ExchangeCutByCompaction]:
    """Return the exchanges that compactions cut and that are left in part; those repaired by a count come last."""
    for cut in fold.all_cut_off:
        cut.call_kept = cut.call in path
        if cut.result not in path:
            cut.result = -1
    return [*fold.all_cut_off, *(cut for cut in fold.split if cut.result in path and cut.call not in path)]


def _title(row: Any) -> str:
    message = object_at(row, "/message")
    if message.get("role") != "user" or not is_from_user_or_model(message.get("origin")):
        return ""
    return title_line(text_of_content(message.get("content")))
