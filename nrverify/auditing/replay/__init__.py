"""Recording an audit, and recomputing its verdict without the subject."""
