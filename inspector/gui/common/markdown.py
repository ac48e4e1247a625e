"""The gate for text that is Markdown: Qt lays it out, and nothing of it is HTML, a link or a picture afterwards.

The document that Qt reads it into is never laid out, so that no file that a picture names is opened. What is handed on
has no address left: that of a link stands behind its words.
"""

import re

from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextCursor, QTextDocument, QTextDocumentFragment, QTextFormat

from inspector.gui.common import theme
from inspector.gui.common.safe_text import escape_invisible

_FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
# A line that goes on without a blank line: agents write for terminals, where each line is one.
_LINE_END = re.compile(r"(?<=[^\s|])\n(?=[^\n])")
_HEADING = QTextCharFormat()
_HEADING.setProperty(QTextFormat.Property.FontSizeAdjustment.value, 1)


def parse_markdown(text: str) -> QTextDocumentFragment:
    """A text in Markdown, to be inserted into the document of a view."""
    scratch = QTextDocument()
    scratch.setMarkdown(_LINE_END.sub("  \n", escape_invisible(text)), _FEATURES)
    if scratch.isEmpty():
        scratch.setPlainText(escape_invisible(text))  # what is all marks says something, too
    block = scratch.begin()
    while block.isValid():
        _strip_links_and_images(block)
        block = block.next()
    return QTextDocumentFragment(scratch)


def _strip_links_and_images(block: QTextBlock) -> None:
    """Take links and pictures out of a paragraph, from its end; code gets the font of code."""
    cursor = QTextCursor(block)
    if block.blockFormat().headingLevel():
        cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
        cursor.mergeCharFormat(_HEADING)
    after = ""
    for run in reversed(block.textFormats()):
        look, start = run.format, block.position() + run.start
        if not (look.isAnchor() or look.isImageFormat() or look.fontFixedPitch()):
            continue
        cursor.setPosition(start)
        cursor.setPosition(start + run.length, QTextCursor.MoveMode.KeepAnchor)
        words, address = cursor.selectedText(), look.anchorHref()
        if look.isImageFormat():
            cursor.insertText(escape_invisible(f"[picture: {look.toImageFormat().name()}]"), QTextCharFormat())
            continue
        plain = QTextCharFormat()
        plain.setFontWeight(look.fontWeight())
        plain.setFontItalic(look.fontItalic())
        if look.fontFixedPitch():
            plain.setFontFamilies(theme.fixed_font().families())
        behind = address and address != words and address != after
        after = address
        cursor.insertText(escape_invisible(f"{words} ({address})" if behind else words), plain)
