"""A tour of the window: every state that a person meets, drawn into pictures that are looked at.

`python -m tests.gui.tour OUT [WORD …]` draws those whose names hold one of the words, by default all, without a screen.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QEventLoop, QSettings, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from inspector.gui.app import make_application
from inspector.gui.common import theme
from inspector.gui.common.actions import Action
from inspector.gui.common.settings import Settings
from inspector.gui.dialogs.share_dialogs import ReportDialog, SendBackRepairDialog
from inspector.gui.models.logs_model import LogColumn
from inspector.gui.state.load_status import Phase
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.core_dependencies import CoreDependencies
from tests.gui.fake_questions import FakeQuestions
from tests.support.archives import zipped
from tests.support.notation import claude_code_records, parse
from tests.support.paths import SAMPLES

_WIDE = (1280, 800)
_SMALL, _SMALLEST, _HALVED = (1280, 720), (1024, 700), (960, 540)
_PATIENCE_MS = 20_000
_SETTLE_MS = 250
CHINESE = """{"messages": [
  {"role": "user", "content": "请修复解析器中失败的测试，并说明原因。"},
  {"role": "assistant", "content": "我先看一下测试。", "tool_calls": [
    {"id": "call_1", "type": "function",
     "function": {"name": "read_file", "arguments": "{\\"path\\": \\"测试/解析器.py\\"}"}},
    {"id": "call_2", "type": "function",
     "function": {"name": "run", "arguments": "{\\"command\\": \\"pytest -x\\"}"}}]},
  {"role": "tool", "tool_call_id": "call_1", "content": "断言失败：第十二行，期望三，得到四。"},
  {"role": "user", "content": "为什么停了？"}]}
"""


class Tour:
    """One window on the way through a state."""

    def __init__(self, folder: Path, size: tuple[int, int], mode: str) -> None:
        theme.apply(mode)
        self.folder = folder
        self.questions = FakeQuestions()
        self.questions.closed = True
        self.window = MainWindow(CoreDependencies(), Settings(), self.questions)
        self.window.document.watcher.poll_timer.setInterval(50)
        self.window.resize(*size)
        self.window.show()

    def open(self, name: str) -> Path:
        """Open a copy of a sample, or what lies in the folder of the tour, and wait until it is read and planned."""
        path = self.folder / name
        if not path.exists():
            shutil.copy(SAMPLES / name, path)
        self.window.open(str(path))
        self.settle()
        return path

    def wait(self, done: Callable[[], bool]) -> None:
        """Let the window work until it is done, or nobody would wait any longer."""
        loop, looks, patience = QEventLoop(), QTimer(), QTimer(singleShot=True)
        looks.timeout.connect(lambda: loop.quit() if done() else None)
        patience.timeout.connect(loop.quit)
        looks.start(20)
        patience.start(_PATIENCE_MS)
        loop.exec()
        looks.stop()
        patience.stop()

    def settle(self) -> None:
        document, survey = self.window.document, self.window.log_list
        self.wait(
            lambda: document.phase != Phase.LOADING and not (document.repair.planning or document.saving or survey.busy)
        )

    def show(self, action: Action) -> None:
        self.window.window_actions[action].trigger()
        self.settle()

    def draw(self, out: Path) -> None:
        """What is in front."""
        pause = QEventLoop()
        QTimer.singleShot(_SETTLE_MS, pause, pause.quit)
        pause.exec()
        others = [each for each in self.window.findChildren(QWidget) if each.isWindow() and each.isVisible()]
        (others[0] if others else self.window).grab().save(str(out))

    def close(self) -> None:
        self.window.close()
        self.window.deleteLater()
        QApplication.processEvents()


# the states


def _empty(tour: Tour) -> None:
    for name in ("claude-code-broken.jsonl", "codex-broken.jsonl"):
        Settings().add_recent(f"/home/mei/projects/tea-timer/agents/logs/of/last/week/{name}")
    tour.window.welcome.refresh()


def _loading(tour: Tour) -> None:
    lines = (SAMPLES / "claude-code-healthy.jsonl").read_bytes()
    (tour.folder / "long.jsonl").write_bytes(lines * 2000)
    tour.window.open(str(tour.folder / "long.jsonl"))


def _opened(name: str, *then: Action) -> Callable[[Tour], None]:
    def act(tour: Tour) -> None:
        tour.open(name)
        for action in then:
            tour.show(action)

    return act


def _chinese(tour: Tour) -> None:
    (tour.folder / "对话记录.json").write_text(CHINESE, encoding="utf-8")
    _opened("对话记录.json", Action.SHOW_REPAIR)(tour)


def _folder(tour: Tour) -> None:
    for sample in SAMPLES.iterdir():
        shutil.copy(sample, tour.folder / sample.name)
    (tour.folder / "notes.md").write_text("no log")
    tour.window.open(str(tour.folder))
    tour.settle()


def _several(tour: Tour) -> None:
    names = ("claude-code-broken.jsonl", "codex-broken.jsonl", "kimi-code-healthy.jsonl")
    tour.window.open_all([str(shutil.copy(SAMPLES / name, tour.folder / name)) for name in names])
    tour.settle()


def _desk(tour: Tour) -> None:
    """Forty archives are dropped: twelve of one bug, one with several logs, one without any, one that is torn."""
    data: list[tuple[str, dict[str, bytes]]] = []
    for number in range(12):
        records = claude_code_records(parse(f'u"Build {number} hangs" | a{{A@Bash command=make}} | u | a'))
        lines = "".join(json.dumps(record) + "\n" for record in records).encode()
        data.append((f"customer-{number}", {"home/mei/log.jsonl": lines}))
    samples = sorted(SAMPLES.iterdir())
    data += [(f"ticket-{number}", {each.name: each.read_bytes()}) for number, each in enumerate(samples[:25])]
    data.append(("everything", {each.name: each.read_bytes() for each in samples[25:29]}))
    data.append(("screenshot", {"screen.png": b"\x89PNG"}))
    paths = [zipped(tour.folder, members, f"{name}.zip") for name, members in data]
    paths.append(tour.folder / "torn.zip")
    paths[-1].write_bytes(b"PK\x03\x04 and no more")
    tour.window.open_all(list(map(str, paths)))
    tour.settle()
    tour.window.logs.table.setFocus()


def _hidden(act: Callable[[Tour], None]) -> Callable[[Tour], None]:
    def with_hidden_content(tour: Tour) -> None:
        tour.show(Action.HIDE_CONTENT)
        act(tour)

    return with_hidden_content


def _grouped(tour: Tour) -> None:
    _desk(tour)
    tour.window.logs.table.sortByColumn(LogColumn.CAUSE, Qt.SortOrder.AscendingOrder)


def _unfolded(tour: Tour) -> None:
    _desk(tour)
    tour.window.logs.table.setCurrentIndex(tour.window.logs.table.model().index(0, 0))
    QTest.keyClick(tour.window.logs.table, Qt.Key.Key_Right)


def _report_on_tickets(tour: Tour) -> None:
    _desk(tour)
    tour.window.logs.table.selectAll()
    tour.show(Action.REPORT)
    dialog = tour.window.findChild(ReportDialog)
    tour.wait(lambda: dialog is not None and dialog.copy.isEnabled())


def _send_back(language: int) -> Callable[[Tour], None]:
    def act(tour: Tour) -> None:
        _opened("codex-broken.jsonl", Action.SEND_BACK)(tour)
        dialog = tour.window.findChild(SendBackRepairDialog)
        if dialog is not None:
            dialog.language.setCurrentIndex(language)
            tour.wait(dialog.save.isEnabled)

    return act


def _chosen(tour: Tour) -> None:
    tour.open("gemini-cli-broken.jsonl")
    document = tour.window.document
    document.repair.choose_for_finding(document.finding, document.log.findings[document.finding].strategies[1])  # type: ignore[union-attr]
    tour.settle()
    tour.show(Action.SHOW_REPAIR)


def _saved(tour: Tour) -> None:
    tour.open("claude-code-broken.jsonl")
    tour.show(Action.SHOW_REPAIR)
    tour.show(Action.SAVE_IN_PLACE)


def _grown(tour: Tour) -> None:
    path = tour.folder / "codex-healthy.jsonl"
    *first, last = (SAMPLES / path.name).read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(first[:-3]), encoding="utf-8")
    tour.open(path.name)
    path.write_text("".join((*first, last)), encoding="utf-8")
    tour.wait(lambda: tour.window.document.notice is not None)


def _running(tour: Tour) -> None:
    path = tour.folder / "claude-code-healthy.jsonl"
    lines = (SAMPLES / path.name).read_text(encoding="utf-8").splitlines(keepends=True)
    stop = 1 + next(number for number, line in enumerate(lines) if '"type":"tool_use"' in line.replace(" ", ""))
    path.write_text("".join(lines[: stop - 1]), encoding="utf-8")
    tour.open(path.name)
    path.write_text("".join(lines[:stop]), encoding="utf-8")
    tour.wait(lambda: tour.window.document.notice is not None)


def _gone(tour: Tour) -> None:
    tour.open("pi-broken.jsonl").unlink()
    tour.wait(lambda: tour.window.document.notice is not None)


def _written(name: str, data: bytes) -> Callable[[Tour], None]:
    def act(tour: Tour) -> None:
        (tour.folder / name).write_bytes(data)
        tour.open(name)

    return act


class State(NamedTuple):
    """A state, how it is reached, and what the screen is like."""

    name: str
    act: Callable[[Tour], None]
    size: tuple[int, int] = _WIDE
    mode: str = "light"
    scale: int = 1


_REPAIR = Action.SHOW_REPAIR
_CLAUDE = "claude-code-broken.jsonl"
_UNKNOWN = b'{"kind": "trace", "at": 3}\n{"kind": "trace", "at": 4}\n'
STATES = (
    State("empty", _empty),
    State("empty-dark", _empty, mode="dark"),
    State("loading", _loading),
    State("healthy", _opened("codex-healthy.jsonl")),
    State("healthy-dark", _opened("kimi-code-healthy.jsonl"), mode="dark"),
    State("broken-claude-code", _opened(_CLAUDE)),
    State("broken-codex", _opened("codex-broken.jsonl", Action.SHOW_DETAILS)),
    State("broken-opencode-dark", _opened("opencode-broken.json", _REPAIR), mode="dark"),
    State("raw-cline", _opened("cline-task-broken.json", Action.SHOW_RAW)),
    State("many-sessions", _opened("openai-chat-many.jsonl", _REPAIR)),
    State("list-of-a-folder", _folder),
    State("list-of-a-folder-small", _folder, _SMALLEST),
    State("list-of-a-folder-dark", _folder, mode="dark"),
    State("several-dropped", _several),
    State("forty-tickets", _desk),
    State("forty-tickets-small-dark", _desk, _SMALLEST, "dark"),
    State("forty-tickets-hidden", _hidden(_desk)),
    State("forty-tickets-grouped", _grouped),
    State("ticket-unfolded", _unfolded),
    State("ticket-hidden", _hidden(_opened(_CLAUDE, Action.SHOW_DETAILS))),
    State("ticket-hidden-repair", _hidden(_opened("codex-broken.jsonl", _REPAIR))),
    State("report-on-tickets", _report_on_tickets),
    State("bundle", _opened(_CLAUDE, Action.BUNDLE)),
    State("send-back", _send_back(0)),
    State("send-back-chinese", _send_back(1)),
    State("repair-chosen", _chosen),
    State("side-by-side", _opened("langchain-broken.json", _REPAIR), (1600, 900)),
    State("saved", _saved),
    State("saved-small-dark", _saved, _SMALLEST, "dark"),
    State("grown", _grown),
    State("running", _running),
    State("gone", _gone),
    State("error", _written("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(200))),
    State("not-judged", _written("trace.jsonl", _UNKNOWN)),
    State("chinese", _chinese),
    State("chinese-dark", _chinese, mode="dark"),
    State("page-of-a-rule", _opened(_CLAUDE, Action.WHAT_IS_THIS)),
    State("who-accepts", _opened(_CLAUDE, Action.WHO_ACCEPTS)),
    State("what-is-sent", _opened(_CLAUDE, Action.WHAT_IS_SENT)),
    State("keyboard", _opened(_CLAUDE, Action.SHORTCUTS)),
    State("1280x720", _opened(_CLAUDE, _REPAIR), _SMALL),
    State("1024x700", _opened(_CLAUDE, _REPAIR), _SMALLEST),
    State("1024x700-details", _opened("qwen-code-broken.jsonl", Action.SHOW_DETAILS), _SMALLEST),
    State("200-percent", _opened(_CLAUDE, _REPAIR), _HALVED, scale=2),
    State("200-percent-list", _folder, _HALVED, scale=2),
    State("200-percent-empty", _empty, _HALVED, scale=2),
)


@contextmanager
def _own_place() -> Iterator[Path]:
    """A folder for logs and settings; nobody's own are read or changed."""
    with tempfile.TemporaryDirectory() as folder:
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, f"{folder}/settings")
        (Path(folder) / "logs").mkdir()
        yield Path(folder) / "logs"


def draw(out: Path, words: tuple[str, ...] = (), scale: int = 1) -> list[Path]:
    """Draw the states of one scale whose names hold one of the words; the pictures are answered."""
    pictures = []
    for state in STATES:
        if state.scale == scale and (not words or any(word in state.name for word in words)):
            with _own_place() as folder:
                tour = Tour(folder, state.size, state.mode)
                try:
                    state.act(tour)
                    pictures.append(out / f"{state.name}.png")
                    tour.draw(pictures[-1])
                finally:
                    tour.close()
    return pictures


def main(out: str, *words: str) -> None:
    """Draw all; another scale needs another process."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    scale = int(os.environ.get("QT_SCALE_FACTOR", "1"))
    make_application()
    Path(out).mkdir(parents=True, exist_ok=True)
    for picture in draw(Path(out), words, scale):
        print(picture)
    for other in {state.scale for state in STATES} - {scale} if scale == 1 else ():
        environment = os.environ | {"QT_SCALE_FACTOR": str(other)}
        subprocess.run([sys.executable, "-m", "tests.gui.tour", out, *words], env=environment, check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
