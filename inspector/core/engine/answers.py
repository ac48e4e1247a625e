"""What the engine answers with, by name: for the annotations of who asks. Importing it imports every part."""

from inspector.core.convert.converting import Conversion
from inspector.core.judging.check import Report
from inspector.core.pasted.answering import ErrorLookup
from inspector.core.repair.offers import ResultOffers
from inspector.core.repair.plan import Plan
from inspector.core.save.converted import Converted
from inspector.core.save.save import Written
from inspector.core.trim.trimming import Trimmed

__all__ = ["Conversion", "Converted", "ErrorLookup", "Plan", "Report", "ResultOffers", "Trimmed", "Written"]
