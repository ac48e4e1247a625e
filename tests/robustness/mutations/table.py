"""The deliberate faults, by the way of a log through the program: FAULTS is the table.

A row whose text is no longer there fails `test_table.py`: put in the text that does its work now, or take out the row
with a word in the commit on what became of the danger.
"""

from tests.robustness.mutations.judging import JUDGING
from tests.robustness.mutations.reading import READING
from tests.robustness.mutations.repairing import REPAIRING
from tests.robustness.mutations.saving import SAVING
from tests.robustness.mutations.showing import SHOWING
from tests.robustness.mutations.telling import TELLING

FAULTS = (*READING, *JUDGING, *REPAIRING, *SAVING, *SHOWING, *TELLING)
