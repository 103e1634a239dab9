"""A page of the handbook as a Jupyter notebook: its blocks of Python are cells of code, its text the others."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r"^```python\n(.*?)^```$\n?", re.MULTILINE | re.DOTALL)


def notebook_of(page: str) -> str:
    """The notebook, as JSON; the same page gives the same text."""
    cells: list[dict[str, Any]] = []
    for index, part in enumerate(_BLOCK.split(page)):
        if part.strip():
            cells.append(_cell(part.strip("\n"), code=index % 2 == 1, id=f"cell-{len(cells)}"))
    document = {
        "cells": cells,
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _cell(source: str, *, code: bool, id: str) -> dict[str, Any]:
    lines = source.splitlines(keepends=True)
    if code:
        return {"cell_type": "code", "execution_count": None, "id": id, "metadata": {}, "outputs": [], "source": lines}
    return {"cell_type": "markdown", "id": id, "metadata": {}, "source": lines}


if __name__ == "__main__":
    page, notebook = sys.argv[1:]
    Path(notebook).write_text(notebook_of(Path(page).read_text("utf-8")), "utf-8")
