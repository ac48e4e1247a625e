"""Reads single records of the log by offset, and caches the summaries of recent ones. Uses neither mmap nor Qt."""

import os
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from weakref import finalize

from inspector.core.engine.program_faults import program_fault_sentence, raise_as_program_fault
from inspector.core.errors import InspectorError
from inspector.core.lazy import LazyModule
from inspector.core.model.views import CALL_KINDS, BlockKind, BlockView, RecordView
from inspector.core.presentation.detail_pieces import RecordDetails
from inspector.core.presentation.details import details_of_record, text_typed_by_user
from inspector.core.presentation.engine_results import OpenedLogFacts
from inspector.core.presentation.formatting import summarize_call
from inspector.core.translation import tr
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.safe_text import abbreviate_count, to_one_line
from inspector.gui.state.file_watcher import FileChange, FileState
from inspector.gui.worker.core_dependencies import CoreDependencies
from inspector.gui.worker.packed_answers import OpenedLog, pack_first_records

if TYPE_CHECKING:
    from inspector.core.presentation import hide_content
    from inspector.core.presentation.hide_content import ContentHider
else:
    hide_content = LazyModule("inspector.core.presentation.hide_content")

SUMMARY_LIMIT = 256 * 1024
RECORD_CHANGED_SENTENCE = tr("The log has changed on disk since it was read")
RECORD_GONE_SENTENCE = tr(
    "{record_changed_sentence}. Reload the log to see this record.", record_changed_sentence=RECORD_CHANGED_SENTENCE
)
_SUMMARY_CHARS = 300
_SUMMARY_CACHE_SIZE = 4096
_VIEW_CACHE_SIZE = 16


class BlockSummary(NamedTuple):
    """What a row of the tree shows of a block.

    `injected`: a program added this text to the person's message.
    """

    kind: BlockKind
    name: str
    text: str
    is_error: bool
    injected: bool = False


class RecordSummary(NamedTuple):
    """What a row of the tree shows of a record."""

    role: str
    summary: str
    time: str = ""
    tokens: str = ""
    blocks: tuple[BlockSummary, ...] = ()


def _open_and_unlink_temporary(overview: OpenedLogFacts) -> BinaryIO | None:
    """Open the temporary file that a log was assembled in, and unlink it. None when the log is a single file itself.

    The name is removed at once, so that nothing of the log is left over however this program ends. On Windows the file
    stays until the process that wrote it releases it.
    """
    if overview.bytes_at in ("", overview.path):
        return None
    try:
        file = open(overview.bytes_at, "rb")  # noqa: SIM115 - the reader owns it
    except OSError:
        return None
    with suppress(OSError):
        os.unlink(overview.bytes_at)
    return file


class RecordReader:
    """A reader of the records of one state of a log. A file that changed since is not read any further.

    With a `hider`, the texts of a record are hidden before it is parsed.
    """

    def __init__(
        self,
        log: OpenedLog,
        stamp: FileState | None,
        view: Callable[[str, bytes], RecordView],
        hider: "ContentHider | None" = None,
        before: "RecordReader | None" = None,
    ) -> None:
        """Create a reader.

        `before` is the reader of the same log when it was shorter. Summaries that it already made are kept.
        """
        self._hider = hider
        self._log = log
        self._path = Path(log.overview.path)
        self._own = _open_and_unlink_temporary(log.overview)
        self._stamp = stamp
        if self._own is not None:
            finalize(self, self._own.close)
        self._view = view
        self._briefs: OrderedDict[int, RecordSummary] = OrderedDict()
        self._whole: OrderedDict[int, RecordView] = OrderedDict()
        if before is not None and self._own is None and (before._hider is None) == (hider is None):
            self._keep_shown(before)

    def _keep_shown(self, before: "RecordReader") -> None:
        """Copy the summaries of unchanged records, so that they are not read again."""
        log_before, log_now = before._log, self._log
        count = log_before.overview.attached[0].record if log_before.overview.attached else len(log_before.starts)
        if (log_before.starts[:count], log_before.ends[:count]) == (log_now.starts[:count], log_now.ends[:count]):
            self._briefs.update((record, brief) for record, brief in before._briefs.items() if record < count)

    @property
    def changed(self) -> bool:
        """Whether the records that were read differ from those on disk. Appended records change nothing."""
        if self._stamp is None or self._stamp.is_untouched(self._path):
            return self._stamp is None
        return self._stamp.change_since(self._path) not in (FileChange.SAME, FileChange.APPENDED)

    def span(self, record: int) -> tuple[int, int]:
        """Return the start and end offset of a record in the file that contains it."""
        attached = self._log.attached_log_of(record)
        offset = 0 if attached is None else attached.offset
        return self._log.starts[record] - offset, self._log.ends[record] - offset

    def visible_bytes(self, record: int, limit: int | None = None) -> bytes | None:
        """Return the record's bytes as they may be shown, the first `limit` of them. None as for `read_bytes`."""
        raw = self.read_bytes(record, limit)
        return raw if raw is None or self._hider is None else hide_content.hide_record_content(raw, self._hider)

    def read_bytes(self, record: int, limit: int | None = None) -> bytes | None:
        """Return the record's bytes, the first `limit` of them. None when the log changed or cannot be read."""
        start, end = self.span(record)
        if self._own is not None:
            self._own.seek(start)
            return self._own.read(end - start if limit is None else min(limit, end - start))
        if self.changed:
            return None
        attached = self._log.attached_log_of(record)
        path = self._path if attached is None else Path(attached.bytes_path)
        try:
            with path.open("rb") as file:
                file.seek(start)
                return file.read(end - start if limit is None else min(limit, end - start))
        except OSError:
            return None

    def view(self, record: int) -> RecordView | None:
        """Return the whole record, parsed. None when it cannot be read."""
        if record in self._whole:
            self._whole.move_to_end(record)
            return self._whole[record]
        raw = self.visible_bytes(record)
        if raw is None:
            return None
        try:
            view = self._view(self._log.overview.format, raw)
        except Exception as error:  # a record that cannot be parsed becomes a row that says so
            view = RecordView("unreadable", program_fault_sentence(error))
        self._whole[record] = view
        if len(self._whole) > _VIEW_CACHE_SIZE:
            self._whole.popitem(last=False)
        return view

    def parts(self, record: int, reads: dict[str, str]) -> RecordDetails | None:
        """Return the details of the record, None when it cannot be read.

        `reads` are the files that calls in other records read, by call id.
        """
        view, raw = self.view(record), self.visible_bytes(record)
        if view is None or raw is None:
            return None
        try:
            return details_of_record(self._log.overview.format, view, raw, reads)
        except Exception as error:  # as in `view`
            return RecordDetails("unreadable", program_fault_sentence(error))

    def summary(self, record: int) -> RecordSummary:
        """Return what the tree shows of a record.

        A very large record is not parsed for it, because painting must not wait.
        """
        brief = self._briefs.get(record)
        if brief is None:
            brief = self._make_brief(record)
            self._briefs[record] = brief
            if len(self._briefs) > _SUMMARY_CACHE_SIZE:
                self._briefs.popitem(last=False)
        return brief

    def _brief_of(self, block: BlockView, role: str) -> BlockSummary:
        text, injected = block.text, False
        if block.kind in CALL_KINDS:
            text = summarize_call(text, self._log.overview.folder)
        elif block.kind == BlockKind.TEXT and role == "user":
            text, injected = text_typed_by_user(text)
        line = to_one_line(text, _SUMMARY_CHARS)
        return BlockSummary(block.kind, to_one_line(block.name, 80), line, block.is_error, injected)

    def _make_brief(self, record: int) -> RecordSummary:
        start, end = self.span(record)
        if end - start > SUMMARY_LIMIT:
            return RecordSummary(
                "large", tr("Large record ({end:.1f} MB). Select this row to read it", end=(end - start) / 1e6)
            )
        view = self.view(record)
        if view is None:
            return RecordSummary("unknown", RECORD_CHANGED_SENTENCE)
        blocks = tuple(self._brief_of(block, view.role) for block in view.blocks)
        tokens = " ".join(
            f"{sign}{abbreviate_count(count)}"
            for sign, count in (("↑", view.tokens_in), ("↓", view.tokens_out))
            if count is not None
        )
        return RecordSummary(
            to_one_line(view.role, 40), to_one_line(view.summary, _SUMMARY_CHARS), view.time, tokens, blocks
        )


FIRST_RECORDS_BYTES = 65536


def read_first_records(core: CoreDependencies, path: str) -> tuple[OpenedLog, RecordReader] | tuple[None, None]:
    """Read the first records of a log in this process, without waiting for the child.

    Returns the log and a reader for it, or None twice when they cannot be read. In that case the full reading meets the
    same problem and reports it.
    """
    stamp = FileState.read(Path(path))
    with suppress(InspectorError, OSError), raise_as_program_fault():
        if stamp is not None:
            # This comes first: it refuses a pipe, which would block whoever opens it.
            opened, hider = core.head(path, FIRST_RECORDS_BYTES), hiding.make_hider(path)
            with Path(path).open("rb") as file:
                head = file.read(FIRST_RECORDS_BYTES)
            log = pack_first_records(
                opened if hider is None else hide_content.hide_engine_result_content(opened, hider), head
            )
            return log, RecordReader(log, stamp, core.view, hider)
    return None, None
