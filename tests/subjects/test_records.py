"""Records: what a right file says is read as it is, and every way to be wrong is one sentence with the array in it."""

import json
import struct
import zipfile

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

from nrverify.cli import cli
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.records import archive as records_archive
from nrverify.subjects.records.file import read_record
from tests.subjects.records import SCHEDULE, asked, brownian, runs, schema, transcripts


def saved(path, arrays):
    np.savez(path, **arrays)
    return path


def refusal(path):
    with pytest.raises(SubjectFailed) as caught:
        read_record(path)
    words = str(caught.value)
    assert words.startswith(f"{path}: ")
    assert "\n" not in words
    return words


def test_a_fixed_schedule_is_read_as_it_was_written(tmp_path):
    arrays = transcripts(name="mine", version="3")
    record = read_record(saved(tmp_path / "r.npz", arrays))
    assert (record.description.name, record.description.version) == ("mine", "3")
    assert record.fixed
    releases, at, times = record.value.part(3, 7)
    assert np.array_equal(releases, arrays["releases"][3:7])
    assert np.array_equal(at, np.tile(SCHEDULE, (4, 1)))
    assert np.array_equal(times, at)


def test_an_unknown_mechanism_is_told_what_records_can_hold_and_nothing_else(tmp_path):
    words = refusal(saved(tmp_path / "r.npz", transcripts(mechanism="brownien")))
    for mechanism in ("brownian", "laplace", "skellam", "above-threshold", "reduced-above-threshold"):
        assert mechanism in words
    assert "boundary" not in words
    assert "private-stopping" not in words
    assert "did you mean 'brownian'?" in words


def test_a_stop_before_the_end_of_a_schedule_makes_the_sessions_adaptive(tmp_path):
    arrays = transcripts()
    arrays["releases"][5, 2] = np.nan
    record = read_record(saved(tmp_path / "r.npz", arrays))
    assert not record.fixed
    assert np.isnan(record.value.asked[5]).tolist() == [False, False, True]


def test_what_each_session_was_asked_is_read_with_its_stops(tmp_path):
    record = read_record(saved(tmp_path / "r.npz", asked()))
    assert not record.fixed
    assert np.isfinite(record.value.asked[1]).tolist() == [True, False, False]


@pytest.mark.parametrize("compressed", [np.savez, np.savez_compressed])
def test_other_layouts_of_the_same_numbers_are_the_same_record(tmp_path, compressed):
    arrays = transcripts()
    arrays["releases"] = np.asfortranarray(arrays["releases"]).astype(">f8")
    arrays["releases_neighbour"] = arrays["releases_neighbour"][:, :, 0]
    arrays["value"] = np.float64(0.0)
    compressed(tmp_path / "r.npz", **arrays)
    record = read_record(tmp_path / "r.npz")
    assert np.array_equal(record.value.part(0, 40)[0], transcripts()["releases"])
    assert np.array_equal(record.neighbour.part(0, 40)[0], transcripts()["releases_neighbour"])


def test_an_epsilon_knob_has_times_only_where_the_record_gives_them(tmp_path):
    claim = {"knob": "epsilon", "sensitivity": 1.0, "delta": 1e-6, "schedule": [0.5, 1.0, 2.0]}
    assert read_record(saved(tmp_path / "a.npz", transcripts(**claim))).value.times is None
    record = read_record(saved(tmp_path / "b.npz", transcripts(**claim, times=SCHEDULE)))
    assert record.value.times[0].tolist() == SCHEDULE


def test_runs_of_a_threshold_mechanism_take_one_epsilon_for_all_rounds(tmp_path):
    record = read_record(saved(tmp_path / "r.npz", runs()))
    assert record.epsilons.tolist() == [2.0, 2.0, 2.0]


NAN_INSIDE = brownian([0.0], 40, 1)
NAN_INSIDE[7, 1] = np.nan
NEVER = brownian([0.0], 40, 1)
NEVER[7] = np.nan
RISING = np.tile([1.0, 2.0, 4.0], (40, 1))
HOLE = np.tile([4.0, np.nan, 1.0], (40, 1))
WIDE = brownian([0.0, 0.0], 40, 1)
HALF = brownian([0.0, 0.0], 40, 1)
HALF[3, 2, 0] = np.nan
EPSILON = {"knob": "epsilon", "sensitivity": 1.0, "delta": 1e-6, "schedule": [0.5, 1.0, 2.0]}


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        (transcripts(mechanism="gauss"), "mechanism is 'gauss'"),
        (transcripts(mechanism=None), "mechanism is None"),
        (transcripts(mechanism=1.0), "array mechanism"),
        (transcripts(mechanism="boundary"), "cannot be audited from records"),
        (transcripts(knob="speed"), "knob is 'speed'"),
        (transcripts(release_neighbor=[1.0]), "did you mean 'releases_neighbour'?"),
        (transcripts(name="x" * 300), "array name"),
        (transcripts(value=None), "no array value"),
        (transcripts(neighbour=[0.0]), "value and neighbour are the same"),
        (transcripts(neighbour=[1.0, 2.0]), "array neighbour"),
        (transcripts(value=[np.nan]), "NaN or infinite"),
        (transcripts(value=[1e16], neighbour=[0.0]), "no room for noise"),
        (transcripts(value=[1e13], neighbour=[1e13 + 1]), "no room for noise"),
        (transcripts(value=["a"]), "array value"),
        (transcripts(value=[1 + 1j]), "plain numbers"),
        (transcripts(releases=None), "no array releases"),
        (transcripts(releases=np.zeros((40, 2, 1))), "(sessions, 3, 1)"),
        (transcripts(releases=np.zeros((0, 3, 1))), "(sessions, 3, 1)"),
        (transcripts(releases=WIDE), "(sessions, 3, 1)"),
        (transcripts(releases=brownian([0.0], 40, 1).astype(np.float32)), "float64 is needed"),
        (transcripts(releases=np.zeros((40, 3, 1), dtype=bool)), "array releases"),
        (transcripts(releases=NAN_INSIDE), "NaN means stopped"),
        (transcripts(releases=NEVER), "without any release: 7"),
        (transcripts(value=[0.0, 0.0], neighbour=[0.0, 1.0], releases=HALF, releases_neighbour=WIDE), "NaN in part"),
        (transcripts(schedule=[1.0, 2.0, 4.0]), "must not increase"),
        (transcripts(schedule=[4.0, 2.0, 0.0]), "array schedule has 0"),
        (transcripts(schedule=[4.0, 2.0, np.nan]), "NaN or infinite"),
        (transcripts(schedule=[1e300, 2.0, 1.0]), "1e+300"),
        (transcripts(asked=np.ones((40, 3))), "exclude one another"),
        (transcripts(schedule=None), "no array asked"),
        (transcripts(seeds=np.zeros(40)), "the seed 0 occurs more than once"),
        (transcripts(seeds=np.arange(40), seeds_neighbour=np.arange(39, 79)), "the seed 39"),
        (transcripts(seeds=np.arange(39)), "array seeds"),
        (transcripts(seeds=np.arange(40) + 0.5), "integers"),
        (transcripts(times=SCHEDULE), "no use for an array times"),
        (transcripts(mechanism="skellam"), "rate"),
        (transcripts(mechanism="skellam", rate=1.0, value=[0.5]), "integers"),
        (transcripts(mechanism="skellam", rate=1e9), "is not followed"),
        (transcripts(rate=-1.0), "rate"),
        (transcripts(**{**EPSILON, "sensitivity": None}), "sensitivity"),
        (transcripts(**{**EPSILON, "delta": None}), "delta"),
        (transcripts(**{**EPSILON, "delta": 1.5}), "delta"),
        (transcripts(**{**EPSILON, "sensitivity": 0.5}), "more than the sensitivity"),
        (transcripts(**{**EPSILON, "schedule": [2.0, 1.0, 0.5]}), "must not decrease"),
        (transcripts(**EPSILON, times=[1.0, 2.0, 4.0]), "array times"),
        (asked(asked=RISING), "must not increase"),
        (asked(asked=HOLE), "NaN means stopped"),
        (
            asked(asked=np.tile(SCHEDULE, (40, 1)) * np.where(np.arange(40) == 3, np.nan, 1)[:, None]),
            "asked nothing: 3",
        ),
        (asked(asked=np.tile(SCHEDULE, (39, 1))), "array asked"),
        (asked(asked=np.tile([8.0, 4.0, 2.0], (40, 1))), "by the same rule"),
        (asked(releases=brownian([0.0], 40, 1)), "nothing is released after a stop"),
        (runs(utilities=None), "no array utilities"),
        (runs(utilities_neighbour=[-2.0, -2.0, -4.0]), "at most the sensitivity"),
        (runs(utilities_neighbour=[-2.0, -2.0, -2.0]), "more than 0"),
        (runs(epsilons=[1.0, 2.0, 3.0]), "one number for above-threshold"),
        (runs(mechanism="reduced-above-threshold", epsilons=[2.0, 1.0, 1.0]), "must not decrease"),
        (runs(mechanism="reduced-above-threshold", epsilons=[1e-3, 1.0, 1e3]), "-fold"),
        (runs(epsilons=-1.0), "epsilons"),
        (runs(threshold=None), "no array threshold"),
        (runs(threshold=1e300), "from the threshold"),
        (runs(sensitivity=0.0), "sensitivity is 0"),
        (runs(rounds=[1, 2, 4]), "from 0 to 3"),
        (runs(rounds=[1, -1]), "from 0 to 3"),
        (runs(rounds=[]), "array rounds"),
        (runs(rounds=[[1]]), "array rounds"),
        (runs(knob="time"), "no use for an array 'knob'"),
        (runs(utilities=np.zeros(301), utilities_neighbour=np.ones(301)), "at most 300"),
    ],
)
def test_a_wrong_record_is_refused_in_one_sentence_that_names_what_is_wrong(tmp_path, arrays, words):
    assert words in refusal(saved(tmp_path / "r.npz", arrays))


def test_object_arrays_are_refused_and_never_unpickled(tmp_path):
    class Exploding:
        def __reduce__(self):
            return (exec, ("raise SystemExit('unpickled')",))

    np.savez(tmp_path / "r.npz", **transcripts(name=np.array([Exploding()], dtype=object)))
    assert "never unpickled" in refusal(tmp_path / "r.npz")
    with zipfile.ZipFile(tmp_path / "p.npz", "w") as file:
        file.writestr("mechanism.npy", b"\x80\x04N.")
    assert "not an .npy array" in refusal(tmp_path / "p.npz")


def npy(descr="<f8", shape="(3,)", data=b"\0" * 24, extra=""):
    header = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, {extra}}}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (npy(shape="(3, 1000000000)"), "which needs"),
        (npy(shape="(99999999999999999999,)"), "shape"),
        (npy(shape="(-3,)"), "plain array"),
        (npy(shape="(1, 1, 1, 3)"), "three dimensions"),
        (npy(data=b"\0" * 23), "which needs"),
        (npy(descr="|O"), "never unpickled"),
        (npy(descr="<M8"), "plain numbers"),
        (npy(descr="<f3"), "unknown type"),
        (npy(descr="<U0"), "empty text"),
        (npy(extra="'x': __import__('os')"), "plain array"),
        (b"\x93NUMPY\x01\x00\xff\xff", "header"),
        (b"", "not an .npy array"),
    ],
)
def test_an_array_that_is_not_what_its_header_says_is_refused_before_it_is_read(tmp_path, content, words):
    with zipfile.ZipFile(tmp_path / "r.npz", "w") as file:
        file.writestr("releases.npy", content)
    assert words in refusal(tmp_path / "r.npz")


def test_a_zip_bomb_is_refused_from_its_directory_alone(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "r.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("releases.npy", bytes(70 * 2**20))
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("a member was opened"))
    assert "not a record of noise" in refusal(tmp_path / "r.npz")


def test_a_directory_that_promises_more_than_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(records_archive, "MOST_BYTES", 5000)
    np.savez_compressed(tmp_path / "c.npz", **transcripts(releases=np.zeros((2000, 3, 1))))
    assert "at most 5000 are allowed" in refusal(tmp_path / "c.npz")


def test_a_directory_that_understates_a_size_is_found_out(tmp_path):
    path = saved(tmp_path / "r.npz", transcripts())
    whole = bytearray(path.read_bytes())
    at = whole.index(b"PK\x01\x02")
    size = struct.unpack_from("<L", whole, at + 24)[0]
    struct.pack_into("<L", whole, at + 24, size - 8)
    path.write_bytes(whole)
    refusal(path)


@pytest.mark.parametrize("keep", [0, 1, 22, 200, -1, -30])
def test_a_file_cut_short_is_refused(tmp_path, keep):
    path = saved(tmp_path / "r.npz", transcripts())
    path.write_bytes(path.read_bytes()[:keep])
    refusal(path)


def test_members_that_are_no_arrays_encrypted_doubled_or_too_many_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as file:
        file.writestr("readme.txt", "hello")
    assert "is not an array" in refusal(tmp_path / "a.npz")
    with zipfile.ZipFile(tmp_path / "b.npz", "w", zipfile.ZIP_LZMA) as file:
        file.writestr("value.npy", npy())
    assert "other than deflate" in refusal(tmp_path / "b.npz")
    with zipfile.ZipFile(tmp_path / "c.npz", "w") as file:
        for index in range(65):
            file.writestr(f"{index}.npy", npy())
    assert "65 members" in refusal(tmp_path / "c.npz")
    with zipfile.ZipFile(tmp_path / "d.npz", "w") as file:
        file.writestr("value.npy", npy())
        with pytest.warns(UserWarning, match="Duplicate"):
            file.writestr("value.npy", npy())
    assert "same name" in refusal(tmp_path / "d.npz")


@pytest.mark.parametrize("name", ["absent.npz", "absent.parquet", "folder.npz", "table.csv"])
def test_what_is_no_file_of_a_known_kind_cannot_be_used_as_a_subject(tmp_path, name):
    (tmp_path / "folder.npz").mkdir()
    (tmp_path / "table.csv").write_text("1,2")
    result = CliRunner().invoke(cli, ["audit", f"records:{tmp_path / name}", "--json", "-"])
    assert result.exit_code == 3
    assert json.loads(result.stdout)["verdict"] == "errored"


def header_of(arrays):
    return {
        name: array.tolist() for name, array in arrays.items() if not name.startswith(("releases", "asked", "rounds"))
    }


def test_the_header_of_every_right_record_is_valid_under_the_schema():
    epsilon = {**EPSILON, "times": SCHEDULE}
    for arrays in (transcripts(name="x"), asked(), runs(), transcripts(**epsilon), transcripts(seeds=np.arange(40))):
        jsonschema.validate(header_of(arrays), schema("records"))


@pytest.mark.parametrize(
    "arrays",
    [
        transcripts(mechanism=7.0),
        transcripts(value=None),
        transcripts(times=SCHEDULE),
        transcripts(mechanism="skellam"),
        transcripts(**{**EPSILON, "sensitivity": None}),
        transcripts(**{**EPSILON, "delta": None}),
        transcripts(extra=1.0),
        runs(threshold=None),
        runs(knob="time"),
    ],
)
def test_a_header_that_the_reader_refuses_is_not_valid_under_the_schema_either(arrays):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(header_of(arrays), schema("records"))
