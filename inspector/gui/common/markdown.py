"""Makes Markdown safe to show: Qt parses it, and no HTML, link or picture is left in the result.

The document that Qt parses it into is never laid out, so a file named by a picture is never opened. The result has no
addresses. The address of a link follows its text.
"""

import re

from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextCursor, QTextDocument, QTextDocumentFragment, QTextFormat

from inspector.gui.common import theme
from inspector.gui.common.safe_text import escape_invisible

_FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
# A line break without a blank line is kept, because agents write for terminals.
_LINE_END = re.compile(r"(?<=[^\s|])\n(?=[^\n])")
_HEADING = QTextCharFormat()
_HEADING.setProperty(QTextFormat.Property.FontSizeAdjustment.value, 1)


def parse_markdown(text: str) -> QTextDocumentFragment:
    """Parse a Markdown text into a fragment that can be inserted into the document of a view."""
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
    """Replace links and pictures of a paragraph, from its end. Code gets the fixed font."""
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
