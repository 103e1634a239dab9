"""The calibration as text, Markdown, JSON and a page."""
