"""Other people's programs judge histories and repaired logs (`python -m tests.interop.third_party`)."""
