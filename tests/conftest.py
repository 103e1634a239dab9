"""The second tier of the tests: whole files, and single tests, that take long. CI runs them with `pytest -m slow`."""

import os
import time
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

SECOND_TIER = {
    # Whole audits of many subjects: mutants, benign variants, subjects of strangers. Their unit twins feed the same
    # noise to the one check that must see it (tests/unit/auditing).
    "auditing/test_catalogue.py": "every mutant",
    "auditing/test_noise_reduction.py": "whole audits",
    "auditing/test_epsilon_knob.py": "whole audits",
    "auditing/test_suited_noise.py": "whole audits",
    "auditing/test_hidden_places.py": "whole audits",
    "auditing/test_few_streams.py": "whole audits",
    "auditing/test_sign_increments.py": "whole audits",
    "auditing/test_unknown_scales.py": "whole audits",
    "auditing/test_odd_answers.py": "whole audits",
    "auditing/test_stopping_audit.py": "whole audits",
    "auditing/test_threshold_audit.py": "whole audits",
    "auditing/test_boundary_audit.py": "whole audits",
    "auditing/test_records_audit.py": "whole audits",
    "auditing/test_curve_faults.py": "crossing probabilities of many faulty curves",
    "auditing/test_plan.py": "plans of every mechanism",
    "auditing/test_pictures.py": "pictures of whole audits",
    "auditing/test_asked.py": "whole audits",
    "auditing/test_causes.py": "whole audits",
    "auditing/test_budget.py": "whole audits of slow subjects",
    "auditing/test_diagnosis.py": "every faulty recursion, for each kind of noise",
    "reference/test_mutant_claims.py": "every mutant",
    "reference/test_mutant_laws.py": "every mutant",
    "reference/test_mutant_sessions.py": "every mutant",
    "auditing/test_places.py": "whole audits",
    # Processes, clusters, interrupts, files.
    "auditing/test_engines.py": "worker pools",
    "auditing/test_dask.py": "a Dask cluster",
    "auditing/test_interrupt.py": "interrupted audits",
    "processes/test_leaving.py": "every command, told to end or killed",
    "auditing/test_replay.py": "recorded and replayed audits",
    "auditing/test_replay_fuzz.py": "fuzzing",
    "subjects/test_records_fuzz.py": "fuzzing",
    "subjects/test_process_fuzz.py": "fuzzing",
    "cli/test_closed_pipe.py": "closed pipes and full disks",
    "harnesses/test_harnesses.py": "subjects in other languages",
    "recipes/test_recipes.py": "CI recipes",
    # Calibration, reproduction, textbook recursions.
    "calibrate/test_calibration.py": "calibrations in small",
    "reproduce/test_reproduce_command.py": "whole reproductions",
    "reproduce/test_figures.py": "figures",
    "experiments/test_suite.py": "statistical evidence",
    "laws/test_crossing.py": "textbook recursions",
    "laws/test_crossing_strangers.py": "textbook recursions",
    "laws/test_boundary_skellam.py": "sums over long intervals",
    "benchmark/test_rows.py": "measurements",
    "benchmark/test_measuring.py": "measurements",
    "report/test_page_reports.py": "pages in a browser",
}
"""Files of the second tier, and why each is."""


def pytest_addoption(parser):
    """Everything at once, for who has the time."""
    parser.addoption("--both-tiers", action="store_true", help="Run the second tier, too.")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Marks the second tier before `-m` selects."""
    for item in items:
        if item.path.is_relative_to(TESTS) and str(item.path.relative_to(TESTS)) in SECOND_TIER:
            item.add_marker(pytest.mark.slow)
    if config.getoption("--both-tiers"):
        config.option.markexpr = ""


@pytest.fixture
def mark(monkeypatch):
    """An entry in the environment of every process that the test starts."""
    value = f"{os.getpid()}-{time.monotonic_ns()}"
    monkeypatch.setenv("NRVERIFY_TEST", value)
    return f"NRVERIFY_TEST={value}"
