"""The handbook: every block of Python runs, and generated pages have every check, fault and public name."""

import ast
import json
import re
import sys
from pathlib import Path

import pytest

import nrverify
from nrverify.auditing.core.faults import known_faults
from nrverify.auditing.registry import all_declarations
from nrverify.ledger.claims import load_claims
from nrverify.reference.mutants import MUTANTS
from nrverify.report.handbook.checks import checks_page
from nrverify.report.handbook.docstrings import as_markdown
from nrverify.report.handbook.mistakes import ALGORITHM, PRINTED, mistakes_page
from nrverify.report.handbook.notebook import notebook_of
from nrverify.report.handbook.reference import GROUPS, reference_page
from nrverify.report.handbook.triage import triage_page

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"(?:Save (?:this )?as `(?P<file>\w+\.py)`[^`]*)?^```python\n(?P<code>.*?)^```$", re.M | re.S)
DOCUMENTS = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md", *ROOT.glob("nrverify/subjects/*.md")])
GIVEN = {
    "RECORDS.md": """
import json, sys, types
import numpy, pyarrow, pyarrow.parquet

sys.modules["mine"] = types.SimpleNamespace(run=lambda value, schedule: numpy.zeros((len(schedule), 1)))
table = pyarrow.table({"session": [0], "release": [0.0]})
"""
}
"""What a document leaves to its reader: the implementation, and a table of what it released."""
TUTORIAL = ROOT / "docs" / "TUTORIAL.md"


def run_blocks(path, folder, monkeypatch):
    """Runs the blocks of a document in order, as a reader would: in one session, with the files it says to save."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setitem(sys.modules, "mine", None)
    names = {"__name__": "handbook"}
    exec(GIVEN.get(path.name, ""), names)
    for found in BLOCK.finditer(path.read_text("utf-8")):
        if found["file"]:
            (folder / found["file"]).write_text(found["code"], "utf-8")
            sys.modules.pop(Path(found["file"]).stem, None)
        exec(compile(found["code"], f"{path.name}", "exec"), names)
    return names


@pytest.mark.parametrize(
    "path", [one for one in DOCUMENTS if one != TUTORIAL], ids=lambda path: str(path.relative_to(ROOT))
)
def test_every_block_of_python_in_a_document_runs(path, tmp_path, monkeypatch):
    run_blocks(path, tmp_path, monkeypatch)


def test_blocks_are_found_with_the_files_they_are_saved_as():
    found = {one["file"] for one in BLOCK.finditer((ROOT / "README.md").read_text("utf-8"))}
    assert {"mine.py", "test_gate.py", None} <= found


@pytest.mark.slow
def test_the_tutorial_runs_and_its_audit_finds_no_fault(tmp_path, monkeypatch, capsys):
    names = run_blocks(TUTORIAL, tmp_path, monkeypatch)
    assert names["session"].paid.epsilon == names["session"].history[-1].epsilon
    assert names["private"].paid.epsilon == 2 * names["private"].history[-1].epsilon
    assert names["report"].verdict in ("consistent", "inconclusive")
    assert "epsilon would be 1.1 of 1.0" in capsys.readouterr().out


def test_the_notebook_is_the_tutorial():
    """After a change: python -m nrverify.report.handbook.notebook docs/TUTORIAL.md docs/tutorial.ipynb."""
    assert (ROOT / "docs" / "tutorial.ipynb").read_text("utf-8") == notebook_of(TUTORIAL.read_text("utf-8"))


def test_a_notebook_has_the_blocks_as_cells_of_code_and_the_text_between_them():
    notebook = json.loads(notebook_of("# Title\n\n```python\na = 1\n\nb = 2\n```\n\nText.\n\n```sh\nls\n```\n"))
    assert [cell["cell_type"] for cell in notebook["cells"]] == ["markdown", "code", "markdown"]
    assert "".join(notebook["cells"][1]["source"]) == "a = 1\n\nb = 2"
    assert "```sh" in "".join(notebook["cells"][2]["source"])


def test_the_page_of_checks_has_every_check_with_its_text():
    page = checks_page()
    for one in all_declarations():
        assert f"### `{one.id}`\n" in page
        assert one.sentence in page
        assert " ".join(one.doc.split("\n\n")[0].split()) in page


def test_the_page_of_triage_has_every_fault_once_with_its_cause_and_an_experiment():
    page = triage_page()
    for id, fault in known_faults().items():
        assert page.count(f"### `{id}`\n") == 1
        assert fault.cause in page
    for code in re.findall(r"```python\n(.*?)```", page, re.S):
        ast.parse(code)


def test_the_page_of_mistakes_has_every_mutant_and_the_printed_recipes():
    page = mistakes_page()
    for mutant in MUTANTS:
        assert f"{mutant.subject.__module__}:{mutant.subject.__name__}`" in page
    assert set(PRINTED) <= {mutant.name for mutant in MUTANTS}
    for id, _ in PRINTED.values():
        assert load_claims()[id].correction in page
    assert ALGORITHM in page
    assert "correct.threshold:ReducedAboveThreshold`" in page


def test_the_reference_has_every_public_name_with_its_docstring():
    page = reference_page()
    for name in set(nrverify.__all__) - {"__version__"}:
        assert f"### `nrverify.{name}`" in page
        first = (getattr(nrverify, name).__doc__ or "").strip().split("\n")[0]
        assert first
        assert first in page
    assert len(GROUPS) > 5


def test_a_docstring_becomes_lists_and_code():
    text = """Does it.

    Parameters
    ----------
    one : float
        The first, over
        two lines.

    Examples
    --------
    In words.

    >>> 1 + 1
    2
    """
    assert as_markdown(text) == (
        "Does it.\n\n**Parameters**\n\n- `one : float`: The first, over two lines.\n\n"
        "**Examples**\n\nIn words.\n\n```pycon\n>>> 1 + 1\n2\n```"
    )


def test_a_docstring_without_sections_is_its_text():
    assert as_markdown("Does it.\n\n    And more.\n") == "Does it.\n\nAnd more."
