"""The ledger as text, Markdown, JSON and a page."""
