"""The folder of data for tests: the real one where NRVERIFY_DATA names it, otherwise small files written here."""

import os
from pathlib import Path

import pytest

from nrverify.reproduce.data.twitter import PARTIAL
from tests.reproduce.data_files import kdd_lines, twitter_lines, write


@pytest.fixture
def data_folder(tmp_path):
    """Both data sets: the real files where NRVERIFY_DATA names a folder, otherwise small ones."""
    real = os.environ.get("NRVERIFY_DATA")
    if real:
        return Path(real)
    folder = tmp_path / "data"
    folder.mkdir()
    write(folder / "kddcup.data_10_percent.gz", kdd_lines(600))
    write(folder / "twitter_partial.csv.gz", [",".join(PARTIAL), *twitter_lines(300, len(PARTIAL))])
    return folder
