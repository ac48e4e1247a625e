"""What the engine answers with, by name: for the annotations of who asks. Importing it imports every part."""

from inspector.core.check.check import Report
from inspector.core.convert.convert import Conversion
from inspector.core.error_lookup.lookup import ErrorLookup
from inspector.core.repair.choices import ResultOffers
from inspector.core.repair.plan import Plan
from inspector.core.save.save import Converted, Written
from inspector.core.trim.trim import Trimmed

__all__ = ["Conversion", "Converted", "ErrorLookup", "Plan", "Report", "ResultOffers", "Trimmed", "Written"]
