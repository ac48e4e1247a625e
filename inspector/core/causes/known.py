"""The known causes: CAUSES is the table, of each agent the more particular before the more general."""

from inspector.core.causes import agents, claude_code, programs
from inspector.core.causes.cause import Cause

CAUSES: tuple[Cause, ...] = (*claude_code.CAUSES, *agents.CAUSES, *programs.CAUSES)
