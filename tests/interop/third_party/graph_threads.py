"""Threads of LangGraph that went wrong, continued by LangGraph itself before and after a repair: BREAKS is the table.

The threads are made by the agents of KINDS. Each break changes one of them, and names what becomes of it: the program
or the provider refuses it ("refuses"), the program adds results ("mends"), or everything is sent ("as-is").
"""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec import Raw, ValidationError
from msgspec.msgpack import Decoder, Ext, encode

from tests.core.formats.langgraph import Message, decode, packed
from tests.interop.agents.provider import Provider
from tests.interop.agents.provider.script import DONE, Call, Say
from tests.interop.third_party.environments import ENVIRONMENTS
from tests.support import product

ENVIRONMENT = ENVIRONMENTS["langgraph-threads"]
KINDS = ("react", "create", "deep")
PROMPT = "go on"
NEWEST = "(SELECT max(checkpoint_id) FROM checkpoints)"
_members, _elements, _snapshot = Decoder(dict[str, Raw]).decode, Decoder(list[Raw]).decode, Decoder(Ext).decode
Messages = list[Any]


def stored(path: Path) -> Messages:
    """The packed messages of the newest checkpoint, or where it holds none, of all writes before it."""
    ordered = f"""SELECT value FROM writes WHERE channel = 'messages' AND checkpoint_id < {NEWEST}
                  ORDER BY checkpoint_id, task_path, idx"""
    with closing(sqlite3.connect(path)) as database:
        query = f"SELECT checkpoint FROM checkpoints WHERE checkpoint_id = {NEWEST}"
        values = _members(_members(database.execute(query).fetchone()[0])["channel_values"])
        writes = [Raw(value) for (value,) in database.execute(ordered)]
    if "messages" in values:
        try:
            return _elements(_snapshot(values["messages"]).data)
        except ValidationError:
            return _elements(values["messages"])
    return [each for value in writes for each in (_elements(value) if isinstance(decode(value), list) else [value])]


def store(path: Path, messages: Messages) -> None:
    """Put other messages into the newest checkpoint: as a snapshot where it holds none of its own."""
    with closing(sqlite3.connect(path)) as database:
        row, blob = database.execute("SELECT rowid, checkpoint FROM checkpoints ORDER BY checkpoint_id DESC").fetchone()
        state = _members(blob)
        values: dict[str, Any] = _members(state["channel_values"])
        values["messages"] = messages if "messages" in values else Ext(7, encode(messages))
        state["channel_values"] = Raw(encode(values))
        database.execute("UPDATE checkpoints SET checkpoint = ? WHERE rowid = ?", (encode(state), row))
        database.commit()


def fields(message: Any) -> Message:
    found = decode(message)
    return dict(found) if isinstance(found, dict) else {"type": "human", "content": found[1]}


def changed(change: Callable[[Messages], Messages]) -> Callable[[Path], None]:
    return lambda path: store(path, change(stored(path)))


def without(*places: int) -> Callable[[Path], None]:
    return changed(lambda messages: [each for place, each in enumerate(messages) if place not in places])


def edited(place: int, **members: Any) -> Callable[[Path], None]:
    """A message with other members."""

    def change(messages: Messages) -> Messages:
        return [*messages[:place], packed(fields(messages[place]) | members), *messages[place + 1 :]]

    return changed(change)


def renamed(message: Any) -> Any:
    return packed(fields(message) | {"id": f"copy of {fields(message).get('id')}"})


def put(place: int, message: Message) -> Callable[[Path], None]:
    return changed(lambda messages: [*messages[:place], packed(message), *messages[place:]])


def moved(place: int, to: int) -> Callable[[Path], None]:
    def change(messages: Messages) -> Messages:
        rest = [*messages[:place], *messages[place + 1 :]]
        return [*rest[:to], messages[place], *rest[to:]]

    return changed(change)


def sql(statement: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as database:
            database.execute(statement)
            database.commit()

    return change


def all_of(*changes: Callable[[Path], None]) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        for each in changes:
            each(path)

    return change


def new_message_after_kill(path: Path) -> None:
    """The thread was stopped in a tool, and went on with a new message, which is the newest."""
    put(99, {"type": "human", "content": "and?", "id": "h-9"})(path)
    with closing(sqlite3.connect(path)) as database:
        rowid, old, blob = database.execute(
            "SELECT rowid, checkpoint_id, checkpoint FROM checkpoints ORDER BY checkpoint_id DESC"
        ).fetchone()
        state = _members(blob)
        values = _members(state["channel_values"])
        values.pop("__pregel_tasks", None)
        new = f"2{old[1:]}"
        state |= {"channel_values": Raw(encode(values)), "id": Raw(encode(new))}
        database.execute(
            "UPDATE checkpoints SET checkpoint = ?, checkpoint_id = ? WHERE rowid = ?", (encode(state), new, rowid)
        )
        database.commit()


def call(call_id: str, amount: Any, name: str = "pay") -> Message:
    return {"name": name, "args": {"amount": amount}, "id": call_id, "type": "tool_call"}


def answer(call_id: str, text: str, own_id: str = "t-9") -> Message:
    return {"type": "tool", "content": text, "tool_call_id": call_id, "name": "pay", "id": own_id, "status": "success"}


INVALID = {"type": "invalid_tool_call", "id": "C9", "name": "pay", "args": '{"amount', "error": None}
LATER: Message = {"type": "human", "content": "and?", "id": "h-9"}
_TEAR = f"UPDATE checkpoints SET checkpoint = substr(checkpoint, 1, 150) WHERE checkpoint_id = {NEWEST}"


@dataclass(frozen=True)
class Break:
    """A change of a thread with one turn, or with two of which the second was stopped (`killed`).

    `outcomes` are those of the agents, in the order of KINDS. Without a `prompt`, the thread goes on with None. The
    results named in `gone` are in no row any more.
    """

    outcomes: str
    change: Callable[[Path], None]
    killed: bool = False
    prompt: str = PROMPT
    gone: tuple[str, ...] = ()


# Messages of a turn: 0 the prompt, 1 the calls A1 and B1, 2 and 3 their results, 4 the answer.
BREAKS = {
    "sound": Break("as-is as-is as-is", lambda path: None),
    "result lost": Break("refuses refuses mends", without(3)),
    "both results lost": Break("refuses refuses mends", without(2, 3)),
    "results and rows lost": Break(
        "refuses refuses mends",
        all_of(without(2, 3), sql("DELETE FROM writes WHERE task_path LIKE '%push%'")),
        gone=("paid 1", "paid 2"),
    ),
    "calls lost": Break("refuses refuses refuses", without(1)),
    "one call lost": Break("refuses refuses refuses", edited(1, tool_calls=[call("A1", 1)], additional_kwargs={})),
    "no calls listed": Break("refuses refuses refuses", edited(1, tool_calls=[], additional_kwargs={})),
    "history begins with a result": Break("refuses refuses refuses", without(0, 1)),
    "results before calls": Break("refuses refuses refuses", moved(1, 3)),
    "one result before the calls": Break("refuses refuses refuses", moved(3, 1)),
    "prompt before a result": Break("refuses refuses refuses", put(3, LATER)),
    "result after the answer": Break("refuses refuses refuses", moved(3, 4)),
    "result twice": Break("refuses refuses refuses", put(4, answer("B1", "paid 2"))),
    "two different results": Break("refuses refuses refuses", put(4, answer("B1", "paid 3"))),
    "result twice, later": Break("refuses refuses refuses", put(99, answer("A1", "paid 1"))),
    "result of nothing": Break("refuses refuses refuses", put(99, answer("X9", "paid 9"))),
    "calls twice": Break(
        "refuses refuses refuses",
        put(2, {"type": "ai", "content": "", "id": "a-9", "tool_calls": [call("A1", 1), call("B1", 2)]}),
    ),
    "turn twice": Break(
        "as-is as-is as-is", changed(lambda messages: messages + [renamed(each) for each in messages[:5]])
    ),
    "both ids equal": Break("refuses refuses refuses", edited(1, tool_calls=[call("A1", 1), call("A1", 2)])),
    "ids empty": Break(
        "refuses refuses refuses",
        all_of(
            edited(1, tool_calls=[call("", 1), call("", 2)], additional_kwargs={}),
            edited(2, tool_call_id=""),
            edited(3, tool_call_id=""),
        ),
    ),
    "wrong id": Break("refuses refuses refuses", edited(3, tool_call_id="B9")),
    "result without text": Break("as-is as-is as-is", edited(3, content=""), gone=("paid 2",)),
    "invalid call": Break("refuses mends mends", edited(4, invalid_tool_calls=[INVALID])),
    "call at the end": Break(
        "refuses refuses mends", put(99, {"type": "ai", "content": "", "id": "a-9", "tool_calls": [call("C1", 5)]})
    ),
    "text before the calls": Break("as-is as-is as-is", edited(1, content="Let me pay.")),
    "list of texts": Break("as-is as-is as-is", edited(4, content=[{"type": "text", "text": "Paid both."}])),
    "newest checkpoint torn": Break("refuses refuses refuses", sql(_TEAR)),
    "newest checkpoint empty": Break(
        "refuses refuses refuses", sql(f"UPDATE checkpoints SET checkpoint = x'' WHERE checkpoint_id = {NEWEST}")
    ),
    "write torn": Break(
        "refuses refuses refuses",
        sql(
            "INSERT INTO writes SELECT thread_id, checkpoint_ns, checkpoint_id, 't', '~__pregel_pull, x', 0, "
            f"'messages', 'msgpack', x'91c7' FROM checkpoints WHERE checkpoint_id = {NEWEST}"
        ),
    ),
    "killed, then None": Break("as-is as-is as-is", lambda path: None, killed=True, prompt=""),
    "killed, then a prompt": Break("refuses refuses mends", new_message_after_kill, killed=True),
    "killed, and a result of nothing": Break(
        "refuses refuses refuses", put(5, answer("X9", "paid 9")), killed=True, prompt=""
    ),
    "killed, and an older result lost": Break("refuses refuses refuses", without(3), killed=True, prompt=""),
}


@dataclass(frozen=True)
class Tried:
    """A broken thread: what was told of it, what LangGraph did with it, and with the repaired one."""

    name: str
    verdict: str
    outcome: str
    expected: str
    predicted: list[Any]
    before: tuple[str, list[Any]]
    after: tuple[str, list[Any]]
    lost: set[str]

    @property
    def wrong(self) -> list[str]:
        """What must not be: another outcome or request than predicted, a refusal of the repair, or a lost result."""
        found, (refused, sent) = [], self.before
        if self.outcome != self.expected:
            found.append(f"it was said to be {self.outcome}, not {self.expected}")
        if bool(refused) != (self.outcome == "refuses"):
            found.append(f"said to be {self.outcome}, and the answer was {refused or 'no refusal'}")
        if sent and self.predicted and sent != self.predicted:
            found.append(f"{self.predicted} was predicted, and {sent} was sent")
        if self.after[0]:
            found.append(f"the repaired thread was refused: {self.after[0]}")
        return [*found, *(f"the result {text} is not sent" for text in sorted(self.lost))]


def shown(messages: list[Message]) -> list[Any]:
    """Messages as far as they are compared: the role, the texts, and the ids of calls.

    Prompts of a system are added anew. What a tool will return that runs first is not known, nor which one ends first.
    """
    found = [_shown(message) for message in messages if message["role"] != "system"]
    runs = [(is_result, list(run)) for is_result, run in groupby(found, key=lambda each: each[0] == "tool")]
    return [each for is_result, run in runs for each in (sorted(run) if is_result else run)]


def _shown(message: Message) -> list[Any]:
    content = message.get("content") or ""
    text = content if isinstance(content, str) else "".join(part["text"] for part in content)
    return [
        message["role"],
        message.get("tool_call_id"),
        text,
        *(each["id"] for each in message.get("tool_calls") or ()),
    ]


_REPLACED = {"[The tool runs first, and this is its result.]": {"content": "paid 4"}}


def tried(folder: Path, python: str) -> list[Tried]:
    """Every break of the threads of every agent, before and after its repair."""
    made = {(kind, turns): folder / f"{kind}-made-{turns}.db" for kind in KINDS for turns in (1, 2)}
    with Provider() as provider:
        provider.play([say for _, turns in made for say in ([_two_calls(1), DONE, _two_calls(2)])[: turns + 1]])
        rows = [{"url": provider.url, "path": str(path), "kind": kind, "make": n} for (kind, n), path in made.items()]
        told = ENVIRONMENT.run([python], "langgraph_thread.py", rows)
        assert not [each for each in told if "error" in each], told
        return [each for kind in KINDS for each in _tried(folder, python, provider, kind, made)]


def _two_calls(turn: int) -> Say:
    first = 2 * turn - 1
    return Say("", (Call(f"A{turn}", "pay", {"amount": first}), Call(f"B{turn}", "pay", {"amount": first + 1})))


def _tried(folder: Path, python: str, provider: Provider, kind: str, made: dict[tuple[str, int], Path]) -> list[Tried]:
    paths, repaired = {}, {}
    for number, (name, each) in enumerate(BREAKS.items()):
        paths[name] = Path(shutil.copy(made[kind, 1 + each.killed], folder / f"{kind}-{number}.db"))
        each.change(paths[name])
        out = folder / f"{kind}-{number}.out.db"
        result = product.repair(paths[name], out)
        assert result.code == 0, (kind, name, result.report)
        repaired[name] = out if out.exists() else paths[name]
    before, after = (_resumed(python, provider, kind, each) for each in (paths, repaired))
    return [_judged(kind, name, path, before[name], after[name]) for name, path in paths.items()]


def _judged(kind: str, name: str, path: Path, before: tuple[str, list[Any]], after: tuple[str, list[Any]]) -> Tried:
    session, broken = product.check(path).session, BREAKS[name]
    report = product.sent(path).report
    predicted = shown([each | _REPLACED.get(each["content"], {}) for each in report.get("messages") or []])
    results = {"paid 1", "paid 2", *({"paid 3", "paid 4"} if broken.killed else ())} - set(broken.gone)
    if broken.killed and broken.prompt:
        results.discard("paid 4")  # its tool was stopped
    lost = {text for text in results if text not in str(after[1])}
    expected = broken.outcomes.split()[KINDS.index(kind)]
    outcome = session["on_resume"]["outcome"]
    return Tried(f"{kind}: {name}", session["verdict"], outcome, expected, predicted, before, after, lost)


def _resumed(python: str, provider: Provider, kind: str, paths: dict[str, Path]) -> dict[str, tuple[str, list[Any]]]:
    """What LangGraph sends of each thread, known by its prompt, and the error that it ends with."""
    found = {}
    with_prompt = [name for name in paths if BREAKS[name].prompt]
    for names in (with_prompt, *([name] for name in paths if not BREAKS[name].prompt)):
        provider.play([DONE] * len(names))
        row = {"url": provider.url, "kind": kind}
        prompts = {name: f"{BREAKS[name].prompt}: {name}" if BREAKS[name].prompt else "" for name in names}
        rows = [row | {"path": str(paths[name]), "prompt": prompts[name]} for name in names]
        answers = ENVIRONMENT.run([python], "langgraph_thread.py", rows)
        sent = {messages[-1][2]: messages[:-1] for turn in provider.turns if (messages := shown(turn.messages))}
        for name, told in zip(names, answers, strict=True):
            alone = shown(provider.turns[0].messages) if not prompts[name] and provider.turns else []
            found[name] = (told.get("error", ""), sent.get(prompts[name], alone))
    return found
