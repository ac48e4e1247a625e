"""Look up a pasted error or request: what it means, and which session and record it is about.

`locate` searches one judged log; `store_search` finds the logs of this machine that contain given texts;
`request_bodies` recognises a pasted request; `lookup` combines them for the command line and the window; `report` shows
the outcome. A pasted text is only ever compared; nothing in it is executed or followed.
"""
