"""Write a planned repair: never the original unasked, never half a file, never unchecked."""
