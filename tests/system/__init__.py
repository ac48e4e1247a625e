"""Tests of the whole program: installed from its wheel, over real logs, and compared with itself."""
