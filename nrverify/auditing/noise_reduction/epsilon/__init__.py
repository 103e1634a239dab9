"""The privacy claim of a subject that is asked for an ε."""
