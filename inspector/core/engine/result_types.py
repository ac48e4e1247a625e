"""The types of the answers of the engine, for annotations in its callers. Importing it imports every part."""

from inspector.core.check.check import Report, SessionReport
from inspector.core.convert.convert import Conversion
from inspector.core.error_lookup.lookup import ErrorLookup
from inspector.core.repair.choices import ResultOffers
from inspector.core.repair.plan import Plan
from inspector.core.trim.trim import Trimmed

__all__ = ["Conversion", "ErrorLookup", "Plan", "Report", "ResultOffers", "SessionReport", "Trimmed"]
