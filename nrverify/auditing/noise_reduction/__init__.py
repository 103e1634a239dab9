"""The audit of a mechanism that releases a value with less and less noise."""
