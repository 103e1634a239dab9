"""A law of one's own that is sent to another process comes from its file there, and only from the same file."""

import hashlib
import pickle

import pytest

from nrverify.subjects.noise_families import FAMILIES
from nrverify.subjects.own_laws import place as places
from nrverify.subjects.own_laws.family import family_of
from nrverify.subjects.own_laws.place import Place, found_at, leave, use

LAW = """
import numpy as np
from scipy.stats import logistic


class Logistic:
    name = "placed-logistic"
    range = (0.5, {largest})

    def marginal(self, t):
        return logistic(scale=t)
"""


@pytest.fixture
def placed(tmp_path, monkeypatch):
    """Writes the law with a largest time, and gives its place as another process would be sent it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(places, "_LOADED", {})

    def write(largest):
        text = LAW.format(largest=largest).encode()
        (tmp_path / "placed.py").write_bytes(text)
        return Place.of({"address": "python:placed.py:Logistic", "sha256": hashlib.sha256(text).hexdigest()})

    yield write
    assert "placed-logistic" not in FAMILIES


def test_a_process_that_was_made_here_comes_back_as_itself():
    class Law:
        def marginal(self, t):
            return None

    process = family_of(Law(), {}).process(1.0)
    assert pickle.loads(pickle.dumps(process)) is process


def test_elsewhere_the_law_is_loaded_from_its_whole_path(placed, tmp_path, monkeypatch):
    place = placed(8.0)
    monkeypatch.chdir("/")
    assert str(tmp_path) in place.address
    assert float(found_at(place).marginal(2.0).cdf(0.0)) == 0.5


def test_another_file_at_the_address_is_never_loaded(placed, tmp_path):
    place = placed(8.0)
    (tmp_path / "placed.py").write_text("raise SystemExit('it was run')")
    with pytest.raises(ValueError, match="is not the recorded one"):
        found_at(place)


def test_a_worker_judges_by_one_law_of_a_name_at_a_time(placed):
    first = placed(8.0)
    use(first, "one")
    assert FAMILIES["placed-logistic"].times(1.0) == (0.5, 8.0)
    second = placed(16.0)
    with pytest.raises(ValueError, match="another law called 'placed-logistic'"):
        use(second, "two")
    leave("one")
    use(second, "two")
    assert FAMILIES["placed-logistic"].times(1.0) == (0.5, 16.0)
    leave("two")
