"""What a resume comes to: the difference between what the log holds and what its agent sends."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec.structs import replace

from inspector.core.formats.bases.agent import Sender, agent_of
from inspector.core.formats.bases.on_resume import OnResume
from inspector.core.formats.bases.request import Request
from inspector.core.index.columns import Columns, Flag, Role
from inspector.core.index.place import counted
from inspector.core.index.session import Thread
from inspector.core.index.views import CALLS, BlockKind
from inspector.core.judging.resume.judging import _RESULT, Refusal, refusal_of
from inspector.core.judging.resume.near import near
from inspector.core.known_texts.amounts import amount
from inspector.core.rules import RULES, UNDECODED
from inspector.core.rules.rule import Rule
from inspector.core.scene import Hit, Scene
from inspector.core.scene.pairing import State
from inspector.core.scene.reasoning import reasoning_rows, refused_reasoning
from inspector.core.scene.tool_names import name_of, tool_name

_MOST_NAMES = 3
# Enums are looked up slowly, and blocks are many.
_SILENT = (int(Role.OPAQUE), int(Role.LINK))
_PAIRED = int(State.PAIRED)


def outcome_of(scene: Scene, hits: list[Hit], errors: set[str]) -> OnResume:
    """What the agent does with a judged session on resume, given its anomalies and which rules told of errors.

    `scene` is that of the main thread. For a log in which nothing was found nothing needs to be worked out.
    """
    bridged = all(link.bridged for link in scene.thread.links)
    untold = {rule for rule in errors if not _is_told(RULES[rule], bridged)}
    format = scene.format
    told = agent_of(format).on_resume(scene.session, untold if isinstance(format, Sender) else errors)
    clean = scene.pairing.clean and not scene.thread.links and not errors
    if not isinstance(format, Sender) or clean:
        return told
    if not untold.isdisjoint(UNDECODED):
        # Records with halves of characters are read by the agents, and not by the index: nobody knows their request.
        return replace(told, outcome="unknown") if told.heals and not errors.issubset(UNDECODED) else told
    narrow = _near(scene, hits) if format.apart_by_step else None
    request, refusal = _answered(scene, hits, untold, narrow or scene.thread)
    if refusal is not None and refusal.counts and narrow is not None:
        narrow = None
        request, refusal = _answered(scene, hits, untold, scene.thread)
    if request.stops:
        return replace(told, outcome="refuses", loses=told.loses, error=request.stops)
    difference = Difference(scene, hits, request, narrow)
    anew = not request.messages and bool(request.lost)
    told = replace(
        told,
        loses=tuple(dict.fromkeys((*told.loses, *request.lost, *(() if anew else difference.loses)))),
        answers=difference.answers,
        writes=request.writes,
        anew=anew,
    )
    if told.outcome in ("refuses", "unknown"):
        return told
    if refusal is not None:
        return replace(told, outcome="refuses", error=refusal.text)
    # Whatever else was wrong the agent has put in order.
    changed = errors - untold or difference.loses or difference.answers
    return replace(told, outcome="mends" if changed else told.outcome)


def _near(scene: Scene, hits: list[Hit]) -> Thread | None:
    """What is near the anomalies, worked out once for all versions of the agent."""
    if near not in scene.worked_out:
        scene.worked_out[near] = near(scene, hits)
    found: Thread | None = scene.worked_out[near]
    return found


def _answered(scene: Scene, hits: list[Hit], rules: set[str], thread: Thread) -> tuple[Request, Refusal | None]:
    """What the agent sends of a thread in the end, and the provider's refusal of it."""
    request = _request(scene, thread)
    if request.stops:
        return request, None
    refusal = _refused(scene, hits, rules, request)
    if refusal is not None and request.again is not None:
        return request.again, _refused(scene, hits, rules, request.again)
    return request, refusal


def _request(scene: Scene, thread: Thread) -> Request:
    """What the agent sends of a thread: the main one, or what is near in it."""
    assert isinstance(scene.format, Sender)
    session = scene.session if thread is scene.thread else replace(scene.session, threads=[thread])
    return scene.format.request(session, scene.columns, scene.raw)


def _is_told(rule: Rule, bridged: bool) -> bool:
    """Whether the request tells of a rule, or it is none to the agent: it goes on behind the links that are broken."""
    return rule.in_request or (bridged and rule.of_link)


def _refused(scene: Scene, hits: Iterable[Hit], rules: set[str], request: Request) -> Refusal | None:
    return _refused_all_the_same(scene, hits, rules, request) or refusal_of(request, scene.columns, scene.profile)


def _refused_all_the_same(scene: Scene, hits: Iterable[Hit], rules: set[str], request: Request) -> Refusal | None:
    """The provider's answer to an anomaly of these rules that is sent as it stands, None where none is.

    What a profile does not know the provider itself has said where the log ends with its error.
    """
    found = [hit for hit in hits if hit.rule in rules]
    sent = _as_they_are(scene, request) if found else set()
    for hit in found:
        rows = scene.columns.rows(hit.record)
        named = rows[hit.ordinal : hit.ordinal + 1] if hit.ordinal >= 0 else rows
        if not sent.isdisjoint(named):
            message, call_id = scene.message_of(hit.record), scene.id_of(hit)
            text = scene.profile.refusal(hit.rule, message, max(hit.ordinal, 0), call_id, hit.case)
            if text is None and hit.rule == refused_reasoning(scene)[0]:
                text = scene.last_error[1]
            if text is not None:
                return Refusal(text)
    return None


def _as_they_are(scene: Scene, request: Request) -> set[int]:
    """The blocks of the log that a request holds as they are, reasoning that it does not tell of among them."""
    reasoning = reasoning_rows(scene) if request.sends_reasoning else ()
    return request.rows.union(reasoning).difference(request.told)


def withheld(scene: Scene, hits: list[Hit], edited: Sequence[int], as_read: Scene) -> str:
    """What the agent would not send of the results that stand with their calls, in a sentence; "" when it sends all.

    Asked of a planned repair, with what is still found and the records that it edits: a result that is put where the
    agent does not look for it is not repaired. What stops the agent in the log `as_read`, too, no repair of results can
    help.
    """
    format = scene.format
    if not isinstance(format, Sender):
        return ""
    few = format.apart_by_step and 2 * len(edited) < len(scene.pairing.path)
    thread = (near(scene, hits, edited) if few else None) or scene.thread
    request = _request(scene, thread)
    if request.stops:
        before = format.request(as_read.session, as_read.columns, as_read.raw)
        return "" if before.stops == request.stops else f"the agent would not go on with it: {request.stops}"
    columns, pairing, sent = scene.columns, scene.pairing, request.rows
    for row in chain.from_iterable(map(columns.rows, thread.path)):
        if columns.block_kinds[row] == _RESULT and row not in sent:
            tool = scene.tool_of_row.get(row)
            if tool >= 0 and pairing.states[tool] == _PAIRED:
                where = f"in record {counted(pairing.record(tool))}"
                return f"the agent would not send the result of {tool_name(scene, tool)} {where}"
    return ""


class Difference:
    """What a request leaves out of the main thread, or of what is `near` in it, and what it puts in.

    `gone` are the blocks that are not sent although they say something; `loses` and `answers` tell it in words.
    """

    def __init__(self, scene: Scene, hits: Iterable[Hit], request: Request, near: Thread | None = None) -> None:
        self.scene, self.columns, self.thread = scene, scene.columns, near or scene.thread
        sent = {block.row for each in request.messages for block in each.blocks if block.told or not block.answer}
        # What costs nothing to drop says nothing that does not stay.
        losable = {rule for rule in {hit.rule for hit in hits} if "drop needless" in RULES[rule].repairs}
        needless = {scene.pairing.rows[hit.tool] for hit in hits if hit.rule in losable and hit.tool >= 0}
        said = list(self._said())
        unsent = set(said) - sent - needless
        self.gone = [row for row in said if row in unsent and _says_something(self.columns, row)] if unsent else []
        answered = {block.row for block in request.answered}
        self.answers = self._told("the call", "calls", sorted(answered))
        self.loses = tuple(self._losses(self.gone, answered))

    def _said(self) -> Iterable[int]:
        """The blocks of the main thread, and of the results that hang off it."""
        columns, thread = self.columns, self.thread
        first, roles = columns.first, columns.roles
        spoken = [record for record in (*thread.path, *thread.stranded) if roles[record] not in _SILENT]
        ends = first[1:]
        return chain.from_iterable(map(range, map(first.__getitem__, spoken), map(ends.__getitem__, spoken)))

    def _losses(self, gone: list[int], answered: set[int]) -> Iterable[str]:
        kinds, pairing, tools = self.columns.block_kinds, self.scene.pairing, self.scene.tool_of_row
        calls = [row for row in gone if kinds[row] in CALLS]
        results = [row for row in gone if kinds[row] == BlockKind.RESULT]
        peers = {row: pairing.peers[tools.get(row, 0)] for row in results if tools.get(row, -1) >= 0}
        call_of = {row: pairing.rows[peer] for row, peer in peers.items() if peer >= 0}
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
            yield f"{amount(words, 'text')} beside what it drops"

    def _is_second(self, row: int) -> bool:
        tool = self.scene.tool_of_row.get(row, -1)
        return tool >= 0 and self.scene.pairing.states[tool] == State.DUPLICATE

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
        tool = self.scene.tool_of_row.get(row, -1)
        return name_of(self.scene, tool) if tool >= 0 else self.columns.names[row] or ""


def _says_something(columns: Columns, row: int) -> bool:
    kind, flags = columns.block_kinds[row], columns.block_flags[row]
    if kind == BlockKind.TEXT:
        return not flags & Flag.BLANK
    if kind == BlockKind.RESULT:
        return not flags & Flag.PLACEHOLDER
    return kind in (*CALLS, BlockKind.MEDIA, BlockKind.TOLD_RESULT)
