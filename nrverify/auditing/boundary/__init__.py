"""The audit of a privacy boundary, by calculation."""
