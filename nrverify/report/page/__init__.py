"""The page: one self-contained HTML file for a run."""
