"""Attacks on the last bits of released numbers: features of floating-point arithmetic, bets on labels, evidence."""
