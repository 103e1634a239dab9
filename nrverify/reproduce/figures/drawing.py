"""Figures as SVG, PDF and PNG: the same bytes for the same figure; 6.75 inches wide, letters of 8 points, for print."""

from __future__ import annotations

import io
from typing import Any, Literal

from nrverify.reproduce.figures.panels import draw
from nrverify.reproduce.result import Figure, Panel

Kind = Literal["svg", "pdf", "png"]
WIDTH = 6.75
"""Inches: the text width of a conference page with two columns."""
SETTINGS: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "svg.hashsalt": "nrverify",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}
"""Letters of 8 points are readable at that width; fixed settings, ids and fonts make the same bytes everywhere."""
# Without these a file would say when and by which version it was made, and differ for no reason.
_METADATA: dict[Kind, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


def render(figure: Figure, *kinds: Kind) -> dict[Kind, bytes]:
    """The figure as the bytes of a file of each kind, with what the data are in its heading."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    heights = [max(_height(panel) for panel in row) for row in figure.panels]
    files: dict[Kind, bytes] = {}
    with rc_context(SETTINGS):
        canvas = Canvas(figsize=(WIDTH, sum(heights) + 0.5), layout="constrained")
        canvas.suptitle(f"{figure.title}\n{figure.data}", fontsize=9, linespacing=1.4)
        grid = canvas.subfigures(len(figure.panels), 1, height_ratios=heights, squeeze=False)
        for row, holder in zip(figure.panels, grid[:, 0], strict=True):
            shared = bool(row[0].distributions or row[0].estimates)
            axes = holder.subplots(1, len(row), squeeze=False, sharey=shared)[0]
            for panel, place in zip(row, axes, strict=True):
                draw(place, panel)
            if row[0].legend:
                names = axes[0].get_legend_handles_labels()
                holder.legend(*names, loc="outside lower center", ncols=len(names[0]), handlelength=3)
        # Laid out once: the layout takes longer than the writing, and must not depend on what was written before.
        canvas.draw_without_rendering()
        canvas.set_layout_engine("none")
        for kind in kinds:
            content = io.BytesIO()
            canvas.savefig(
                content, format=kind, dpi=200, metadata={**_METADATA[kind], "Title": f"{figure.title}. {figure.data}"}
            )
            files[kind] = content.getvalue()
    return files


def _height(panel: Panel) -> float:
    if panel.estimates:
        return 1.1 + 0.31 * len({estimate.row for estimate in panel.estimates})
    return 2.3 if panel.distributions else 2.6
