"""Right subjects, cut into the pieces that mutants get wrong: each mutant changes one of them."""
