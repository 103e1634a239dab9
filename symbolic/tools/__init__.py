"""What derivations and certificates share."""
