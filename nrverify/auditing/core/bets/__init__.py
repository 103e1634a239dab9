"""Portfolios of bets: what they are about, the alternatives that they bet on, and the checks that hold them."""
