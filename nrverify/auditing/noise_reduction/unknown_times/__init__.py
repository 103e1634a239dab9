"""The checks of a subject that is asked for an ε and does not say which time it uses."""
