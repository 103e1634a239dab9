"""Requests and answers of an audit, recorded and played back."""
