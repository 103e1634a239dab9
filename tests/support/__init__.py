"""What several test modules share: test modules do not import one another."""
