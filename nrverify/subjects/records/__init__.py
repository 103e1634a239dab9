"""Files of transcripts or runs recorded elsewhere."""
