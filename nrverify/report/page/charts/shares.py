"""A strip: shares of a whole, side by side, as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

WIDTH = 1000.0
"""In units of the drawing, which the page stretches: fine enough for a share of a thousandth."""
GAP = 4.0
"""Between bars: just visible, and small against a share."""


def strip(shares: Sequence[tuple[str, int, str]], title: str) -> Markup:
    """One bar per (name, count, tone), as wide as its share; the words are in its title and its description."""
    whole = sum(count for _, count, _ in shares)
    if not whole:
        return Markup()
    room = WIDTH - GAP * (len(shares) - 1)
    at = 0.0
    bars = []
    for name, count, tone in shares:
        width = room * count / whole
        bars.append(
            Markup(
                '<rect class="fill-{}" x="{:.2f}" y="0" width="{:.2f}" height="10"><title>{}: {}</title></rect>'
            ).format(tone, at, width, name, count)
        )
        at += width + GAP
    words = ", ".join(f"{count} {name}" for name, count, _ in shares)
    return Markup(
        '<svg class="strip" viewBox="0 0 {:g} 10" preserveAspectRatio="none" role="img" aria-label="{}: {}">{}</svg>'
    ).format(WIDTH, title, words, Markup("").join(bars))
