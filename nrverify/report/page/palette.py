"""The colours of a page, light and dark; every text colour reads on every surface it is used on (WCAG AA)."""

from __future__ import annotations

LIGHT = {
    "paper": "#fbfaf7",
    "card": "#ffffff",
    "sunken": "#f4f2ec",
    "ink": "#1d1c1a",
    "soft": "#5c5952",
    "line": "#dedad0",
    "edge": "#857f72",
    "link": "#174f8f",
    "focus": "#0a63c9",
    "good": "#17663a",
    "good-tint": "#e2f1e7",
    "hypothesis": "#0b5f6e",
    "hypothesis-tint": "#dcf0f3",
    "warn": "#7a4b00",
    "warn-tint": "#faebc9",
    "bad": "#a51d17",
    "bad-tint": "#fce5e2",
    "slip": "#61419a",
    "slip-tint": "#eee8f8",
    "gap": "#2c5294",
    "gap-tint": "#e3ebf7",
    "mute": "#56595f",
    "mute-tint": "#ebebea",
}

DARK = {
    "paper": "#15171b",
    "card": "#1c1f24",
    "sunken": "#22262c",
    "ink": "#e7e5e0",
    "soft": "#a9abb0",
    "line": "#343a43",
    "edge": "#79808c",
    "link": "#8fbdf5",
    "focus": "#7ab5ff",
    "good": "#82d49d",
    "good-tint": "#183626",
    "hypothesis": "#7bd0de",
    "hypothesis-tint": "#12343c",
    "warn": "#efc26a",
    "warn-tint": "#3a2d10",
    "bad": "#ff9d93",
    "bad-tint": "#471e1b",
    "slip": "#c6aef4",
    "slip-tint": "#302748",
    "gap": "#a0c0f4",
    "gap-tint": "#202f4a",
    "mute": "#adb1b8",
    "mute-tint": "#2c3036",
}

SURFACES = ("paper", "card", "sunken")

TEXTS = ("ink", "soft", "link", "good", "hypothesis", "warn", "bad", "slip", "gap", "mute")
"""Each is used for words on every surface."""

TONES = ("good", "hypothesis", "warn", "bad", "slip", "gap", "mute")
"""Each is used for words on its own tint."""

OUTLINES = ("edge", "focus")
"""Borders of controls and the mark of the focus: 3 to 1 against every surface."""


def palette_css() -> str:
    """Both palettes as custom properties: by the reader's system or choice on a screen, light on paper."""
    light, dark = _properties(LIGHT), _properties(DARK)
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{color-scheme:dark;{dark}}}}}\n"
    )


def _properties(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())
