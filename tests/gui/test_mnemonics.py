"""Every entry of a menu has a letter of its own, and no two actions of the toolbar have the same picture."""

import re
from collections import Counter

from PySide6.QtWidgets import QMenu, QToolBar

from inspector.gui.common.actions import ACTION_TABLE, Action
from inspector.gui.window.main_window import MainWindow
from inspector.gui.window.menus import (
    _TOOLBAR,
    CHANGE_LIST_ACTIONS,
    FINDING_ACTIONS,
    LOG_LIST_ACTIONS,
    OUTLINE_ACTIONS,
)


def mnemonics(texts: list[str]) -> list[str]:
    """The letters that the texts name; a text without one is there in full."""
    found = [re.findall("&(.)", text.replace("&&", "")) for text in texts]
    return [letters[0].lower() if letters else text for letters, text in zip(found, texts, strict=True)]


def test_no_two_entries_of_a_menu_have_the_same_letter_and_none_is_without(window: MainWindow) -> None:
    bar = [action.text() for action in window.menuBar().actions()]
    menus = {"": bar}
    for menu in window.menuBar().findChildren(QMenu):
        menus[menu.title()] = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert {"&File", "&Edit", "&Go", "&View", "&Help"} <= set(menus)
    for number, entries in enumerate((OUTLINE_ACTIONS, FINDING_ACTIONS, CHANGE_LIST_ACTIONS, LOG_LIST_ACTIONS)):
        menus[f"context menu {number}"] = [ACTION_TABLE[action].text for action in entries if action]
    wrong = {
        title: [letter for letter, count in Counter(mnemonics(texts)).items() if count > 1 or len(letter) > 1]
        for title, texts in menus.items()
    }
    assert {title: letters for title, letters in wrong.items() if letters} == {}


def test_toolbar_has_save_find_and_paste_with_pictures_of_their_own(window: MainWindow) -> None:
    (bar,) = window.findChildren(QToolBar)
    shown = [action.text() for action in bar.actions() if not action.isSeparator()]
    assert {"Find &text…", "Paste an &error…", "Save as &new session", "Save a &copy…"} <= set(shown)
    icons = {action: ACTION_TABLE[action].icon for action in _TOOLBAR if action}
    assert all(icons.values())
    assert len(set(icons.values())) == len(icons)
    assert icons[Action.FORWARD] != icons[Action.FOLLOW_PAIR]
