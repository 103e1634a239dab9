"""How a page is put together: one file that fetches nothing and runs no script but its own."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from nrverify.report.page.palette import palette_css


def render(template: str, *, scripts: tuple[str, ...] = (), **words: Any) -> str:
    """The page; whatever is not `Markup` is escaped."""
    environment = Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style = palette_css() + _source("page.css")
    script = "\n".join(_source(name) for name in ("page.js", *scripts))
    return environment.get_template(template).render(
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
        version=version("nrverify"),
        **words,
    )


def _source(name: str) -> str:
    return files("nrverify.report.page").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """The page's own law: no connection, no frame, no form, this style, this script, plots in the file only.

    Untrusted text is escaped; should one slip through all the same, the browser does not run it.
    """
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src '{_digest(style)}'",
            f"script-src '{_digest(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
