"""The gallery: adapters stay short, findings are published only when checked, and libraries are what they claim.

The audits are the second tier; where the libraries cannot be installed they are NOT RUN.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import nrverify
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from tests.gallery import libraries
from tests.gallery.checked import CHECKED
from tests.gallery.libraries import ADAPTERS
from tests.gallery.run import Row, audited, install, markdown

MOST_LINES = 10


def test_every_adapter_has_at_most_ten_lines():
    tree = ast.parse(Path(libraries.__file__).read_text("utf-8"))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name != "Once"]
    assert len(classes) == len(ADAPTERS) >= 9
    for node in classes:
        own = [child for child in ast.walk(node) if isinstance(child, (ast.stmt, ast.ClassDef))]
        docstring = node.body[0].lineno
        lines = {line for child in own for line in range(child.lineno, child.end_lineno + 1)} - {docstring}
        source = Path(libraries.__file__).read_text("utf-8").splitlines()
        assert len([line for line in lines if source[line - 1].strip()]) <= MOST_LINES, node.name


def test_four_libraries_are_in_the_gallery():
    assert {adapter.library for adapter in ADAPTERS} == {"diffprivlib", "python-dp", "opendp", "tmlt.core"}


class Reported:
    verdict, law, privacy, run = "refuted", "refuted", "not-covered", {"samples": 7}

    def __init__(self, id):
        self.checks = [CheckResult(id, "law", CheckVerdict.REFUTED)]


def test_a_finding_that_was_not_checked_by_hand_is_not_published_as_one():
    row = Row("Mine", "mine.laplace", "mine", "1.0", Reported("law.release"))
    assert "not yet checked by hand" in markdown([row])
    name, id = next(iter(CHECKED))
    assert "Checked by hand" in markdown([Row(name, "theirs", "theirs", "1.0", Reported(id))])


def test_the_report_covers_every_adapter_and_publishes_what_was_checked_by_hand():
    text = (Path(__file__).parents[2] / "reports" / "gallery.md").read_text("utf-8")
    assert all(f"`{adapter.__doc__}`" in text for adapter in ADAPTERS)
    assert all(note in text for note in CHECKED.values())
    assert "not yet checked" not in text


def test_a_library_that_is_missing_is_said_to_be_not_run():
    missing = type(
        "Missing", (libraries.Once,), {"library": "no-such-library", "mechanism": "laplace", "__doc__": "x.y"}
    )
    text = markdown([audited(missing)])
    assert "## NOT RUN" in text
    assert "no-such-library is not installed" in text


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("libraries")
    try:
        install(folder)
    except (subprocess.CalledProcessError, OSError) as error:
        pytest.skip(f"NOT RUN: the libraries cannot be installed here ({type(error).__name__})")
    sys.path.append(str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.__name__)
def test_the_law_and_the_claim_of_a_library_are_not_refuted(adapter):
    # At 1e-6 each; whatever else is found has been checked by hand.
    row = audited(adapter, samples=3000)
    if row.report is None:
        pytest.skip(f"NOT RUN: {row.reason}")
    assert row.report.verdict in ("consistent", "inconclusive"), row.report.message


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
def test_a_library_whose_noise_is_halved_is_refuted():
    class Halved(libraries.OpendpLaplace):
        def sample(self, value, schedule, sessions, seed):
            return super().sample(value, [schedule[0] / 2], sessions, seed)

    assert "law.release" in [
        check.id for check in nrverify.audit(Halved, samples=3000).checks if check.verdict == "refuted"
    ]
