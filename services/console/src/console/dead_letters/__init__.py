"""Dead letters: looked at, chosen, put back."""
