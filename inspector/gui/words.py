"""The plain words of the window for the core's names. Codes stay in tooltips."""

from PySide6.QtCore import QCoreApplication

from inspector.core.finding import Severity
from inspector.core.outline import PairMark
from inspector.core.views import BlockKind


def tr(text: str) -> str:
    """Translate a text of the window."""
    return QCoreApplication.translate("inspector", text)


SEVERITY = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
SEVERITY_TITLE = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.INFO: "Notes"}

VERDICT = {
    "broken": "Broken",
    "unexplained": "Unexplained",
    "waiting": "Waiting",
    "healthy": "Healthy",
    "not-judged": "Not judged",
    "unreadable": "Unreadable",
    "open-end": "Running or interrupted",
    "": "Not checked yet",
}
VERDICT_ICON = {
    "broken": "error",
    "unexplained": "question",
    "waiting": "pending",
    "healthy": "ok",
    "not-judged": "question",
    "unreadable": "error",
    "open-end": "pending",
    "": "skipped",
}

BLOCK = {
    BlockKind.OTHER: "other",
    BlockKind.TEXT: "text",
    BlockKind.THINKING: "thinking",
    BlockKind.CALL: "call",
    BlockKind.RESULT: "result",
    BlockKind.SERVER_CALL: "server call",
    BlockKind.SERVER_RESULT: "server result",
    BlockKind.MEDIA: "media",
    BlockKind.TOLD_RESULT: "result",
}

# {0} is the number of the counterpart.
PAIR = {
    PairMark.NONE: "",
    PairMark.ANSWERED: "answered → #{0}",
    PairMark.ANSWERS: "answers → #{0}",
    PairMark.UNANSWERED: "no result",
    PairMark.ORPHAN: "orphan",
    PairMark.PENDING: "pending",
    PairMark.DUPLICATE: "duplicate → #{0}",
}

STRATEGY = {
    "leave": "Leave as it is",
    "answer": "Add a placeholder result",
    "move": "Move the result to its call",
    "merge": "Join what belongs together",
    "drop-call": "Remove the call alone",
    "drop-exchange": "Remove the whole exchange",
    "drop": "Remove it",
    "keep-as-note": "Keep its text as a note",
    "keep-first": "Keep the first",
    "keep-last": "Keep the last",
    "rename": "Give it a new id",
    "match": "Match it with the open call",
    "reid": "Give the record a new id",
    "relink": "Link it to its parent",
    "cut-tail": "Cut back to the last whole exchange",
    "normalise": "Correct the field",
    "prepend-user": "Put a user message first",
    "strip-reasoning": "Remove the reasoning",
    "replace-media": "Replace the media by a text",
    "invent-call": "Add the missing call",
    "quarantine": "Set the damaged line aside",
    "salvage": "Save what can be read",
}

CHANGE = {
    "added": "added",
    "removed": "removed",
    "moved": "moved",
    "changed": "changed",
    "kept": "kept",
    "skipped": "unchanged",
    "rejected": "rejected",
}

PROFILE = {
    "anthropic": "Anthropic",
    "bedrock-converse": "Bedrock",
    "gemini": "Gemini",
    "openai-chat": "OpenAI Chat",
    "openai-responses": "OpenAI Responses",
}

RESUME = {
    "as-is": "loads the session as it is",
    "mends": "mends the session in memory when it resumes",
    "refuses": "refuses to resume the session",
    "unknown": "may or may not resume: its behaviour is not known",
}


def strategy(name: str) -> str:
    return tr(STRATEGY.get(name, name))


def profile(name: str) -> str:
    return PROFILE.get(name, name)


def rule_title(slug: str, rule: str) -> str:
    """A rule's name in plain words: its slug, "unanswered-call" as "Unanswered call"."""
    words = slug.replace("-", " ").strip()
    return words[:1].upper() + words[1:] if words else rule


def counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
