"""Subjects in any language, run as a process that speaks JSON lines."""
