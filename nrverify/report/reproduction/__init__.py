"""The reproduction as text, Markdown and a page."""
