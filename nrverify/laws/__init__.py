"""The exact laws of noise reduction: processes, boundaries, crossing probabilities and the threshold mechanisms."""
