"""A law of one's own tested against itself, before anything is judged by it."""
