"""Subjects written in Python, run in a worker process."""
