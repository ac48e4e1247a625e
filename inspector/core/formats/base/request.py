"""The request that an agent sends when it resumes a log.

A request is described by the blocks of the log that are in it, so that nothing needs to be parsed to know what an agent
keeps, drops and answers. `inspector.core.resume_request` writes it as JSON and compares it with the log.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from inspector.core.model.columnar_index import Columns, Role

RUNS_FIRST = "[The tool runs first, and this is its result.]"
"""The answer to a call whose tool runs before anything is sent. It stands for what the tool will return."""
_SENT_ROLES = (Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM)
# Wires in which every result is a message of its own.
_WIRES_WITH_RESULT_MESSAGES = frozenset({"openai-chat", "openai-responses"})


class RequestBlock(Struct, frozen=True, gc=False):
    """One block of a request: block `row` of the log, or with `answer` the agent's own result for the call in `row`.

    `stored_form` is the text that the block goes out as, in the form that the log holds. `id` is the id under which the
    agent sends it, where that is not its own. `is_repeat` marks one more copy of a result that the message already
    holds, which the agent sends of sound logs, too. Whether its provider accepts that is not known, so it is not
    judged. `note` is a line that the agent adds to the text of a result.
    """

    row: int
    answer: str = ""
    stored_form: str = ""
    id: str = ""
    is_repeat: bool = False
    note: str = ""


class RequestMessage(Struct, gc=False):
    """One message of a request, as the agent joins them.

    A message without a block holds only `own_text`, which the agent adds. `separator` joins its texts where the wire
    takes a single one.
    """

    role: int
    blocks: list[RequestBlock]
    own_text: str = ""
    separator: str = "\n"


class ResumeRequest(Struct):
    """The request that an agent sends on resume, without what it injects on every start.

    `wire` is the API that it speaks: anthropic, bedrock-converse, gemini, openai-chat or openai-responses.
    `file_changes` says what the agent writes into the log by itself on resume, "" when it leaves the file alone.
    `stop_reason` says why the agent sends nothing at all, "" when it sends something. `lost` lists things of the log
    that are in no block; where there is no message, it says why the agent starts with none. `begins_with_user`: the
    agent puts a user message before all others, so that the history may begin with the assistant. `as_stored`: a block
    that looks like one of the wire's own goes out as it is; else the log's shapes are the agent's. `sends_reasoning`:
    reasoning goes out as well, although no block represents it. `replaces_surrogates`: a lone surrogate goes out as
    U+FFFD. `corrected` are the rules for calls whose violations it corrects: K6 (an input that is not an object) and K7
    (an illegal name). `retry` is what it sends after a provider refused this request for its structure.
    """

    wire: str
    messages: list[RequestMessage]
    file_changes: str = ""
    stop_reason: str = ""
    lost: tuple[str, ...] = ()
    begins_with_user: bool = False
    as_stored: bool = True
    sends_reasoning: bool = False
    replaces_surrogates: bool = False
    corrected: frozenset[str] = frozenset()
    retry: ResumeRequest | None = None

    @property
    def rows(self) -> set[int]:
        """The blocks of the log that are sent as they are."""
        return {block.row for message in self.messages for block in message.blocks if not block.answer}

    @property
    def rows_as_text(self) -> set[int]:
        """The blocks of the log that go out as text."""
        return {block.row for message in self.messages for block in message.blocks if block.stored_form}

    @property
    def placeholder_results(self) -> list[RequestBlock]:
        """The results that the agent makes up itself."""
        answers = (block for message in self.messages for block in message.blocks if block.answer)
        return [block for block in answers if block.answer != RUNS_FIRST]


def messages_from_records(columns: Columns, records: Iterable[int]) -> list[RequestMessage]:
    """Turn each record of a role that is sent into a message of its own."""
    return [
        RequestMessage(columns.roles[record], [RequestBlock(row) for row in columns.block_rows(record)])
        for record in records
        if columns.roles[record] in _SENT_ROLES
    ]


def merge_same_role(messages: Iterable[RequestMessage]) -> list[RequestMessage]:
    """Merge neighbouring messages of one role. A result counts as a message of the user."""
    merged: list[RequestMessage] = []
    for message in messages:
        role = Role.USER if message.role == Role.TOOL else message.role
        if merged and merged[-1].role == role:
            merged[-1].blocks = [*merged[-1].blocks, *message.blocks]
        else:
            merged.append(RequestMessage(role, message.blocks))
    return merged


def records_by_message(request: ResumeRequest, columns: Columns) -> list[list[int]]:
    """Return the records of each message, in the provider's order of messages from 0."""
    groups: list[list[int]] = []
    for message in request.messages:
        records = [columns.record_of_block(block.row) for block in message.blocks]
        if message.role == Role.TOOL and request.wire in _WIRES_WITH_RESULT_MESSAGES:
            groups += [[record] for record in records]
        else:
            groups.append(list(dict.fromkeys(records)))
    return groups
