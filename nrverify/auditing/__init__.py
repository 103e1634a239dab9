"""The audit of an implementation: what is asked of a subject, and what its answers exclude."""
