"""Reports: each a fold over the same results."""
