"""Analysis of one thread for the rules: calls paired with results, and what is wrong with each pair."""
