"""Which faulty recursion explains the second moments of the noise, and where it is seen."""
