"""Certificates that the laws in code are what they say, against exact integrals and enclosures."""
