"""Third parties judge: other people's programs over histories and repaired logs (`python -m tests.interop.third_party`)."""
