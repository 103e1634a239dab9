"""Vectors: certified test vectors for implementers in any language."""
