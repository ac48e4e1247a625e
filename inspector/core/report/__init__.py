"""Reports as text, JSON and pages, and the reports to share."""
