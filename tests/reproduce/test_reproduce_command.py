"""`nrverify reproduce` as its users meet it: files, exit codes, one sentence for a mistake."""

import os
import re

import pytest
from click.testing import CliRunner

from nrverify.cli import cli
from nrverify.reproduce.data import fetch
from nrverify.reproduce.data.fetch import Download
from nrverify.reproduce.figures.exhibits import kinds
from tests.reproduce.data_files import kdd_lines, twitter_lines, write

TINY = ["--rows", "150", "--trials", "20", "--per-doubling", "2", "--jobs", "1"]


def run(*arguments):
    return CliRunner().invoke(cli, ["reproduce", *map(str, arguments)])


def test_figures_numbers_and_report_are_written_and_the_exit_code_is_0(data_folder, tmp_path):
    result = run("loss-logistic", "privacy-ridge", "--data", data_folder, "--out", tmp_path / "out", *TINY)
    assert result.exit_code == 0, result.output
    made = {path.name for path in (tmp_path / "out").iterdir()}
    names = ("loss-logistic", "privacy-ridge")
    assert made == {f"{name}.{kind}" for name in names for kind in ("svg", "pdf", "csv")} | {"reproduction.md"}
    assert "KDD-Cup-99" in (tmp_path / "out" / "loss-logistic.csv").read_text()
    assert "(./loss-logistic.svg)" in (tmp_path / "out" / "reproduction.md").read_text()
    words = "".join(result.output.split())  # a long path is folded anywhere
    assert f"Wrote2figuresto{tmp_path}/outandthereportto{tmp_path}/out/reproduction.md." in words
    assert "replaced" not in words


def test_results_do_not_depend_on_the_number_of_jobs(tmp_path):
    contents = []
    for jobs in ("1", "2"):
        out = tmp_path / jobs
        result = run("privacy-ridge", "--quiet", "--out", out, *TINY[:-1], jobs)
        assert result.exit_code == 0, result.output
        assert result.output == ""
        contents.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert contents[0] == contents[1]


def test_another_seed_gives_other_numbers(tmp_path):
    texts = []
    for seed in ("0", "1"):
        run("loss-logistic", "--out", tmp_path / seed, "--seed", seed, *TINY)
        texts.append((tmp_path / seed / "loss-logistic.csv").read_text())
    assert texts[0] != texts[1]


def test_by_default_figures_go_to_reports_and_the_report_beside_them(tmp_path):
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        result = run("boundaries")
    finally:
        os.chdir(before)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "reports" / "figures" / "boundaries.svg").exists()
    assert "(figures/boundaries.svg)" in (tmp_path / "reports" / "reproduction.md").read_text()


def test_a_way_to_a_folder_is_not_made(tmp_path):
    result = run("boundaries", "--out", tmp_path / "reprots" / "figures")
    assert result.exit_code == 2
    assert "there is no folder" in result.output
    assert list(tmp_path.iterdir()) == []


def test_before_figures_of_real_data_are_replaced_by_synthetic_ones_it_says_so(tmp_path):
    """And not where there is nothing to lose: other figures than these, exact or synthetic ones."""
    for name, label in (("loss-logistic", "KDD-Cup-99 (n = 9)"), ("loss-ridge", "Twitter"), ("boundaries", "exact")):
        (tmp_path / f"{name}.csv").write_text(f"# a title\n# data: {label}\nepsilon\n1\n")
    assert "replaced" not in run("boundaries", "--out", tmp_path).output
    warned = run("boundaries", "loss-logistic", "--out", tmp_path, "--quiet", *TINY)
    assert warned.exit_code == 0
    assert warned.stdout == ""
    assert (
        f"in {tmp_path} will be replaced by ones of SYNTHETIC data: loss-logistic (KDD-Cup-99 (n = 9))."
        in warned.stderr
    )
    again = run("loss-logistic", "--out", tmp_path, *TINY)
    assert "replaced" not in again.output
    assert "Not on the paper's data: logistic: SYNTHETIC data, not KDD-Cup-99" in " ".join(again.output.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["los-logistic"], "Did you mean loss-logistic?"),
        (["--trials", "1"], "--trials"),
        (["--split", "thirds"], "joint"),
        (["--rows", "5"], "--rows"),
        (["--jobs", "0"], "--jobs"),
        (["--data", "no/such/folder"], "expected a folder with the KDD-Cup-99 file"),
        (["--response-limit", "nan"], "response_limit = nan"),
    ],
)
def test_a_mistake_in_the_command_exits_2_and_names_the_remedy(tmp_path, arguments, words):
    result = run(*arguments, "--out", tmp_path)
    assert result.exit_code == 2
    assert words in re.sub(r"\s+", " ", result.output)


@pytest.mark.parametrize(
    ("name", "lines", "words"),
    [
        ("kddcup.data_10_percent", [*kdd_lines(160)[:99], "0,tcp"], "line 100: expected 42 comma-separated fields"),
        ("kddcup.data_10_percent.gz", kdd_lines(149), "line 150: expected at least 150 rows"),
        ("Twitter.data", twitter_lines(120), "line 121: expected at least 150 rows"),
        ("other.csv", ["1"], "expected the KDD-Cup-99 file"),
    ],
)
def test_a_fault_in_the_data_exits_2_with_file_and_line_and_makes_no_figure(tmp_path, name, lines, words):
    write(tmp_path / name, lines)
    figure = "loss-ridge" if name.startswith("Twitter") else "loss-logistic"
    result = run(figure, "--data", tmp_path, "--out", tmp_path / "out", *TINY)
    assert result.exit_code == 2
    assert words in result.output
    assert result.output.count("\n") == 1
    assert list((tmp_path / "out").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_refused_before_any_work(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("boundaries", "--out", tmp_path / "file")
    assert result.exit_code == 2
    assert "cannot write figures into" in result.output


def test_without_a_connection_fetch_exits_2_with_one_sentence(tmp_path, monkeypatch):
    nowhere = Download("kddcup.data_10_percent.gz", "http://127.0.0.1:9/kdd", fetch.unpack_nothing, fetch.check_kdd)
    monkeypatch.setitem(fetch.DOWNLOADS, "logistic", nowhere)
    result = run("loss-logistic", "--fetch", "--data", tmp_path / "data", "--out", tmp_path / "out", "--quiet")
    assert result.exit_code == 2
    assert result.output.count("\n") == 1
    assert "could not be downloaded" in result.output
    assert not (tmp_path / "data").exists()


def test_what_was_fetched_before_is_used(tmp_path):
    write(tmp_path / "kddcup.data_10_percent.gz", kdd_lines(200))
    result = run("loss-logistic", "--fetch", "--data", tmp_path, "--out", tmp_path / "out", *TINY)
    assert result.exit_code == 0, result.output


def test_help_names_every_figure():
    text = run("--help").output
    for name in kinds():
        assert name.rsplit("-", 1)[0] in text
