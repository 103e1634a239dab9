"""Subjects: ways to reach an implementation under audit."""
