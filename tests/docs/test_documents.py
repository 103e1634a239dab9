"""The documents: links lead somewhere, and what they show runs."""

import re
import sys
from pathlib import Path

import pytest

import nrverify

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not {".venv", "build", "node_modules", ".git"} & set(path.relative_to(ROOT).parts)
)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?://|mailto:)([^)#\s]+)(?:#[^)]*)?\)")
ADAPTERS = {"README.md": ["MyBrownian", "Count"], "docs/ADAPTER.md": ["Counter", "OneRelease", "AnyOrder"]}


def blocks(name):
    return BLOCK.findall((ROOT / name).read_text("utf-8"))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_within_the_repository_leads_somewhere(path):
    text = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
    broken = [link for link in LINK.findall(text) if not (path.parent / link).exists()]
    assert broken == []


def test_the_links_are_found_at_all():
    assert len(LINK.findall((ROOT / "README.md").read_text("utf-8"))) > 10


@pytest.fixture
def importable(tmp_path, monkeypatch):
    """The README's class, saved where it says."""
    (mine,) = [block for block in blocks("README.md") if "class MyBrownian" in block]
    (tmp_path / "mine.py").write_text(mine, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    yield
    sys.modules.pop("mine", None)


@pytest.mark.parametrize(("name", "adapter"), [(name, one) for name, every in ADAPTERS.items() for one in every])
def test_an_adapter_that_is_shown_is_audited_and_not_refuted(name, adapter, importable):
    (code,) = [block for block in blocks(name) if f"class {adapter}" in block]
    names = {}
    exec(code, names)
    report = nrverify.audit(names[adapter], samples=1000)
    assert report.verdict in ("consistent", "inconclusive"), report.message
    assert report.run["samples"] > 500


def test_the_mistake_that_the_readme_proposes_is_refuted():
    (code,) = [block for block in blocks("README.md") if "class MyBrownian" in block]
    wrong = re.sub(r"noise = noise \* .*", "noise = np.sqrt(s) * rng.standard_normal(noise.shape)", code)
    assert wrong != code
    names = {}
    exec(wrong, names)
    report = nrverify.audit(names["MyBrownian"])
    assert report.verdict == "refuted"
    assert report.run["samples"] <= 100


def test_the_budget_that_is_shown_runs(capsys):
    (code,) = [block for block in blocks("docs/COMMANDS.md") if "Composition(" in block]
    exec(code, {})
    assert "epsilon=1.5" in capsys.readouterr().out


def test_the_gate_that_is_shown_declares_tests(importable):
    (code,) = [block for block in blocks("README.md") if "nrverify.gate" in block]
    names = {}
    exec(code, names)
    assert type(names["test_noise_reduction"].subject).__name__ == "MyBrownian"
