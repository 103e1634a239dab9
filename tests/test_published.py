"""What a repository is published with: citation, templates, hooks, and placeholders written in one place."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
MAY_NAME_THE_OWNER = {"pyproject.toml", "README.md", "docs/CI.md", "tests/test_published.py"}
"""The two documents show how CI installs it, which needs its address."""


def project():
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]


def test_the_address_of_the_repository_is_a_placeholder_in_one_place():
    named = {
        str(path.relative_to(ROOT))
        for pattern in (
            "*.md",
            "*.cff",
            "*.yml",
            "*.toml",
            "docs/*",
            ".github/**/*.yml",
            "nrverify/**/*.py",
            "tests/*.py",
        )
        for path in ROOT.glob(pattern)
        if path.suffix in (".md", ".cff", ".yml", ".toml", ".py") and re.search(r"\bOWNER/", path.read_text("utf-8"))
    }
    assert named <= MAY_NAME_THE_OWNER
    assert len({url.split("/nrverify")[0] for url in project()["urls"].values()}) == 1


def test_the_citation_names_the_paper_and_the_version_of_the_changelog():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    newest = re.search(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE).group(1)
    assert citation["version"] == newest
    assert citation["license"] == project()["license"]
    assert {"cff-version", "message", "title", "authors", "type"} <= set(citation)
    assert citation["references"][0]["identifiers"][0]["value"] == "arXiv:2206.07234"


def test_the_release_notes_of_the_newest_version_say_which_verdicts_may_change():
    newest = re.search(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE).group(1)
    assert "## Verdicts that may change" in (ROOT / "docs" / f"RELEASE-{newest}.md").read_text("utf-8")


@pytest.mark.parametrize("path", [path for path in TEMPLATES if path.name != "config.yml"], ids=lambda path: path.stem)
def test_a_template_has_what_forms_need(path):
    form = yaml.safe_load(path.read_text("utf-8"))
    assert {"name", "description", "body"} <= set(form)
    ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
    assert len(ids) == len(set(ids)) > 0
    assert any(part.get("validations", {}).get("required") for part in form["body"])


def test_the_hooks_before_a_commit_are_tools_of_the_extra_dev():
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    tools = {hook["entry"].split()[0] for hook in local["hooks"]}
    known = " ".join(project()["optional-dependencies"]["dev"] + project()["optional-dependencies"]["test"])
    assert {tool for tool in tools if tool not in known} == set()
