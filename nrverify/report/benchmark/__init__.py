"""The benchmark as text and Markdown."""
