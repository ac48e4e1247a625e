"""An Engine for tests of the window: a format of its own, small and deterministic, over real files.

A line is {"role", "blocks": [{"kind", "text", "name", "id"}], "time"}; a line {"session": title} begins a session.
Names of files steer it: "slow" reads until it is cancelled, "deaf" does not even listen to that, "crash" ends the
process, "bad" is refused with a sentence, "unjudged" cannot be judged, "heals" is mended by its agent, "unmodelled" has
one that is not known, "odd-format" one whose format fails in part, "unaskable" does not answer, "huge" is too much for
the clipboard, "fault" raises what no engine should. The repair of "held" is planned until a file called "go" lies
beside it. In a list, a folder called "unlistable" cannot be listed. Pasted texts are steered alike: "slow", "crash" and
"bad".
"""

import json
import os
import time
from array import array
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from msgspec.structs import replace

from inspector.core.analysis.evidence_search import Evidence, EvidenceOfOpenCalls
from inspector.core.analysis.finding import Finding, RefusalTextValues, Severity
from inspector.core.analysis.tool_effects import ToolEffect
from inspector.core.discovery.log_entry import LogEntry, UnreadFile
from inspector.core.discovery.unread_files import explain_unread_file
from inspector.core.engine.program_faults import program_fault_sentence
from inspector.core.engine.window_engine import WindowEngine
from inspector.core.errors import Cancelled, InspectorError
from inspector.core.formats.base.call_evidence import EvidenceItem, EvidenceStrength
from inspector.core.model.views import BlockKind, BlockView, RecordLocation, RecordView
from inspector.core.presentation.detail_pieces import DetailsRequest, RecordDetails
from inspector.core.presentation.details import details_of_record
from inspector.core.presentation.diff import diff_record
from inspector.core.presentation.diff_result import DiffRequest, DiffRun, DiffViewOptions
from inspector.core.presentation.engine_results import (
    Acceptance,
    ContextSeries,
    ConversionSummary,
    ConvertNote,
    Facets,
    LogVerdict,
    LookupAnswer,
    LookupPlace,
    OpenedLogFacts,
    OpenedLogView,
    PreviewRow,
    RepairPreview,
    RequestPreview,
    RequestPreviewBlock,
    ResultInOtherLog,
    RulePage,
    SaveResult,
    SessionSummary,
    TrimPreview,
)
from inspector.core.presentation.outline import PAGE_SIZE, ByteColumn, NodeKind, Outline, PairMark
from inspector.core.repair.choices import Choices
from inspector.core.trim.options import Trimming

Progress: TypeAlias = Callable[[int, int], None]
Stopped: TypeAlias = Callable[[], bool]
Spot: TypeAlias = tuple[int, int]  # record and block
Node: TypeAlias = tuple[NodeKind, int, int, str, list[Any]]  # kind, record, block, label, children

KINDS = {"text": 1, "thinking": 2, "call": 3, "result": 4}
FAILED_TO_SCORE = "The format odd could not determine whether it can read this log."
FAILED_TO_SHOW = "The format odd could not show a record of this log."
STRATEGIES = {"D2": ("answer", "drop-call", "leave"), "R1": ("keep-as-note", "drop", "leave")}
REFUSALS = {
    "D2": "`tool_use` ids were found without `tool_result` blocks immediately after",
    "R1": "unexpected `tool_use_id` found in `tool_result` blocks",
}


def ignored(done: int, size: int) -> None:
    """Nobody looks at how far it is."""


def never() -> bool:
    return False


def fake_engine() -> WindowEngine:
    """As the window asks for it, whose child looks this up by its name."""
    return FakeEngine()


def view_fake(format_name: str, raw: bytes) -> RecordView:
    """Parse one record of the fake format."""
    try:
        record = json.loads(raw)
    except ValueError:
        return RecordView("unreadable", "A line that is not valid JSON")
    if "session" in record:
        return RecordView("session", record["session"])
    blocks = tuple(
        BlockView(BlockKind(KINDS[b["kind"]]), b.get("text", ""), f"/blocks/{n}", b.get("name", ""), b.get("id", ""))
        for n, b in enumerate(record["blocks"])
    )
    summary = " ".join(block.text or block.name for block in blocks)
    return RecordView(record["role"], summary, blocks, record.get("time", ""), "fake-1", 1200, 34)


def parts_fake(raw: bytes) -> RecordDetails:
    return details_of_record("fake", view_fake("fake", raw), raw)


class FakeEngine(WindowEngine):
    """The interface of `inspector.core.engine.window_engine.Engine`."""

    def open(
        self, path: str, format_name: str = "", progress: Progress | None = None, cancelled: Stopped | None = None,
        deep: bool = False, followed: bool = False,
    ) -> OpenedLogView:  # fmt: skip
        name = Path(path).name
        if "crash" in name:
            os._exit(3)
        if "bad" in name:
            raise InspectorError("This file is no log: it is a picture. Choose a .jsonl file.")
        if "fault" in name:
            raise ZeroDivisionError("words of the log")
        while "slow" in name or "deaf" in name:
            time.sleep(0.01)
            (progress or ignored)(1, 100)
            if (cancelled or never)() and "deaf" not in name:
                raise Cancelled("Cancelled.")
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise InspectorError(f"The file {name} cannot be read: {error.strerror}.") from error
        self.held = _Log(path, data, format_name)
        opened = self.held.opened()
        opened.overview.checks_skipped = () if deep else opened.overview.checks_skipped
        return opened

    def head(self, path: str, limit: int = 65536) -> OpenedLogView:
        with Path(path).open("rb") as file:
            data = file.read(limit)
        if "fault" in str(path):
            raise ZeroDivisionError("words of the log")
        if "headless" in str(path):
            raise InspectorError("The beginning says nothing.")
        return _Log(path, data[: data.rfind(b"\n") + 1], "").opened(findings=False)

    def list_logs(self, paths: Iterable[str] = (), others: list[UnreadFile] | None = None) -> Iterator[LogEntry]:
        for named in map(Path, paths or (os.environ["FAKE_STORES"],)):
            if "unlistable" in named.name:
                raise InspectorError("This folder cannot be read.")
            files = [path for path in named.rglob("*") if path.is_file()] if named.is_dir() else [named]
            for path in sorted(files, key=lambda path: -path.stat().st_mtime):
                if path.suffix != ".jsonl":
                    if others is not None:
                        others.append(explain_unread_file(str(path)))
                    continue
                state, title = path.stat(), path.stem.replace("-", " ")
                yield LogEntry(str(path), "fake", "Fake", "/home/mei/tea", title, state.st_mtime, state.st_size)

    def digests(self, paths: list[str]) -> list[str]:
        return paths

    def check_logs(
        self, logs: Iterable[tuple[str, str]], cancelled: Stopped | None = None
    ) -> Generator[LogVerdict, None, None]:
        for path, _ in logs:
            name = Path(path).name
            if "crash" in name:
                os._exit(3)
            while "slow" in name:
                time.sleep(0.01)
                if (cancelled or never)():
                    raise Cancelled("Cancelled.")
            if "fault" in name:
                yield LogVerdict("unreadable", f"{path}: {program_fault_sentence(ZeroDivisionError())}")
                continue
            log = _Log(path, Path(path).read_bytes(), "")
            yield LogVerdict(log.verdict, "Said of it.", len(log.broken))

    def explain(self, text: str) -> LookupAnswer:
        _steer(text)
        return _pasted(text, [self.held])

    def search(self, text: str, progress: Progress | None = None, cancelled: Stopped | None = None) -> LookupAnswer:
        found = [_Log(entry.path, Path(entry.path).read_bytes(), "") for entry in self.list_logs()]
        (progress or ignored)(1, len(found))
        _steer(text, cancelled or never)
        return _pasted(text, found, f"Searched {len(found)} of {len(found)} sessions on this machine (1 KB).")

    def check_acceptance(self) -> list[dict[str, Acceptance]]:
        if "unaskable" in self.held.path:
            raise InspectorError("Nobody can be asked.")
        refused = Acceptance(True)
        if self.held.broken:
            finding = self.held._finding(*self.held.broken[0])
            refused = Acceptance(False, finding.rule, REFUSALS[finding.rule], finding.message, finding.place, 2)
        answers = {"anthropic": refused, "openai-chat": Acceptance(True), "mistral": Acceptance(None, not_run=("K3",))}
        return [answers, *({"anthropic": Acceptance(True)} for _ in self.held.opened().overview.sessions[1:])]

    def rule_page(self, rule: str) -> RulePage:
        if rule == "R1":
            raise InspectorError("There is no such page.")
        return RulePage(
            code=rule, slug="unanswered-call", default="answer", answers=(("anthropic", REFUSALS[rule]),),
            text="A call without its result.\n\nWhat it finds: a call that\nnothing answers.\nExample:\n  "
            "user  hi\n  assistant  calls A",
            repairs=(("answer", "Insert a result.", "adds a placeholder"), ("leave", "Leave it.", "nothing")),
        )  # fmt: skip

    def preview(self, choices: Choices) -> RepairPreview:
        self._wait("held")
        return self.held.preview(choices)

    def _wait(self, word: str) -> None:
        """Take until there is a file "go", if the log has this word in its name."""
        while word in Path(self.held.path).name and not Path(self.held.path).with_name("go").exists():
            time.sleep(0.01)

    def context_series(self, session: int) -> ContextSeries:
        return ContextSeries()

    def facets(self) -> Facets:
        return Facets()

    def diff_changes(
        self, choices: Choices, wanted: tuple[DiffRequest, ...], manner: DiffViewOptions
    ) -> tuple[tuple[DiffRun, ...], ...]:
        _, texts, _ = self.held.plan(choices)
        return tuple(diff_record(*texts[each.slot], parts_fake, manner) for each in wanted)

    def open_calls(self) -> EvidenceOfOpenCalls:
        """A call to Bash was begun, as the record behind it shows; of others there is no trace."""
        evidence = {}
        for finding in (self.held._finding(*item) for item in self.held.broken):
            if finding.rule == "D2":
                runs, record = finding.tool == "Bash", finding.place.record
                trace = EvidenceItem(
                    EvidenceStrength.STARTED, "The record behind it speaks of it.", record + 1, record + 2
                )
                evidence[finding.id] = Evidence(
                    "started" if runs else "no-trace",
                    (trace,) if runs else (),
                    ToolEffect.SHELL if runs else ToolEffect.READ_ONLY,
                    "make test" if runs else "日志.txt",
                    "/home/mei/tea" if runs else "",
                )
        changing = tuple(name for name, known in evidence.items() if known.effect != ToolEffect.READ_ONLY)
        return EvidenceOfOpenCalls(evidence, changing)

    def trim(self, trimming: Trimming) -> TrimPreview:
        """The last messages stay, whatever they hold; keeping 2 is refused."""
        if self.held.broken and trimming.repairs is None:
            raise InspectorError("The log is broken, so nothing was trimmed.")
        total = len(self.held.records)
        if trimming.wish.keep == 2:
            raise InspectorError("There is no place where this history can be cut.")
        left = trimming.wish.messages_to_keep(total)
        gone = self.held.records[: total - left]
        return TrimPreview(
            name="a.trimmed.jsonl",
            sessions=1,
            messages_before=total,
            messages_after=left,
            bytes_before=self.held.size,
            bytes_after=self.held.size * left // total,
            tokens_before=90_000,
            tokens_after=None if left == total else 90_000 * left // total,
            removed=(("text", len(gone), 100),) if gone else (),
            shrunk=trimming.shrinking.most or 0,
            consequences=("The prompt cache starts anew.",) if gone else (),
            losses=(),
            accepted={"anthropic": None},
            changes_nothing=left == total and not trimming.shrinking.most and trimming.fit is None,
            fit=(f"It fits {trimming.fit.model}.",) if trimming.fit else (),
        )

    def save_trimmed(self, trimming: Trimming, target: str, progress: Progress | None = None) -> SaveResult:
        left = self.trim(trimming).messages_after
        Path(target).write_bytes(b"".join(self.held.raw(n) + b"\n" for n in range(len(self.held.records) - left, 8)))
        return _saved(target, "trimmed")

    def convert(self, to: str, session: str = "", repairs: Choices | None = None) -> ConversionSummary:
        """Thinking is left out of all but a page, and open calls stay open unless they are repaired."""
        counts, notes = [], []
        if to != "markdown":
            counts.append(("skipped", "reasoning", "it is bound to its provider", 1))
            notes.append(ConvertNote("skipped", "reasoning", "it is not kept", 1, "I should look first."))
        if repairs is None and self.held.broken:
            counts.append(("open", "call", "no result is in the history", 2))
        name = f"a.{to}.{session}.{'repaired' if repairs else 'held'}"
        sound = repairs is not None or not self.held.broken
        return ConversionSummary(
            name=name, bytes=1234, sound=sound, counts=tuple(counts), notes=tuple(notes), noted=len(notes)
        )

    def save_converted(self, to: str, session: str, repairs: Choices | None, target: str) -> SaveResult:
        Path(target).write_text(self.convert(to, session, repairs).name, encoding="utf-8")
        return _saved(target, "converted", is_log=to != "markdown")

    def details(self, wanted: list[DetailsRequest]) -> dict[int, RecordDetails]:
        found = {}
        for each in wanted:
            raw = self.held.raw(each.record)
            found[each.record] = details_of_record("fake", view_fake("fake", raw), raw, each.reads)
        return found

    def resume_request(self, repairs: Choices | None, session: str = "") -> RequestPreview:
        """A call without a result is answered, by the agent or by the repair; a result that nobody asked for goes."""
        if "unaskable" in self.held.path:
            raise InspectorError("Nobody can be asked.")
        blocks = list(self._sent(repairs is not None, int(session or 0)))
        lost = any(block.mark == "dropped" for block in blocks)
        said = "loads the session unchanged" if repairs else "mends it, and loses a result" if lost else "mends it"
        return RequestPreview(
            wire="anthropic", outcome="as-is" if repairs else "mends", sentence=f"Fake {said}.",
            messages=len({block.message for block in blocks} - {None}), blocks=tuple(blocks),
            bytes=10**9 if "huge" in self.held.path else 1234,
        )  # fmt: skip

    def _sent(self, repaired: bool, session: int) -> Iterator[RequestPreviewBlock]:
        broken, message, at = {place: rule for place, rule, _ in self.held.broken}, -1, -1
        for record, value in enumerate(self.held.records):
            at += "session" in value or at < 0
            for number, block in enumerate(value.get("blocks", ()) if at == session else ()):
                rule, place = broken.get((record, number)), RecordLocation(record, pointer=f"/blocks/{number}")
                message += number == 0 and (repaired or rule != "R1")
                told = {"name": block.get("name", ""), "text": block.get("text", "")}
                mark, sent = ("dropped", None) if rule == "R1" and not repaired else ("kept", message)
                yield RequestPreviewBlock(
                    mark=mark, message=sent, role=value["role"], kind=block["kind"], place=place, **told
                )
                if rule == "D2":
                    mark, told["text"] = "added by the repair" if repaired else "answered by the agent", "It broke off."
                    yield RequestPreviewBlock(
                        mark=mark, message=message, role="user", kind="result", call=place, **told
                    )

    def resume_request_json(self, repairs: Choices | None, session: str = "") -> bytes:
        return json.dumps({"session": session, "repaired": repairs is not None, "text": "结果"}).encode()

    def save_resume_request(self, repairs: Choices | None, session: str, target: str) -> str:
        if Path(target) == Path(self.held.path):
            raise InspectorError("That is the log itself.")
        Path(target).write_bytes(self.resume_request_json(repairs, session))
        return target

    def result_offers(self, paths: tuple[str, ...]) -> tuple[ResultInOtherLog, ...]:
        """A file offers a result for every open call that it names."""
        found = []
        for path in paths:
            try:
                text = Path(path).read_text(encoding="utf-8")
            except OSError as error:
                raise InspectorError(f"{path} cannot be read.") from error
            for finding in (self.held._finding(*item) for item in self.held.broken):
                if finding.rule == "D2" and finding.call_id and finding.call_id in text:
                    place, sentence = RecordLocation(0, 1), f"the result that {path}, line 1, holds"
                    found.append(
                        ResultInOtherLog(
                            place=finding.place, call_id=finding.call_id, tool=finding.tool or "", path=path, at=place,
                            sentence=sentence, text="the real 结果",
                        )
                    )  # fmt: skip
        return tuple(found)

    def save(self, choices: Choices, mode: str, target: str = "", progress: Progress | None = None) -> SaveResult:
        if progress is not None:
            progress(1, 4)
        self._wait("lasting")
        _, texts, _ = self.held.plan(choices)
        path = Path(target or self.held.path)
        if mode == "new-session":
            path = path.with_name(f"new-{path.name}")
        backup = ""
        if mode == "in-place":
            backup = f"{path}.backup"
            Path(backup).write_bytes(path.read_bytes())
        path.write_bytes(b"".join(after + b"\n" for _, after in texts.values() if after is not None))
        return SaveResult(
            path=str(path),
            backup=backup,
            quarantine="",
            steps=("Close this window.", "Go to the project's folder.", "Run the command."),
            command="agent --resume 1234" if mode != "copy" else "",
            verdict="healthy",
        )


def _steer(text: str, cancelled: Stopped | None = None) -> None:
    if "crash" in text:
        os._exit(3)
    if "bad" in text:
        raise InspectorError("This text cannot be looked for.")
    while "slow" in text and cancelled is not None:
        time.sleep(0.01)
        if cancelled():
            raise Cancelled("Cancelled.")


def _pasted(text: str, logs: "list[_Log]", searched: str = "") -> LookupAnswer:
    """The findings whose ids a text holds; "vague" fits every finding, "index" is doubted.

    Logs with "repaired" in their names come last, and do not explain the text.
    """
    logs = sorted(logs, key=lambda log: "repaired" in log.path)
    how = "class" if "vague" in text else "index" if "index" in text else "id"
    places = tuple(
        LookupPlace(path=log.path, place=f.place, how=how, sentence=f.message, finding=f.id)
        for log in logs
        for f in (log._finding(*item) for item in log.broken)
        if (f.call_id and f.call_id in text) or "vague" in text
    )
    return LookupAnswer(
        meaning="A call has no result." if "400" in text else "", named=("lost9",) if "lost9" in text else (),
        is_request="messages" in text, explains=bool(places), fits=how == "class" and bool(searched),
        places=places, remarks=("Message 300 does not exist.",) if how == "index" else (), searched=searched,
        looked_at=len(logs), origins=len({place.path for place in places if "repaired" not in place.path}),
    )  # fmt: skip


def _saved(target: str, made: str, is_log: bool = True) -> SaveResult:
    steps = (f"It is at {target}.",)
    return SaveResult(path=target, backup="", quarantine="", steps=steps, command="", verdict="healthy", made=made, is_log=is_log)  # noqa: E501  # fmt: skip


class _Log:
    def __init__(self, path: str, data: bytes, format_name: str) -> None:
        self.path, self.judged = str(path), "unjudged" not in Path(path).name or bool(format_name)
        self.size = Path(path).stat().st_size
        self.starts, self.ends, self.records, start = array("q"), array("q"), [], 0
        for line in data.splitlines(keepends=True):
            self.starts.append(start)
            self.ends.append(start + len(line.rstrip(b"\n")))
            self.records.append(json.loads(line))
            start += len(line)
        self.data = data
        self._pair()

    @property
    def verdict(self) -> str:
        if not self.judged:
            return "not-judged"
        return "healthy" if not self.broken else "heals-itself" if "heals" in Path(self.path).name else "broken"

    def raw(self, record: int) -> bytes:
        return self.data[self.starts[record] : self.ends[record]]

    def _pair(self) -> None:
        self.peers, self.marks, calls, self.broken = {}, {}, {}, []
        for number, record in enumerate(self.records):
            for block, content in enumerate(record.get("blocks", ())):
                place, name = (number, block), content.get("id")
                if content["kind"] == "call":
                    calls[name] = place
                    self.marks[place] = PairMark.PENDING if name.startswith("wait") else PairMark.UNANSWERED
                elif content["kind"] == "result" and name in calls:
                    call = calls.pop(name)
                    self.peers[call], self.peers[place] = place, call
                    self.marks[call], self.marks[place] = PairMark.ANSWERED, PairMark.ANSWERS
                elif content["kind"] == "result":
                    self.marks[place] = PairMark.ORPHAN
                    self.broken.append((place, "R1", content))
        for place in calls.values():
            content = self.records[place[0]]["blocks"][place[1]]
            if self.marks[place] == PairMark.UNANSWERED:
                self.broken.append((place, "D2", content))
        self.broken.sort(key=lambda item: item[0])

    def opened(self, findings: bool = True) -> OpenedLogView:
        builder = _OutlineBuilder(self)
        outline = builder.build(self.broken if findings and self.judged else [])
        found = [self._finding(*item) for item in self.broken] if findings and self.judged else []
        nodes = tuple(builder.node_of_block[place] for place, _, _ in self.broken) if found else ()
        return OpenedLogView(
            self._overview(builder.sessions, found), tuple(found), nodes, outline, self.starts, self.ends
        )

    def _finding(self, place: Spot, rule: str, content: dict[str, Any]) -> Finding:
        words = "was called and no result was recorded" if rule == "D2" else "has a result, but nothing called it"
        return Finding(
            id=f"{rule}:{content['id']}:{place[0]}",
            rule=rule,
            slug="unanswered-call" if rule == "D2" else "orphan-result",
            severity=Severity.ERROR if rule == "D2" else Severity.WARNING,
            message=f"{content.get('name') or content['id']} {words}.",
            place=RecordLocation(
                place[0], place[0] + 1, (self.starts[place[0]], self.ends[place[0]]), f"/blocks/{place[1]}"
            ),
            call_id=content["id"],
            tool=content.get("name"),
            refusal_values=RefusalTextValues("anthropic", *place),
            strategies=STRATEGIES[rule],
            default=STRATEGIES[rule][0],
            adopts=rule == "D2",
        )

    def _overview(self, titles: list[str], found: list[Finding]) -> OpenedLogFacts:
        verdict = "healthy" if self.judged and not found else self.verdict
        sentence = {
            "broken": f"{len(found)} calls and results do not fit together, so the provider refuses every request.",
            "heals-itself": "Repairs itself: Fake mends it. Nothing is lost.",
            "healthy": "Every call has a result.",
            "not-judged": "No known format fits this file.",
        }[verdict]
        sessions = tuple(
            SessionSummary(
                number=number, id=f"session-{number}", title=title, format="fake", profile="anthropic",
                verdict=verdict if number == 0 or verdict == "not-judged" else "healthy", sentence=sentence,
                headline=sentence, command="fake --resume" if verdict in ("healthy", "heals-itself") else "",
                agent="fake-agent 1.2", loses=(),
                on_resume=f"Fake {'mends' if verdict == 'heals-itself' else 'refuses' if found else 'loads'} it.",
                records=len(self.records), messages=len(self.records), calls=3, results=2,
                errors=len(found), warnings=0, infos=0,
                recorded_error="API Error: 400 tool_use ids were found without tool_result blocks" if found else "",
            )
            for number, title in enumerate(titles)
        )  # fmt: skip
        return OpenedLogFacts(
            path=self.path, format="fake" if self.judged else "", format_label="Fake log", size=self.size,
            writable=True, why_read_only="",
            formats_to_choose=() if self.judged else (("fake", "Fake log"), ("other", "Another format")),
            presets=(("canonical", "Canonical: keep all that can be kept"), ("clean", "Clean: drop what is orphaned")),
            save_modes=("copy", "in-place", "new-session") if self.judged else (), sessions=sessions,
            checks_skipped=(("F5", "fast check; a deep one judges every byte"),),
            copy_name=f"{Path(self.path).stem}.repaired.jsonl", models_resume="unmodelled" not in self.path,
            faults=(FAILED_TO_SCORE,) if "odd-format" in self.path else (),
        )  # fmt: skip

    def _strategy(self, finding: Finding, choices: Choices) -> str:
        texts = [Path(path).read_text(encoding="utf-8") for path in choices.results_from]
        if finding.rule == "D2" and any((finding.call_id or " ") in text for text in texts):
            return choices.findings.get(finding.id) or choices.rules.get(finding.rule) or "adopt"
        preset = "drop" if choices.preset == "clean" and finding.rule == "R1" else finding.default
        return choices.findings.get(finding.id) or choices.rules.get(finding.rule) or preset

    def plan(
        self, choices: Choices
    ) -> tuple[list[PreviewRow], dict[int, tuple[bytes | None, bytes | None]], dict[str, str]]:
        """The changes, what each slot holds before and after, and the strategy of each finding."""
        findings = {
            (f.place.record, n): f
            for f, ((_, n), _, _) in zip((self._finding(*item) for item in self.broken), self.broken, strict=True)
        }
        changes: list[PreviewRow] = []
        texts: dict[int, tuple[bytes | None, bytes | None]] = {}
        chosen: dict[str, str] = {}
        by_record: dict[int, list[tuple[int, Finding]]] = {}
        for (record, block), finding in findings.items():
            by_record.setdefault(record, []).append((block, finding))
        for number, record in enumerate(self.records):
            here = by_record.get(number, [])
            mine = {block: self._strategy(f, choices) for block, f in here}
            chosen |= {f.id: mine[block] for block, f in here}
            ids = tuple(f.id for block, f in here if mine[block] != "leave")
            blocks = [
                {"kind": "text", "text": f"[note] {b.get('text')}"} if mine.get(n) == "keep-as-note" else b
                for n, b in enumerate(record.get("blocks", ()))
                if mine.get(n) not in ("drop", "drop-call")
            ]
            raw, role = self.raw(number), record.get("role", "session")
            summary = view_fake("fake", raw).summary
            same = blocks == record.get("blocks", [])
            left = [f for _, f in here if choices.findings.get(f.id) == "leave"]
            mark = "kept" if same else "changed" if blocks else "removed"
            after = raw if same else json.dumps(record | {"blocks": blocks}).encode() if blocks else None
            texts[number] = raw, after
            own = PreviewRow(mark=mark, record=number, line=number + 1, role=role, summary=summary, slot=number,
                         finding_ids=() if same else ids)  # fmt: skip
            changes += [own] if not same or not left else []
            changes += [replace(own, mark="rejected", summary=f.message, finding_ids=(f.id,)) for f in left]
            for block, finding in here:
                if mine[block] in ("answer", "adopt"):
                    call = record["blocks"][block]["id"]
                    said = "No result was recorded." if mine[block] == "answer" else "the real 结果"
                    result = {"role": "user", "blocks": [{"kind": "result", "id": call, "text": said}]}
                    slot = len(self.records) + len(texts)
                    texts[slot] = None, json.dumps(result).encode()
                    changes.append(PreviewRow(mark="added", record=None, line=None, role="user", summary=said,
                                              slot=slot,
                                          finding_ids=(finding.id,), reason="The call has no result."))  # fmt: skip
        return changes, texts, chosen

    def preview(self, choices: Choices) -> RepairPreview:
        changes, _, chosen = self.plan(choices)
        left = [name for name, strategy in chosen.items() if strategy == "leave"]
        shown, kept = [], []
        for change in changes:
            if change.mark == "kept":
                kept.append(change)
                continue
            shown += [*_skipped(kept), change]
            kept = []
        dropped = [c.summary for c in changes if c.mark == "removed"]
        return RepairPreview(
            changes=(*shown, *_skipped(kept)),
            losses=tuple(f"The text of an orphan result: {text}" for text in dropped),
            accepted={"anthropic": f"messages.3: {REFUSALS['D2']}" if left else None, "openai-chat": None},
            on_resume="Fake refuses it." if left else "Fake loads the session unchanged.",
            verified=not left,
            reason="What you left as it is would still be refused." if left else "",
            chosen=chosen,
            edits=sum(change.mark != "kept" for change in changes),
            effects=("The prompt cache is broken from message 6 on.",),
            caveat="It drops what is orphaned." if choices.preset == "clean" else "",
            faults=(FAILED_TO_SHOW,) if "odd-format" in self.path else (),
            button="" if left else "Repair: add 3 placeholders, nothing lost",
        )


def _skipped(kept: list[PreviewRow]) -> list[PreviewRow]:
    if len(kept) <= 2:
        return kept
    middle = PreviewRow(mark="skipped", record=kept[1].record, line=None, role="", summary="", count=len(kept) - 2)
    return [kept[0], middle, kept[-1]]


class _OutlineBuilder:
    """Sessions, (pages,) turns, messages, blocks: built as a tree, numbered level by level."""

    def __init__(self, log: _Log) -> None:
        self.log = log
        self.sessions: list[str] = []
        self.node_of_block: dict[Spot, int] = {}

    def build(self, broken: Iterable[tuple[Spot, str, Any]]) -> Outline:
        roots = self._tree()
        columns = {name: array("q") for name in ("parent", "first", "count", "record", "block", "peer")}
        kind, node_of_record = ByteColumn(), array("q", [-1] * len(self.log.records))
        label: dict[int, str] = {}
        queue = [(NodeKind.ROOT, -1, -1, "", 0, roots)]
        for number, (node_kind, record, block, text, parent, children) in enumerate(queue):
            kind.append(node_kind)
            for name, value in zip(columns, (parent, len(queue), len(children), record, block, -1), strict=True):
                columns[name].append(value)
            if text:
                label[number] = text
            if node_kind in (NodeKind.MESSAGE, NodeKind.RECORD):
                node_of_record[record] = number
            if node_kind == NodeKind.BLOCK:
                self.node_of_block[record, block] = number
            queue.extend((*child[:4], number, child[4]) for child in children)
        mark, counts = ByteColumn(len(kind)), [array("q", bytes(8 * len(kind))) for _ in range(3)]
        for place, node in self.node_of_block.items():
            mark[node] = self.log.marks.get(place, 0)
            columns["peer"][node] = self.node_of_block.get(self.log.peers.get(place, (-1, -1)), -1)
        for place, rule, _ in broken:
            node = self.node_of_block[place]
            while node > 0:
                counts[0 if rule == "D2" else 1][node] += 1
                node = columns["parent"][node]
        errors, warnings, infos = counts
        return Outline(kind=kind, mark=mark, label=label, node_of_record=node_of_record, errors=errors,
                       warnings=warnings, infos=infos, **columns)  # fmt: skip

    def _tree(self) -> list[Node]:
        sessions: list[Node] = []
        turns: list[Node] = []
        messages: list[Node] = []
        for number, record in enumerate(self.log.records):
            if "session" in record or not sessions:
                turns = []
                title = record.get("session", "The only session")
                self.sessions.append(title)
                sessions.append((NodeKind.SESSION, number, -1, title, turns))
                if "session" in record:
                    turns.append((NodeKind.RECORD, number, -1, "", []))
                    continue
            opens = record["role"] == "user" and record["blocks"][0]["kind"] == "text"
            if opens or not turns or turns[-1][0] == NodeKind.RECORD:
                messages = []
                turns.append((NodeKind.TURN, number, -1, "", messages))
            blocks: list[Node] = [(NodeKind.BLOCK, number, block, "", []) for block in range(len(record["blocks"]))]
            messages.append((NodeKind.MESSAGE, number, -1, "", blocks))
        return [(*session[:4], _paged(session[4])) for session in sessions]


def _paged(level: list[Node]) -> list[Node]:
    level = [(*node[:4], _paged(node[4])) if node[4] else node for node in level]
    if len(level) <= PAGE_SIZE:
        return level
    return [
        (
            NodeKind.PAGE,
            level[start][1],
            -1,
            f"{start + 1} – {min(start + PAGE_SIZE, len(level))}",
            level[start : start + PAGE_SIZE],
        )
        for start in range(0, len(level), PAGE_SIZE)
    ]
