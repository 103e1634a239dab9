"""Every colour a page uses for words reads on every surface it is used on: WCAG 2.1, level AA."""

import pytest

from nrverify.report.page.palette import DARK, LIGHT, OUTLINES, SURFACES, TEXTS, TONES


def luminance(colour):
    """Relative luminance of an sRGB colour, as WCAG defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_black_on_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_words_read_on_every_surface(palette):
    pairs = [(text, surface) for text in TEXTS for surface in SURFACES]
    pairs += [(tone, f"{tone}-tint") for tone in TONES]
    pairs += [("card", tone) for tone in TONES]
    low = {pair: contrast(palette[pair[0]], palette[pair[1]]) for pair in pairs}
    assert {pair: ratio for pair, ratio in low.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_controls_and_the_focus_stand_out(palette):
    low = {(line, s): contrast(palette[line], palette[s]) for line in OUTLINES for s in SURFACES}
    assert {pair: ratio for pair, ratio in low.items() if ratio < 3} == {}
