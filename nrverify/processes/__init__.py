"""Processes that a command starts: they end with it, however it ends."""
