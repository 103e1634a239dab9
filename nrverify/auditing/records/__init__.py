"""The audit of transcripts and runs that were recorded elsewhere."""
