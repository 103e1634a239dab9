"""Evidence for the second ledger: what holds beyond the paper."""
