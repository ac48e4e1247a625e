"""Why a session is broken: known bugs of agents, by what they leave in a log, and what to tell the person."""
