"""Laws of one's own: how they are found, what is derived from their interface, and the row they become in the table."""
