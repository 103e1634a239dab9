"""The mechanisms as the paper runs them: bridge recursion, Poisson arrivals, noise drawn and compared.

Nothing here imports the closed forms in `nrverify.laws`: who is checked shares nothing with who checks.
"""
