"""The deliberate faults, by the way of a log through the program: FAULTS is the table.

A row whose text is no longer there fails `test_table.py`: put in the text that does its work now, or take out the row
with a word in the commit on what became of the danger.
"""

from tests.mutations.judging import JUDGING
from tests.mutations.reading import READING
from tests.mutations.repairing import REPAIRING
from tests.mutations.saving import SAVING
from tests.mutations.showing import SHOWING
from tests.mutations.telling import TELLING

FAULTS = (*READING, *JUDGING, *REPAIRING, *SAVING, *SHOWING, *TELLING)
