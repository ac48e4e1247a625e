"""Reports as text, JSON and pages, and reports to share with others."""
