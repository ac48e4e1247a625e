"""Find out why an agent does not find or open a session, and which command opens it, without writing anything.

`machine` asks the stores of the agents on this machine; `mentions` finds the sessions that a pasted text names;
`listing` examines all sessions of a store; `report` shows what was found.
"""
