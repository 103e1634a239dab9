"""What checks of integer noise know: laws of what samplers get wrong, events, paths that come again."""
