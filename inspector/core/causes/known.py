"""The known causes: CAUSES is the table, of each agent the more particular before the more general."""

from inspector.core.causes import agents, claude_code, programs
from inspector.core.causes.cause import KnownCause

KNOWN_CAUSES: tuple[KnownCause, ...] = (
    *claude_code.CLAUDE_CODE_CAUSES,
    *agents.OTHER_AGENT_CAUSES,
    *programs.PROGRAM_CAUSES,
)
