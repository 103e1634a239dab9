"""The second tier of the tests: whole files, and single tests, that take long. CI runs them with `pytest -m slow`."""

import os
import time
from fnmatch import fnmatchcase as fnmatch
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

SECOND_TIER: dict[str, str | dict[str, str]] = {
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
    "auditing/test_threshold_variants.py": "whole audits; units in unit/auditing/threshold remain",
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
    "docs/test_site.py": "the handbook built as a site",
    "test_distributions.py": "distributions built and installed",
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
    # Single tests, or some of their parameters (a pattern in brackets): cheaper twins or other parameters remain.
    "auditing/test_discrete_noise.py": {
        "test_a_right_scale_for_an_epsilon_keeps_its_claim": "an audit to its end; half the scale remains",
        "test_discrete_gaussian_noise_is_asked_for_one_release": "an audit to its end",
        "test_right_discrete_noise_is_not_refuted[*-[gi]*]": "audits to their ends; discrete Laplace noise remains",
        "test_wrong_discrete_noise_is_refuted_by_the_law[*-[!l]*]": "whole audits; discrete Laplace noise remains",
    },
    "auditing/test_few_releases.py": {
        "test_a_command_that_refuses_a_second_release_is_audited_with_one": "an audit to its end",
        "test_one_release_is_audited_with_all_that_it_can_tell[Once[BO]*]": "whole audits; one remains",
        "test_one_release_is_found_consistent_by_every_check_that_needs_no_more": "an audit to its end",
        "test_the_length_is_found_on_strictly_falling_times": "audits to their ends",
        "test_what_was_refused_is_named_with_its_request": "an audit to its end",
    },
    "auditing/test_guarantee.py": {
        "test_the_analytic_gaussian_is_refuted_ex_post_with_the_probability_that_was_compared": "audits to their ends",
        "test_the_text_says_which_claim_was_judged": "an audit to its end",
    },
    "auditing/test_last_bits.py": {
        "test_integers_have_no_last_bits_and_thresholds_are_not_asked": "whole audits",
        "test_noise_in_doubles_is_consistent_and_advised_with_numbers": "an audit to its end",
        "test_records_are_attacked_too": "whole audits of records",
        "test_the_auditor_may_ask_for_less_than_the_subject_claims": "an audit to its end",
    },
    "auditing/test_unasked.py": {
        "test_beside_a_check_that_can_be_asked_it_changes_nothing": "whole audits",
    },
    "calibrate/test_parts.py": {
        "test_the_oracles_pair_is_the_best_of_a_grid_and_its_bound_is_what_runs_give": "a grid",
    },
    "cli/test_command_line.py": {
        "test_an_audit_exits_by_its_verdict_and_standard_output_holds_the_report_alone[Subj*]": (
            "an audit to its end in a process of its own; the wrong and the broken subject remain"
        ),
        "test_quiet_prints_nothing_where_nothing_is_wrong": "an audit to its end, and its replay",
        "test_verdicts_do_not_depend_on_the_number_of_jobs[B13-N04]": "statistical evidence, twice",
    },
    "cli/test_explain.py": {
        "test_a_claim_is_explained_on_two_screens[[NA]0*]": "derivations of seconds; four claims remain",
        "test_every_name_in_a_report_is_explained": "whole audits; the names in the code remain",
    },
    "cli/test_mistakes.py": {
        "test_absurd_answers_are_judged[*-refuted[02]]": "crossing probabilities of absurd curves",
        "test_absurd_answers_are_judged[*-inconclusive?]": "whole audits",
    },
    "contract/test_audits.py": {
        "test_a_right_subject_is_not_refuted[Laplace]": "three seconds; Brownian noise remains",
        "test_a_right_subject_is_not_refuted[Skellam]": "five seconds; Brownian noise remains",
    },
    "fuzz/test_replays.py": {
        "test_a_boundary_replayed_with_other_answers_is_judged_or_does_not_fit[*[!n]]": (
            "crossing probabilities of seconds; NaN remains"
        ),
    },
    "laws/test_boundary.py": {
        "test_grid_at_two_looks_is_crossed_with_probability_exactly_delta[1e-[13]*]": "quadrature",
        "test_half_normal_mixture_is_crossed_with_probability_exactly_delta[1e-06]": "a recursion",
        "test_mixture_is_crossed_with_probability_between_half_and_the_optional_stopping_bound[1e-06]": "a recursion",
    },
    "laws/test_discrete_laplace.py": {
        "test_forward_log_pmf_and_cdf_are_those_of_the_mixture[[123]*]": "long sums",
    },
    "laws/test_divergence.py": {
        "test_gaussian_hockey_stick_is_the_integral_of_the_positive_part[0.1-*]": "quadrature",
        "test_gaussian_hockey_stick_is_the_integral_of_the_positive_part[1e-06-*]": "quadrature",
        "test_renyi_divergences_are_their_integrals[1e-06-*]": "quadrature",
        "test_renyi_divergences_are_their_integrals[2.0-12.0]": "quadrature",
    },
    "laws/test_hockey_stick.py": {
        "test_laplace_in_two_coordinates_is_the_convolution_by_quadrature[5*]": "quadrature",
    },
    "laws/test_laplace.py": {
        "test_bridge_cdf_is_integral_plus_atom_in_both_tails[*-case[1245]]": "quadrature",
    },
    "laws/test_skellam.py": {
        "test_draws_follow_the_cdf_with_error_probability_1e_9": "40,000 draws of each law",
        "test_marginal_tails_are_sums_of_the_pmf[1000*]": "long sums",
        "test_tails_of_many_points_at_once_are_those_of_each_point_alone[[34]00*]": "long sums",
    },
    "laws/test_threshold_privacy.py": {
        "test_no_neighbour_loses_more_than_the_bound": "60 mechanisms",
    },
    "laws/test_threshold_variants.py": {
        "test_probability_is_the_integral_over_one_threshold_noise[[[]0, 0*]": "quadrature",
        "test_probability_is_the_integral_over_one_threshold_noise[[[]1, *]": "quadrature",
        "test_the_whole_output_is_the_sum_over_all_outputs[[39]-*]": "sums over all outputs",
        "test_far_tails_keep_their_relative_accuracy[[gl]*]": "quadrature; exponential noise remains",
    },
    "ledger/test_verification.py": {
        "test_evidence_that_raises_fails_its_claim_and_leaves_the_others": "all evidence of two claims",
    },
    "report/test_command_documents.py": {
        "test_all_documents_of_one_audit_say_the_same[Right-3000*]": "an audit to its end",
    },
    "report/test_page_audit.py": {
        "test_each_check_shows_what_it_saw": "an audit to its end",
    },
    "report/test_schemas.py": {
        "test_a_real_report_is_valid_and_is_read_back_as_it_was[audit of *]": "audits to their ends",
    },
    "report/test_terminal.py": {
        "test_a_terminal_gets_colour_and_progress_unless_it_does_not_want_them": "two commands",
    },
    "subjects/test_child.py": {
        "test_an_audit_that_is_interrupted_leaves_nothing": "interrupted audits",
        "test_gigabytes_are_not_kept_in_memory": "gigabytes",
    },
    "test_gate.py": {
        "test_a_subject_that_is_not_what_its_class_says_is_not_green[Right*]": "an audit to its end",
        "test_an_expected_failure_that_passes_is_a_failure": "an audit to its end",
        "test_expected_failures_are_expected_and_the_other_checks_are_still_decided": "two audits to their ends",
        "test_workers_of_a_distributed_run_share_one_audit": "a distributed run inside a run",
    },
    "unit/auditing/claims/test_any_audit.py": {
        "test_a_right_mechanism_is_consistent[Interactive]": "an audit to its end; others remain",
        "test_a_right_mechanism_is_consistent[BothLooksCharged]": "an audit to its end; others remain",
    },
    "unit/auditing/threshold/test_declared_claim.py": {
        "test_the_claim_is_kept_exactly_where_the_noise_declared_is_enough[{'scales': ([02]*]": "a search of seconds",
    },
    "vectors/test_consumers.py": {
        "test_planted_bug_fails_the_cases_that_flag_it[javascript*]": "eight starts of node",
    },
    "vectors/test_laws.py": {
        "test_law_passes_every_case[mixture-crossing]": "crossing probabilities of seconds",
    },
    "vectors/test_variants.py": {
        "test_every_case_that_flags_a_bug_fails_it": "every bug of every function",
        "test_right_variant_agrees_with_every_vector[laplace-bridge-moments]": "quadrature",
    },
}
"""Files of the second tier, or tests of a file, and why each is."""

BY_FIXTURE = {"browser": "pages in a browser"}
"""Fixtures whose tests are of the second tier, and why."""


LONG = {
    "auditing/test_right_but_different.py": "audits of every private relative, which calibration has too",
    "auditing/test_discrete_noise.py": "slight faults at the default budget, which calibration has too",
    "auditing/test_engines.py": "every mechanism by one process and by three",
    "unit/auditing/claims/test_textbook_audits.py": "every textbook mechanism, which calibration has too",
    "unit/auditing/claims/test_false_alarms.py": "hundreds of audits",
    "gallery/test_gallery.py": "installs four libraries",
    "auditing/test_threshold_audit.py": "whole audits, which calibration has too",
    "auditing/test_threshold_variants.py": "whole audits, which calibration has too",
}
"""Files whose tests of the second tier take longest: `.ci/run` keeps to its time without them, and says so
(NRVERIFY_LONG=1 adds them)."""


def pytest_addoption(parser):
    """Everything at once, for who has the time."""
    parser.addoption("--both-tiers", action="store_true", help="Run the second tier, too.")


def in_second_tier(file: str, test: str = "") -> bool:
    """Whether a file, or a test of it by its name with parameters, is of the second tier."""
    entry = SECOND_TIER.get(file, {})
    if isinstance(entry, str):
        return True
    name, _, parameters = test.partition("[")
    patterns = [key.partition("[") for key in entry]
    return any(name == one and (not some or fnmatch(parameters[:-1], some[:-1])) for one, _, some in patterns)


def pytest_ignore_collect(collection_path, config):
    """Files of the second tier are not even imported where the first alone is to run."""
    if config.option.markexpr == "not slow" and not config.getoption("--both-tiers"):
        inside = collection_path.is_relative_to(TESTS) and collection_path.is_file()
        return True if inside and in_second_tier(str(collection_path.relative_to(TESTS))) else None
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Marks the second tier before `-m` selects."""
    for item in items:
        file = str(item.path.relative_to(TESTS)) if item.path.is_relative_to(TESTS) else ""
        if in_second_tier(file, item.name) or not BY_FIXTURE.keys().isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
        if file in LONG and item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.long)
    if config.getoption("--both-tiers"):
        config.option.markexpr = ""


@pytest.fixture
def mark(monkeypatch):
    """An entry in the environment of every process that the test starts."""
    value = f"{os.getpid()}-{time.monotonic_ns()}"
    monkeypatch.setenv("NRVERIFY_TEST", value)
    return f"NRVERIFY_TEST={value}"
