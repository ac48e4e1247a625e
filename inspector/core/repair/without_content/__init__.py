"""A plan without content: what is chosen for which finding, and which records that edits, told by numbers and hashes.

It is made where the log is judged, and applied where the log lies: there the very same choices are planned anew on the
log as it is, so that the plan holds nothing that a log says, and no byte changes that the local plan does not name.
"""
