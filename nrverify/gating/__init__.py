"""An audit as tests: the declaration, its pytest items and the plugin."""
