"""What takes more than one step: saving, restoring, trimming, converting, mending, pasting."""
