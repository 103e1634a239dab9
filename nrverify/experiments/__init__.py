"""The statistic evidence: what the reference mechanisms do, against the theorems and the exact laws (a suite).

Every test here is valid at its sample size, and the levels of all of them sum to the run's error probability. What a
test has not refuted is not proved: findings say `supports`, except where a printed form is the one rejected.
"""
