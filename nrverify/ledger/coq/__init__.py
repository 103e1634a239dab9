"""Evidence that Coq's kernel checks: theorems in `.v` files, tied to the formulas and the numbers of the project."""
