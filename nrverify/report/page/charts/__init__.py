"""The charts of a page, as SVG."""
