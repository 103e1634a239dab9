"""Arguments of the laws, checked once and refused with the value and the remedy."""
