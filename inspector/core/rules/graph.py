"""Rules about how records follow one another: their parents, ids and numbers, and what is left off the path."""

from inspector.core.analysis.abandoned_branches import abandoned_branches
from inspector.core.analysis.compactions import dangling_compaction_links
from inspector.core.analysis.finding import Severity
from inspector.core.analysis.open_calls import OpenCallKind, open_calls_of_kind
from inspector.core.analysis.unmatched_results import tool_label
from inspector.core.model.session import LinkDamage
from inspector.core.rules.rule import Hits, RepairStage, RuleMatch, ThreadContext, link_rule, rule
from inspector.core.translation import tr, tr_plural


@link_rule("G1", "missing-parent", "relink")
def missing_parent(context: ThreadContext) -> Hits:
    """The parent of a record was never written.

    What it finds: a record on the agent's path whose parent is not in the log.
    Why it matters: the agent stops at this record, and everything older is lost without an error message. Claude Code
    continues with the record that is nearest in time, if there is one that is less than five seconds older, but that
    record may be on another branch. For the first record of a log, a missing parent is normal, because the parent is in
    another file.
    Example:
      record 2 names a parent that does not exist in the log
    Repairs: relink (links the record to the one before it, or to a new record that can be its parent).
    """
    for link in context.thread.damaged_links:
        if link.kind == LinkDamage.MISSING_PARENT:
            text = tr("The parent of this record is not in the log, so no older records are loaded.")
            if link.first:
                text = tr("The parent of the first record is in another file.")
            if link.agent_continues:
                text = tr(
                    "The parent of this record is not in the log. The agent continues with the record that is "
                    "closest in time."
                )
            text = link.text or text
            severity = Severity.INFO if link.first else None
            hit = RuleMatch(rule="G1", message=text, record=link.record, severity=severity, parent_missing=True)
            if not link.is_repairable:
                hit.strategies, hit.default = ("leave",), "leave"
            yield hit


@link_rule("G2", "parent-cycle", "relink circle")
def parent_cycle(context: ThreadContext) -> Hits:
    """The parent links of some records form a cycle.

    What it finds: a record on the agent's path whose parents lead back to it.
    Why it matters: Claude Code stops at this record and loses everything older. Neovate follows the cycle forever.
    Example:
      record 1 is the parent of record 2, and record 2 is the parent of record 1
    Repairs: relink (breaks the cycle at its first record).
    """
    for link in context.thread.damaged_links:
        if link.kind == LinkDamage.CYCLE:
            text = tr("The parent links of this record form a cycle, so no older records are loaded.")
            if link.agent_continues:
                text = tr(
                    "The parent links of this record form a cycle. The agent continues with the record that is "
                    "closest in time."
                )
            yield RuleMatch(rule="G2", message=text, record=link.record)


@rule(
    "G4",
    "repeated-record-id",
    RepairStage.RECORD_IDS,
    ("reid", "leave"),
    preconditions=("duplicates",),
    loses_records=True,
)
def repeated_record_id(context: ThreadContext) -> Hits:
    """Two records have the same id.

    What it finds: a record id that occurs again in a later record with different content.
    Why it matters: the agent keeps the later record and loses the earlier one. An exact copy of a record is only
    reported as info.
    Example:
      record p  "one"
      record p  "two"
    Repairs: reid (the later record gets a new id, and the records after it are linked to the new id).
    """
    if context.thread is not context.session.main_thread:
        return
    for earlier, later in context.session.duplicate_records:
        same = context.raw(earlier).strip() == context.raw(later).strip()
        text = (
            tr("An earlier record has the same id and the same content.")
            if same
            else tr("An earlier record has the same id.")
        )
        yield RuleMatch(rule="G4", message=text, record=later, severity=Severity.INFO if same else None)


@rule(
    "G8",
    "repeated-ordinal",
    RepairStage.COUNTS,
    ("reid ordinal", "leave"),
    preconditions=("uncounted",),
    loses_records=True,
    ends_pass=True,
)
def out_of_sequence_ordinal(context: ThreadContext) -> Hits:
    """The ordinal of a line is out of sequence.

    What it finds: in a paginated Codex rollout, an ordinal that is equal to or lower than the ordinal of the previous
    line, or a line without an ordinal. Versions 0.150 to 0.153 repeated the ordinal of the last line when they resumed
    a session. In a log of DeepSeek Harness, a sequence number that is not one more than the previous one.
    Why it matters: in the desktop app, the history permanently ends at this line, although the model still receives all
    of it. The error is "thread history projection expected ordinal 690, got 689". A rollout whose last line has no
    ordinal is not loaded. DeepSeek Harness removes this line and all later lines, or does not load the log if a turn
    ends after this line ("corrupt session log: seq gap in committed region").
    Example:
      {"ordinal":689,…}
      {"ordinal":689,…}
    Repairs: reid (renumbers this line and all later lines, continuing from the previous line; a line that repeats an
    earlier one is dropped).

    Sources: openai/codex #35746, #41079, #41566, #44609; deepseek-ai/deepseek-harness discussions #1497, #1586.
    """
    if context.thread is not context.session.main_thread:
        return
    for link in context.session.ordinal_breaks:
        yield RuleMatch(
            rule="G8",
            message=link.text,
            record=link.record,
            severity=Severity.WARNING if link.agent_continues else None,
        )


@rule(
    "G5",
    "stranded-result",
    RepairStage.PLACES,
    ("relink result", "answer", "leave"),
    preconditions=("open", "recovered"),
    in_request=True,
)
def result_off_path(context: ThreadContext) -> Hits:
    """A result is outside the active path.

    What it finds: a result that is not on the agent's path, although its parent is. Claude Code finds such records when
    it loads the log (they are reported once, as info). Neovate does not find them, and leaves the call without a
    result.
    Why it matters: the provider receives a call without a result although the log holds the result.
    Example:
      assistant  calls Read and Bash
      result     of Read, whose parent is the assistant's record
      result     of Bash, whose parent is the assistant's record, too
    Repairs: relink (puts the result on the path; nothing is lost), answer.
    """
    for tool in open_calls_of_kind(context, OpenCallKind.RESULT_OFF_PATH):
        name = tool_label(context, tool)
        yield context.match_open_call(
            "G5", tool, tr("The result of {name} is not on the path that the agent loads.", name=name)
        )
    if context.thread.recovered_records and context.thread is context.session.main_thread:
        count = len(context.thread.recovered_records)
        text = tr_plural(
            "{number:,} record of parallel calls is on a branch. The agent reads this record, but programs "
            "that follow only the main branch do not.",
            "{number:,} records of parallel calls are on a branch. The agent reads these records, but "
            "programs that follow only the main branch do not.",
            count,
        )
        yield RuleMatch(
            rule="G5",
            message=text,
            record=context.thread.recovered_records[0],
            severity=Severity.INFO,
            strategies=("leave",),
            default="leave",
        )


@rule(
    "G3",
    "left-behind",
    RepairStage.LINKS,
    ("relink turn", "leave"),
    preconditions=("aside",),
    loses_records=True,
    ends_pass=True,
)
def messages_off_path(context: ThreadContext) -> Hits:
    """Some messages are not loaded when the session is resumed.

    What it finds: messages outside the path that the agent loads. They are on branches that start at an earlier
    message, or on separate branches that start without a parent. People who go back in a conversation create such
    branches on purpose, so these are only reported as info. It is an error if a program linked its own turn ("Continue
    from where you left off.") to an older message instead of the newest one, and so detached the messages after it.
    Why it matters: the detached messages are still in the file, but neither the agent nor the model will see them
    again, and nothing indicates this.
    Example:
      message 1
      message 2, after 1
      message 3, after 2
      "Continue from where you left off.", after 1
    Repairs: relink (links the turn to the newest message before it; nothing is lost), leave.
    """
    if context.thread is not context.session.main_thread or not context.format.link_keys.parent:
        return
    left = abandoned_branches(context)
    for branch in left:
        if branch.detached_child >= 0:
            text = tr_plural(
                "This turn follows an older message instead of the newest one, so {number:,} message before this "
                "turn is not loaded on resume.",
                "This turn follows an older message instead of the newest one, so {number:,} messages before "
                "this turn are not loaded on resume.",
                branch.messages,
            )
            yield RuleMatch(rule="G3", message=text, record=branch.detached_child)
    others = [branch for branch in left if branch.detached_child < 0]
    if others:
        count = sum(branch.messages for branch in others)
        roots = sum(branch.has_no_parent for branch in others)
        branches: str = tr_plural("{number:,} branch", "{number:,} branches", len(others))
        if roots:
            branches = tr("{branches} ({roots} without a parent)", branches=branches, roots=roots)
        text = tr_plural(
            "{number:,} message in {branches} is not on the active path, so it is not loaded on resume.",
            "{number:,} messages in {branches} are not on the active path, so they are not loaded on resume.",
            count,
            branches=branches,
        )
        yield RuleMatch(
            rule="G3",
            message=text,
            record=others[0].first,
            severity=Severity.INFO,
            strategies=("leave",),
            default="leave",
        )


@rule("G6", "several-sessions", None, ("leave",), preconditions=("several",))
def several_sessions(context: ThreadContext) -> Hits:
    """One file contains several session ids.

    What it finds: records with different session ids in one file. Older versions of the agent copied a history when
    they resumed it.
    Why it matters: this is harmless by itself, because the parents determine which records belong together.
    Example:
      sessionId "a"
      sessionId "b"
    Repairs: none needed; the chain of parents is followed across session ids.
    """
    if context.session.other_session_ids and context.thread is context.session.main_thread:
        text = tr(
            "The records in this file have {number} different session ids.",
            number=len(context.session.other_session_ids) + 1,
        )
        yield RuleMatch(rule="G6", message=text, record=0, severity=Severity.INFO)


@rule("G7", "dangling-stitch", RepairStage.LINKS, ("relink compaction", "leave"), preconditions=("compacted",))
def compaction_with_missing_reference(context: ThreadContext) -> Hits:
    """A compaction refers to a missing record.

    What it finds: a compaction whose pointer to the message before it (`logicalParentUuid`) names a record that is not
    in the log.
    Why it matters: the session can be resumed, because the summary replaces what came before it. But the agent cannot
    show the conversation before the compaction, and some versions stop with an error. The pointer may also name a
    record in another file.
    Example:
      compact_boundary with logicalParentUuid "x", and no record "x"
    Repairs: relink (points to the record before the compaction), leave.
    """
    if context.thread is not context.session.main_thread:
        return
    for record in dangling_compaction_links(context):
        text = tr("The compaction refers to an earlier record that is not in the log.")
        yield RuleMatch(rule="G7", message=text, record=record, severity=Severity.INFO)
