"""What a budget can detect, known before anything is sampled."""
