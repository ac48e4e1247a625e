"""A text that a person pastes: what it means, which session it is about, and which record of it.

`provider_errors` takes the text apart; `numbering` finds a provider's message in a log; `locating` looks in one judged
log; `seeking` looks through the stores of this machine; `bodies` knows a pasted request; `answering` puts them together
for the command line and the window. A pasted text is only ever compared; nothing in it is executed or followed.
"""
