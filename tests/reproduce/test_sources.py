"""The right file of a folder is taken, and data that are not the paper's own are called so."""

import pytest

from nrverify.processes.pool import WorkerPool
from nrverify.reproduce.data.files import DataError
from nrverify.reproduce.data.sources import load
from nrverify.reproduce.data.twitter import PARTIAL
from nrverify.reproduce.settings import ReproductionSettings
from tests.reproduce.data_files import kdd_lines, twitter_lines, write

SMALL = ReproductionSettings(rows=150, trials=20)
BOTH = frozenset({"logistic", "ridge"})


def test_the_files_of_a_folder_are_used_and_the_partial_sample_is_called_a_stand_in(data_folder):
    data = load(data_folder, BOTH, SMALL)
    logistic, ridge = data.source("logistic"), data.source("ridge")
    assert logistic.kind == "original"
    assert logistic.label.startswith("KDD-Cup-99 (n = 150 of ")
    assert data.events[0].features.shape == (150, 38)
    assert ridge.kind in ("stand-in", "original")
    assert ridge.kind == "original" or "STAND-IN" in ridge.label
    assert [len(sample.popularity) for sample in data.topics] == [150, 150, 150]


def test_without_a_folder_the_data_are_synthetic_and_say_so():
    data = load(None, BOTH, SMALL)
    assert [source.kind for source in data.sources] == ["synthetic", "synthetic"]
    assert all("SYNTHETIC" in source.label for source in data.sources)
    assert data.events[0].features.shape == (150, 38)
    assert data.topics[0].features.shape == (150, 77)


def test_the_original_name_wins_over_names_that_only_resemble_it(tmp_path):
    write(tmp_path / "kdd_other.csv", kdd_lines(200, seed=1))
    write(tmp_path / "kddcup.data_10_percent", kdd_lines(200, seed=2))
    assert "kddcup.data_10_percent" in load(tmp_path, frozenset({"logistic"}), SMALL).source("logistic").detail


def test_a_file_of_another_format_beside_the_right_one_is_passed_over(tmp_path):
    write(tmp_path / "twitter_a_summary.csv", ["mean,1,2", "std,3,4"])
    write(tmp_path / "twitter_partial.csv", [",".join(PARTIAL), *twitter_lines(150, len(PARTIAL))])
    assert "twitter_partial.csv" in load(tmp_path, frozenset({"ridge"}), SMALL).source("ridge").detail


def test_an_original_name_with_the_wrong_format_is_a_fault_and_not_passed_over(tmp_path):
    write(tmp_path / "Twitter.data", ["1,2,3"])
    write(tmp_path / "twitter_partial.csv", [",".join(PARTIAL), *twitter_lines(150, len(PARTIAL))])
    with pytest.raises(DataError, match=r"Twitter\.data, line 1: expected 78"):
        load(tmp_path, frozenset({"ridge"}), SMALL)


def test_a_missing_file_or_folder_is_a_fault_that_names_what_was_expected(tmp_path):
    write(tmp_path / "kdd.csv", kdd_lines(200))
    with pytest.raises(DataError, match=r"expected the Twitter file \(Twitter.data"):
        load(tmp_path, BOTH, SMALL)
    with pytest.raises(DataError, match="expected a folder"):
        load(tmp_path / "nowhere", BOTH, SMALL)


def test_a_fault_found_by_a_worker_arrives_whole(tmp_path):
    write(tmp_path / "kddcup.data_10_percent", kdd_lines(200))
    write(tmp_path / "Twitter.data", twitter_lines(20))
    with (
        WorkerPool(1) as pool,
        pytest.raises(DataError, match=r"Twitter\.data, line 21: expected"),
    ):
        load(tmp_path, BOTH, SMALL, pool)
