"""The handbook for MkDocs: files of the repository as pages, pages made from the code, and links between them.

Links in the files are those of the repository, so that they work where it is browsed. Here a link to a file that is a
page leads to the page, and one to any other file to the repository's address in pyproject.toml.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from nrverify.report.handbook.checks import checks_page
from nrverify.report.handbook.mistakes import mistakes_page
from nrverify.report.handbook.reference import reference_page
from nrverify.report.handbook.triage import triage_page

ROOT = Path(__file__).parents[1]

PAGES = {
    "index.md": "README.md",
    "tutorial.md": "docs/TUTORIAL.md",
    "adapter.md": "docs/ADAPTER.md",
    "any.md": "docs/ANY.md",
    "laws.md": "docs/LAWS.md",
    "numerics.md": "docs/NUMERICS.md",
    "ci.md": "docs/CI.md",
    "report.md": "docs/REPORT.md",
    "commands.md": "docs/COMMANDS.md",
    "gallery.md": "reports/gallery.md",
    "limits.md": "docs/LIMITS.md",
    "protocol.md": "nrverify/subjects/PROTOCOL.md",
    "records.md": "nrverify/subjects/RECORDS.md",
    "glossary.md": "nrverify/GLOSSARY.md",
    "errata.md": "docs/ERRATA.md",
    "ledger.md": "reports/ledger.md",
    "kernel.md": "docs/KERNEL.md",
    "methods.md": "docs/METHODS.md",
    "kill_matrix.md": "reports/kill_matrix.md",
    "reproduction.md": "reports/reproduction.md",
    "benchmarks.md": "reports/benchmarks.md",
    "architecture.md": "docs/ARCHITECTURE.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "release.md": "docs/RELEASE-0.2.0.md",
    "security.md": "SECURITY.md",
}
"""Each page, and the file of the repository that it shows."""
GENERATED: dict[str, Callable[[], str]] = {
    "checks.md": checks_page,
    "triage.md": triage_page,
    "mistakes.md": mistakes_page,
    "reference.md": reference_page,
}
"""Each page that is made from the code; its links are written as if it lay in docs/."""
SOURCES = {**PAGES, **{page: f"docs/{page}" for page in GENERATED}}
"""Where a page lies in the repository, or would lie."""
PAGE_OF = {source: page for page, source in SOURCES.items()}
COPIED = (".png", ".svg", ".ipynb")
"""Files that are copied beside the pages when one links to them."""

FENCED = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(\]\()(?!https?://|mailto:|#)([^)#\s]+)(#[^)\s]*)?(\))")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The repository's address is that of pyproject.toml."""
    config["repo_url"] = repository()
    config["repo_name"] = "repository"
    config["edit_uri"] = ""
    return config


def repository() -> str:
    """The address of the repository, which is written in pyproject.toml alone."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["urls"]["Repository"])


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """The pages of the handbook, with the files that they link to, in place of those found in docs/."""
    found = [file for file in files if not file.src_uri.startswith(("hooks", "__pycache__"))]
    theme = [file for file in found if file.src_dir is not None and Path(file.src_dir) != ROOT / "docs"]
    texts = {page: (ROOT / source).read_text("utf-8") for page, source in PAGES.items()}
    texts |= {page: make() for page, make in GENERATED.items()}
    made = [File.generated(config, page, content=text) for page, text in texts.items()]
    made.append(File.generated(config, "handbook.css", content=style()))
    for target in sorted({one for page, text in texts.items() for one in targets(page, text)}):
        if target.endswith(COPIED):
            made.append(File.generated(config, target, abs_src_path=str(ROOT / target)))
    return Files([*theme, *made])


def targets(page: str, text: str) -> list[str]:
    """The files of the repository that a page links to."""
    outside = FENCED.split(text)[::2]
    return [within_repository(page, match[2]) for part in outside for match in LINK.finditer(part)]


def within_repository(page: str, link: str) -> str:
    """The path in the repository that a relative link of a page leads to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(SOURCES[page]), link))


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The text with its links led to pages, to copied files or to the repository."""
    name = page.file.src_uri

    def led(match: re.Match[str]) -> str:
        target, anchor = within_repository(name, match[2]), match[3] or ""
        if target in PAGE_OF:
            return f"{match[1]}{PAGE_OF[target]}{anchor}{match[4]}"
        if target.endswith(COPIED):
            return f"{match[1]}{target}{match[4]}"
        if not (ROOT / target).exists():
            return match[0]  # MkDocs warns of it, which is an error under --strict
        return f"{match[1]}{repository()}/blob/main/{target}{anchor}{match[4]}"

    parts = FENCED.split(markdown)
    parts[::2] = [LINK.sub(led, part) for part in parts[::2]]
    return "".join(parts)


def style() -> str:
    """Colours of code for light and dark pages, and tables that a phone can scroll."""
    from pygments.formatters import HtmlFormatter

    def rules(name: str, within: str) -> Any:
        return HtmlFormatter(style=name).get_style_defs(f"{within} .codehilite")

    return "\n".join(
        [
            rules("default", ""),
            rules("github-dark", '[data-bs-theme="dark"]'),
            ".codehilite, .codehilite pre { background: none; }",
            ".col-md-9 table { display: block; overflow-x: auto; }",
            ".col-md-9 img { max-width: 100%; }",
            "code { overflow-wrap: anywhere; }",
            "",
        ]
    )
