"""What people pasted into public reports: the errors of providers and agents, in the shape in which they met them."""

from tests.core.error_lookup.quotations import anthropic, openai, others
from tests.core.error_lookup.quotations.quotation import Quotation

QUOTATIONS: tuple[Quotation, ...] = (*anthropic.QUOTATIONS, *openai.QUOTATIONS, *others.QUOTATIONS)
