"""What a format is, the terms in which it is asked and answers, and the bases from which several formats start."""
