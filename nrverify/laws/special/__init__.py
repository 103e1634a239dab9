"""Special functions behind the laws, accurate in relative terms."""
