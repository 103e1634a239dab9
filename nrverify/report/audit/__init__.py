"""An audit as text, JUnit, SARIF, annotations and a page."""
