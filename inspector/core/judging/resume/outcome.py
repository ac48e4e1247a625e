"""What a resume comes to: the difference between what the log holds and what its agent sends."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec.structs import replace

from inspector.core.formats.bases.agent import Sender, agent_of
from inspector.core.formats.bases.on_resume import OnResume
from inspector.core.formats.bases.request import Request
from inspector.core.index.columns import BlockFlag, Columns, Role
from inspector.core.index.place import one_based
from inspector.core.index.session import Thread
from inspector.core.index.views import CALL_KINDS, BlockKind
from inspector.core.judging.resume.judging import _RESULT, ProviderRefusal, request_refusal
from inspector.core.judging.resume.near import relevant_steps
from inspector.core.known_texts.amounts import count_phrase
from inspector.core.rules import RULES, UNDECODED
from inspector.core.rules.rule import Rule
from inspector.core.scene import Match, ThreadContext
from inspector.core.scene.pairing import PairingState
from inspector.core.scene.reasoning import reasoning_rows, refused_reasoning
from inspector.core.scene.tool_names import recorded_tool_name, tool_label

_MOST_NAMES = 3
# Enums are looked up slowly, and blocks are many.
_SILENT = (int(Role.OPAQUE), int(Role.LINK))
_PAIRED = int(PairingState.PAIRED)


def resume_outcome(scene: ThreadContext, hits: list[Match], errors: set[str]) -> OnResume:
    """What the agent does with a judged session on resume, given its anomalies and which rules told of errors.

    `scene` is that of the main thread. For a log in which nothing was found nothing needs to be worked out.
    """
    bridged = all(link.agent_continues for link in scene.thread.damaged_links)
    untold = {rule for rule in errors if not _is_in_request(RULES[rule], bridged)}
    format = scene.format
    told = agent_of(format).resume_behavior(scene.session, untold if isinstance(format, Sender) else errors)
    clean = scene.pairing.is_clean and not scene.thread.damaged_links and not errors
    if not isinstance(format, Sender) or clean:
        return told
    if not untold.isdisjoint(UNDECODED):
        # Records with halves of characters are read by the agents, and not by the index: nobody knows their request.
        return replace(told, outcome="unknown") if told.recovers and not errors.issubset(UNDECODED) else told
    narrow = _near(scene, hits) if format.steps_are_independent else None
    request, refusal = _final_request(scene, hits, untold, narrow or scene.thread)
    if refusal is not None and refusal.names_message_number and narrow is not None:
        narrow = None
        request, refusal = _final_request(scene, hits, untold, scene.thread)
    if request.stop_reason:
        return replace(told, outcome="refuses", losses=told.losses, error=request.stop_reason)
    difference = RequestDifference(scene, hits, request, narrow)
    anew = not request.messages and bool(request.lost)
    told = replace(
        told,
        losses=tuple(dict.fromkeys((*told.losses, *request.lost, *(() if anew else difference.losses)))),
        answered_calls=difference.added_answers,
        file_changes=request.file_changes,
        starts_empty=anew,
    )
    if told.outcome in ("refuses", "unknown"):
        return told
    if refusal is not None:
        return replace(told, outcome="refuses", error=refusal.text)
    # Whatever else was wrong the agent has put in order.
    changed = errors - untold or difference.losses or difference.added_answers
    return replace(told, outcome="mends" if changed else told.outcome)


def _near(scene: ThreadContext, hits: list[Match]) -> Thread | None:
    """What is near the anomalies, worked out once for all versions of the agent."""
    if relevant_steps not in scene.cached_results:
        scene.cached_results[relevant_steps] = relevant_steps(scene, hits)
    found: Thread | None = scene.cached_results[relevant_steps]
    return found


def _final_request(
    scene: ThreadContext, hits: list[Match], rules: set[str], thread: Thread
) -> tuple[Request, ProviderRefusal | None]:
    """What the agent sends of a thread in the end, and the provider's refusal of it."""
    request = _request(scene, thread)
    if request.stop_reason:
        return request, None
    refusal = _refusal_of(scene, hits, rules, request)
    if refusal is not None and request.retry is not None:
        return request.retry, _refusal_of(scene, hits, rules, request.retry)
    return request, refusal


def _request(scene: ThreadContext, thread: Thread) -> Request:
    """What the agent sends of a thread: the main one, or what is near in it."""
    assert isinstance(scene.format, Sender)
    session = scene.session if thread is scene.thread else replace(scene.session, threads=[thread])
    return scene.format.build_request(session, scene.columns, scene.raw)


def _is_in_request(rule: Rule, bridged: bool) -> bool:
    """Whether the request tells of a rule, or it is none to the agent: it goes on behind the links that are broken."""
    return rule.in_request or (bridged and rule.of_link)


def _refusal_of(
    scene: ThreadContext, hits: Iterable[Match], rules: set[str], request: Request
) -> ProviderRefusal | None:
    return _refused_anomaly(scene, hits, rules, request) or request_refusal(request, scene.columns, scene.profile)


def _refused_anomaly(
    scene: ThreadContext, hits: Iterable[Match], rules: set[str], request: Request
) -> ProviderRefusal | None:
    """The provider's answer to an anomaly of these rules that is sent as it stands, None where none is.

    What a profile does not know the provider itself has said where the log ends with its error.
    """
    found = [hit for hit in hits if hit.rule in rules]
    sent = _rows_sent_unchanged(scene, request) if found else set()
    for hit in found:
        rows = scene.columns.block_rows(hit.record)
        named = rows[hit.ordinal : hit.ordinal + 1] if hit.ordinal >= 0 else rows
        if not sent.isdisjoint(named):
            message, call_id = scene.message_number(hit.record), scene.match_id(hit)
            text = scene.profile.refusal_text(hit.rule, message, max(hit.ordinal, 0), call_id, hit.case)
            if text is None and hit.rule == refused_reasoning(scene)[0]:
                text = scene.last_error[1]
            if text is not None:
                return ProviderRefusal(text)
    return None


def _rows_sent_unchanged(scene: ThreadContext, request: Request) -> set[int]:
    """The blocks of the log that a request holds as they are, reasoning that it does not tell of among them."""
    reasoning = reasoning_rows(scene) if request.sends_reasoning else ()
    return request.rows.union(reasoning).difference(request.rows_as_text)


def unsent_result_reason(
    scene: ThreadContext, hits: list[Match], edited_records: Sequence[int], as_read: ThreadContext
) -> str:
    """What the agent would not send of the results that stand with their calls, in a sentence; "" when it sends all.

    Asked of a planned repair, with what is still found and the records that it edits: a result that is put where the
    agent does not look for it is not repaired. What stops the agent in the log `as_read`, too, no repair of results can
    help.
    """
    format = scene.format
    if not isinstance(format, Sender):
        return ""
    few = format.steps_are_independent and 2 * len(edited_records) < len(scene.pairing.path)
    thread = (relevant_steps(scene, hits, edited_records) if few else None) or scene.thread
    request = _request(scene, thread)
    if request.stop_reason:
        before = format.build_request(as_read.session, as_read.columns, as_read.raw)
        return (
            ""
            if before.stop_reason == request.stop_reason
            else f"the agent would not go on with it: {request.stop_reason}"
        )
    columns, pairing, sent = scene.columns, scene.pairing, request.rows
    for row in chain.from_iterable(map(columns.block_rows, thread.path)):
        if columns.block_kinds[row] == _RESULT and row not in sent:
            tool = scene.tool_by_block_row.get(row)
            if tool >= 0 and pairing.states[tool] == _PAIRED:
                where = f"in record {one_based(pairing.record_of(tool))}"
                return f"the agent would not send the result of {tool_label(scene, tool)} {where}"
    return ""


class RequestDifference:
    """What a request leaves out of the main thread, or of what is `near` in it, and what it puts in.

    `gone` are the blocks that are not sent although they say something; `loses` and `answers` tell it in words.
    """

    def __init__(
        self, scene: ThreadContext, hits: Iterable[Match], request: Request, relevant: Thread | None = None
    ) -> None:
        self.scene, self.columns, self.thread = scene, scene.columns, relevant or scene.thread
        sent = {
            block.row for each in request.messages for block in each.blocks if block.stored_form or not block.answer
        }
        # What costs nothing to drop says nothing that does not stay.
        losable = {rule for rule in {hit.rule for hit in hits} if "drop needless" in RULES[rule].repairs}
        needless = {scene.pairing.block_rows[hit.tool] for hit in hits if hit.rule in losable and hit.tool >= 0}
        said = list(self._said())
        unsent = set(said) - sent - needless
        self.unsent_rows = (
            [row for row in said if row in unsent and _says_something(self.columns, row)] if unsent else []
        )
        answered = {block.row for block in request.placeholder_results}
        self.added_answers = self._told("the call", "calls", sorted(answered))
        self.losses = tuple(self._losses(self.unsent_rows, answered))

    def _said(self) -> Iterable[int]:
        """The blocks of the main thread, and of the results that hang off it."""
        columns, thread = self.columns, self.thread
        first, roles = columns.first_block, columns.roles
        spoken = [record for record in (*thread.path, *thread.stranded_results) if roles[record] not in _SILENT]
        ends = first[1:]
        return chain.from_iterable(map(range, map(first.__getitem__, spoken), map(ends.__getitem__, spoken)))

    def _losses(self, gone: list[int], answered: set[int]) -> Iterable[str]:
        kinds, pairing, tools = self.columns.block_kinds, self.scene.pairing, self.scene.tool_by_block_row
        calls = [row for row in gone if kinds[row] in CALL_KINDS]
        results = [row for row in gone if kinds[row] == BlockKind.RESULT]
        peers = {row: pairing.counterparts[tools.get(row, 0)] for row in results if tools.get(row, -1) >= 0}
        call_of = {row: pairing.block_rows[peer] for row, peer in peers.items() if peer >= 0}
        unsent = set(calls)
        replaced = [row for row in results if call_of.get(row) in answered]
        with_call = [row for row in results if call_of.get(row) in unsent]
        second = [row for row in results if self._is_second(row) and call_of.get(row) not in unsent]
        told = {*replaced, *with_call, *second}
        rest = [row for row in results if row not in told]
        yield from self._told("the call", "calls", calls)
        yield from self._told("the result", "results", with_call, " with the call")
        yield from self._told("the real result", "real results", replaced, ": it sends a text of its own instead")
        yield from self._told("a second result", "second results", second)
        yield from self._told("a result", "results", rest, " without a call that it could answer")
        words = sum(kinds[row] in (BlockKind.TEXT, BlockKind.MEDIA) for row in gone)
        if words:
            yield f"{count_phrase(words, 'text')} beside what it drops"

    def _is_second(self, row: int) -> bool:
        tool = self.scene.tool_by_block_row.get(row, -1)
        return tool >= 0 and self.scene.pairing.states[tool] == PairingState.DUPLICATE

    def _told(self, one: str, many: str, rows: list[int], more: str = "") -> tuple[str, ...]:
        """Blocks in a few words, by the names of their tools."""
        if not rows:
            return ()
        names = Counter(filter(None, map(self._name, rows)))
        shown = ", ".join(list(names)[:_MOST_NAMES]) + (" …" if len(names) > _MOST_NAMES else "")
        of = "to" if one.endswith("call") else "of"
        if len(rows) == 1:
            return (f"{one} {of} {shown}{more}" if shown else f"{one}{more}",)
        return (f"{len(rows)} {many} ({shown}){more}" if shown else f"{len(rows)} {many}{more}",)

    def _name(self, row: int) -> str:
        """The tool's name, "" where neither the block nor its counterpart tells it."""
        tool = self.scene.tool_by_block_row.get(row, -1)
        return recorded_tool_name(self.scene, tool) if tool >= 0 else self.columns.names[row] or ""


def _says_something(columns: Columns, row: int) -> bool:
    kind, flags = columns.block_kinds[row], columns.block_flags[row]
    if kind == BlockKind.TEXT:
        return not flags & BlockFlag.BLANK
    if kind == BlockKind.RESULT:
        return not flags & BlockFlag.PLACEHOLDER
    return kind in (*CALL_KINDS, BlockKind.MEDIA, BlockKind.TOLD_RESULT)
