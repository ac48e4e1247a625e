"""What an agent sends when it resumes a log: the terms in which a format says it.

A request is told by the blocks of the log that are in it, so that nothing needs to be parsed to know what an agent
keeps, drops and answers; `inspector.core.resume_request` spells it as JSON and compares it with the log.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from inspector.core.model.columns import Columns, Role

_SENT_ROLES = (Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM)
_WIRES_WITH_RESULT_MESSAGES = frozenset(
    {"openai-chat", "openai-responses"}
)  # wires in which every result is a message of its own


class RequestBlock(Struct, frozen=True, gc=False):
    """One block of a request: block `row` of the log; with `answer` the agent's own result for the call in `row`.

    `told`: what stands in the log as this block goes out as text. `id`: the id under which the agent sends it, where
    that is not its own. `again`: one more copy of a result that the message holds already, which the agent sends of
    sound logs, too; whether its provider minds is not known, so that it is not judged.
    """

    row: int
    answer: str = ""
    stored_form: str = ""
    id: str = ""
    is_repeat: bool = False


class RequestMessage(Struct, gc=False):
    """One message of a request, as the agent joins them. One without a block holds only `words` of the agent's own.

    `between` stands between its texts where the wire takes a single one.
    """

    role: int
    blocks: list[RequestBlock]
    own_text: str = ""
    separator: str = "\n"


class ResumeRequest(Struct):
    """What an agent sends on resume, what it injects anew left out.

    `wire` is the API that it speaks: anthropic, bedrock-converse, gemini, openai-chat or openai-responses.
    `as_stored`: a block that looks like one of the wire's own goes out as it is; else the log's shapes are the
    agent's. `writes` says what the agent writes into the log by itself on resume, "" when it leaves the file alone.
    `stops` says why the agent sends nothing at all, "" when it does. `lost` are things of the log that no block tells
    of; where there is no message, why the agent begins with none. `opens`: the agent puts a message of the user's
    before all others, so that the history may begin with the assistant. `sends_reasoning`: reasoning goes out as
    well, of which no block tells. `again` is what it sends once a provider has refused this one for its structure.
    """

    wire: str
    messages: list[RequestMessage]
    file_changes: str = ""
    stop_reason: str = ""
    lost: tuple[str, ...] = ()
    begins_with_user: bool = False
    as_stored: bool = True
    sends_reasoning: bool = False
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
        """The agent's own results."""
        return [block for message in self.messages for block in message.blocks if block.answer]


def messages_from_records(columns: Columns, records: Iterable[int]) -> list[RequestMessage]:
    """The records that say something, each a message of its own."""
    return [
        RequestMessage(columns.roles[record], [RequestBlock(row) for row in columns.block_rows(record)])
        for record in records
        if columns.roles[record] in _SENT_ROLES
    ]


def merge_same_role(messages: Iterable[RequestMessage]) -> list[RequestMessage]:
    """Neighbours of one role as one message; results are the user's."""
    found: list[RequestMessage] = []
    for message in messages:
        role = Role.USER if message.role == Role.TOOL else message.role
        if found and found[-1].role == role:
            found[-1].blocks = [*found[-1].blocks, *message.blocks]
        else:
            found.append(RequestMessage(role, message.blocks))
    return found


def records_by_message(request: ResumeRequest, columns: Columns) -> list[list[int]]:
    """The records that each message is made of, by the provider's number from 0."""
    found: list[list[int]] = []
    for message in request.messages:
        records = [columns.record_of_block(block.row) for block in message.blocks]
        if message.role == Role.TOOL and request.wire in _WIRES_WITH_RESULT_MESSAGES:
            found += [[record] for record in records]
        else:
            found.append(list(dict.fromkeys(records)))
    return found
