"""What every audit is made of: checks, results, settings, portfolios of bets, scores and plots."""
