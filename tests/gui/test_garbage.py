"""Garbage is collected in the thread of the window alone."""

import gc
import weakref
from collections.abc import Iterator
from threading import Thread

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from inspector.gui.common.qt_helpers import GarbageCollector


class Loop:
    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def collector() -> Iterator[GarbageCollector]:
    parent = QObject()
    yield GarbageCollector(parent)
    gc.enable()


def test_another_thread_collects_nothing(qtbot: QtBot, collector: GarbageCollector) -> None:
    gone, kept = weakref.ref(Loop()), list[list[int]]()
    thread = Thread(target=lambda: kept.extend([number] for number in range(10 * gc.get_threshold()[0])))
    thread.start()
    thread.join()
    assert gone() is not None
    collector.collect()
    assert gone() is None
