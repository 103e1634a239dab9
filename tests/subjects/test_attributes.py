"""The table of attributes: one row is all it takes to be read everywhere, refused in one grammar, and documented."""

import json
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import pytest

from nrverify.auditing.boundary.claim import BEYOND
from nrverify.auditing.core.settings import LONGEST, MOST_SAMPLES
from nrverify.commands.options import MOST_JOBS
from nrverify.subjects import describe as described_by
from nrverify.subjects.adapter import Adapter
from nrverify.subjects.attributes import POSITIVE, attribute, markdown, one_of, pair
from nrverify.subjects.command.describe_reply import read_description
from nrverify.subjects.command.host import MOST_SEEDS
from nrverify.subjects.describe import attributes, describe, from_json, recorded_attributes
from nrverify.subjects.description import MECHANISMS, MOST_DIMENSIONS, NOISE_REDUCTION, THRESHOLD, Description
from nrverify.subjects.dialogues import MOST_QUERIES
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.limits import EPSILONS, LARGEST_COUNT, NUMBERS, RATES, TIMES
from nrverify.subjects.neighbour_data import MOST_LISTED, MOST_PAIRS, MOST_SIZE, MOST_STRATEGIES
from nrverify.subjects.outputs import DEEPEST, MOST_ENTRIES
from nrverify.subjects.records.file import record_of
from nrverify.subjects.threshold_attributes import LARGEST_SCALE, MOST_APART, MOST_POSITIVES, SMALLEST_SCALE
from tests.subjects.records import runs, transcripts

ROOT = Path(__file__).parents[2]
COLOUR = one_of("red", "green")
PACKAGE = Path(described_by.__file__).parent


class Subject:
    mechanism = "brownian"

    def sample(self, value, schedule, sessions, seed):
        raise NotImplementedError


@dataclass(frozen=True)
class Wider(Description):
    """The table with three rows more, as a later version would have them."""

    colour: str = attribute(COLOUR, "Of the noise.", applies=NOISE_REDUCTION, since="0.9", default="red")
    weight: float | None = attribute(POSITIVE, "Of a run.", applies=THRESHOLD, elsewhere="refused", since="0.9")
    band: tuple[float, float] | None = attribute(pair(finite=True), "Where it is claimed.", since="0.9")


@pytest.fixture
def wider(monkeypatch):
    monkeypatch.setattr(described_by, "Description", Wider)


def from_python(**said):
    return Adapter(type("Subject", (Subject,), said)()).description


def from_command(**said):
    return read_description({"mechanism": "brownian", "methods": ["sample"], **said}).description


def from_record(**said):
    arrays = {name: np.asarray(array) for name, array in transcripts(**said).items()}
    return record_of(arrays).description


def from_replay(**said):
    return from_json({"mechanism": "brownian", "methods": ["sample"], **said})


EVERYWHERE = pytest.mark.parametrize("read", [from_python, from_command, from_record, from_replay])


@EVERYWHERE
@pytest.mark.usefixtures("wider")
def test_a_new_row_is_read_alike_however_the_subject_is_reached(read):
    found = read(colour="green", band=[1, 4.5])
    assert (found.colour, found.band, found.weight) == ("green", (1.0, 4.5), None)
    assert read().colour == "red"


@EVERYWHERE
@pytest.mark.usefixtures("wider")
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"colour": "gren"}, "attribute colour is 'gren': it must be one of red, green; did you mean 'green'?"),
        ({"colour": 3.0}, "attribute colour is 3.0: it must be one of red, green"),
        (
            {"band": [4.0, 1.0]},
            "attribute band is [4.0, 1.0]: it must be a pair (smallest, largest) of finite numbers with "
            "0 ≤ smallest < largest",
        ),
    ],
)
def test_a_new_row_is_refused_in_the_same_words_however_the_subject_is_reached(read, said, words):
    with pytest.raises(SubjectFailed) as caught:
        read(**said)
    assert str(caught.value) == words


@pytest.mark.usefixtures("wider")
@pytest.mark.parametrize("read", [from_python, from_command])
def test_an_attribute_for_other_mechanisms_is_refused_where_the_table_says_so(read):
    with pytest.raises(SubjectFailed) as caught:
        read(weight=2.0)
    assert str(caught.value) == (
        "attribute weight is 2.0: it must be left out: it is for above-threshold, reduced-above-threshold, "
        "and this is brownian"
    )


@pytest.mark.usefixtures("wider")
def test_a_record_holds_the_attributes_of_its_mechanism_and_no_others():
    said = {name: np.asarray(array) for name, array in runs(weight=2.0).items()}
    assert record_of(said).description.weight == 2.0
    with pytest.raises(SubjectFailed, match="no use for an array 'weight'"):
        from_record(weight=2.0)
    with pytest.raises(SubjectFailed, match="no use for an array 'colour'"):
        record_of({**said, "colour": np.asarray("red")})


@pytest.mark.usefixtures("wider")
def test_a_new_row_is_documented():
    text = markdown(attributes())
    where = ", ".join(f"`{mechanism}`" for mechanism in NOISE_REDUCTION)
    assert f"| `colour` | {where} | one of `red`, `green` (default `red`) | Of the noise. Since 0.9. |\n" in text
    assert "| `weight` | `above-threshold`, `reduced-above-threshold` only | a positive finite number |" in text


@pytest.mark.usefixtures("wider")
def test_a_description_of_an_earlier_version_lacks_the_new_rows():
    earlier = Description("brownian", ("sample",), name="mine").as_json()
    assert from_json(earlier).colour == "red"
    with pytest.raises(SubjectFailed, match="does not describe a subject: no attribute is called 'weather'"):
        from_json({**earlier, "weather": "fair"})


def test_without_the_row_the_name_means_nothing():
    assert not hasattr(from_python(colour="green"), "colour")
    with pytest.raises(SubjectFailed, match="no use for an array 'colour'"):
        from_record(colour="green")


@EVERYWHERE
@pytest.mark.parametrize(
    "said",
    [
        {"sensitivity": 0.0},
        {"sensitivity": -1.0},
        {"sensitivity": float("nan")},
        {"sensitivity": float("inf")},
        {"sensitivity": [1.0, 2.0]},
        {"sensitivity": "1"},
        {"sensitivity": True},
        {"delta": 1.0},
        {"delta": -1e-9},
        {"rate": 0},
        {"knob": "tme"},
        {"knob": 1.0},
    ],
    ids=str,
)
def test_what_an_attribute_must_not_be_is_said_with_its_name_and_value(read, said):
    ((name, value),) = said.items()
    with pytest.raises(SubjectFailed) as caught:
        read(**said)
    assert f"attribute {name} is {value!r}: it must be {attributes()[name].kind.must}" in str(caught.value)


@pytest.mark.parametrize("read", [from_python, from_command])
@pytest.mark.parametrize(
    "said",
    [
        {"range": (2.0, 1.0)},
        {"range": (0.0, float("inf"))},
        {"range": 3.0},
        {"range": ("0", "1")},
        {"interval": (-1.0, 1.0)},
        {"interval": (1.0, 2.0, 3.0)},
        {"dimensions": []},
        {"dimensions": (1, 10_001)},
        {"dimensions": (1.5,)},
        {"dimensions": 3},
        {"process": "browniam"},
    ],
    ids=str,
)
def test_what_a_pair_a_list_or_a_choice_must_not_be_is_said_too(read, said):
    ((name, value),) = said.items()
    with pytest.raises(SubjectFailed) as caught:
        read(**said)
    assert f"attribute {name} is {value!r}: it must be {attributes()[name].kind.must}" in str(caught.value)


def test_an_attribute_of_a_record_is_never_large():
    with pytest.raises(SubjectFailed, match="an attribute has at most 10000 entries"):
        from_record(sensitivity=np.ones(10_001))


@pytest.mark.parametrize("read", [from_python, from_command])
def test_a_misspelt_attribute_that_is_missed_is_named(read):
    with pytest.raises(SubjectFailed, match=r"sensitivity is missing: .* is 'sensitivty' meant for it\?"):
        read(knob="epsilon", delta=1e-6, sensitivty=1.0)
    with pytest.raises(SubjectFailed) as caught:
        read(knob="epsilon", sensitivity=1.0, data=[1.0])
    assert (
        str(caught.value)
        == "attribute delta is missing: a privacy claim needs it, and it must be a number of at least 0 and below 1"
    )


def test_a_subject_that_cannot_list_its_names_is_read_all_the_same():
    class Shy(Subject):
        def __dir__(self):
            raise RuntimeError("none of your business")

    assert Adapter(Shy()).description.mechanism == "brownian"


def test_every_field_of_a_description_but_its_methods_and_slips_is_a_row():
    assert {part.name for part in fields(Description)} - set(attributes()) == {"methods", "misspelt"}
    for row in attributes().values():
        assert set(row.applies) <= set(MECHANISMS)
        assert row.words.endswith(".")


def test_no_attribute_hides_a_property_of_the_description():
    later = ("guarantee", "most_releases", "any_order", "scales", "noise", "positives", "monotone")
    later += ("neighbours", "size", "smallest_epsilon", "strategies", "queries")
    assert not [name for name in later if name not in attributes() and hasattr(Description, name)]


@pytest.mark.parametrize("name", ["PROTOCOL.md", "RECORDS.md"])
def test_the_documentation_holds_the_table_as_it_is(name):
    """To renew it: print(nrverify.subjects.attributes.markdown(…)), of `attributes()` or `recorded_attributes(…)`."""
    rows = attributes() if name == "PROTOCOL.md" else recorded_attributes((*NOISE_REDUCTION, *THRESHOLD))
    assert markdown(rows) in (PACKAGE / name).read_text("utf-8")


def test_the_documentation_holds_the_limits_that_are_enforced():
    text = (PACKAGE / "PROTOCOL.md").read_text("utf-8")
    limits = [
        row.split("|")[2:4] for row in text.partition("## Limits")[2].partition("## ")[0].split("\n") if "|" in row
    ]
    written = [tuple(cell.strip() for cell in row) for row in limits[2:]]
    whole = ((1, LARGEST_COUNT), (0, LARGEST_COUNT / 2), (0, LARGEST_COUNT**2 / 2))
    in_pairs = (NUMBERS, EPSILONS, *whole, TIMES, RATES, (1 / BEYOND, BEYOND))
    expected = [(f"{low:g}", f"{high:g}") for low, high in in_pairs]
    expected += [(f"{SMALLEST_SCALE:g}", f"{LARGEST_SCALE:g}"), ("1", f"{MOST_APART:g}")]
    counts = (MOST_POSITIVES, MOST_DIMENSIONS, MOST_SIZE, MOST_PAIRS, MOST_STRATEGIES, MOST_LISTED)
    expected += [("1", str(most)) for most in counts]
    expected += [("0", str(most)) for most in (MOST_QUERIES, MOST_ENTRIES, DEEPEST)]
    expected.append(("1", str(MOST_SEEDS)))
    last = [("1", f"{MOST_SAMPLES:g}"), ("above 0", f"{LONGEST:g}"), ("1", str(MOST_JOBS))]
    assert written == [*expected, *last]


def test_the_schemas_know_every_attribute():
    folder = ROOT / "reports" / "schema"
    protocol = json.loads((folder / "protocol.json").read_text("utf-8"))["$defs"]["result_of_describe"]
    replay = json.loads((folder / "replay.json").read_text("utf-8"))["properties"]["description"]
    assert set(attributes()) <= set(protocol["properties"])
    assert set(attributes()) <= set(replay["properties"])
    records = json.loads((folder / "records.json").read_text("utf-8"))["$defs"]
    assert set(recorded_attributes(NOISE_REDUCTION)) <= set(records["transcripts"]["properties"])
    assert set(recorded_attributes(THRESHOLD)) <= set(records["runs"]["properties"])


def test_a_description_with_an_infinite_interval_is_json_and_comes_back():
    said = {"mechanism": "boundary", "methods": ["epsilon"], "sensitivity": 1.0, "delta": 0.0, "name": "inf"}
    found = describe({**said, "interval": (0.5, float("inf"))})
    assert from_json(json.loads(json.dumps(found.as_json(), allow_nan=False))) == found


class Slips:
    mechanism = "brownian"
    ranges = (0.1, 3.0)
    Dimension = (1,)
    delta, sensitivity = None, None
    speed = 3

    def sample(self, value, schedule, sessions, seed):
        raise NotImplementedError

    def most_release(self):
        return None

    @property
    def rates(self):
        raise RuntimeError("not to be read")


def test_names_that_are_nearly_those_of_attributes_are_noticed_and_no_others():
    description = Adapter(Slips()).description
    assert dict(description.misspelt) == {"ranges": "range", "Dimension": "dimensions"}
    assert from_json(json.loads(json.dumps(description.as_json()))) == description


def test_a_process_is_told_of_them_too():
    reply = {"protocol": 1, "mechanism": "brownian", "methods": ["open"], "ranges": [0.1, 3], "language": "c"}
    assert read_description(reply).description.misspelt == (("ranges", "range"),)


def test_an_attribute_that_is_given_is_not_missed():
    reply = {"protocol": 1, "mechanism": "brownian", "methods": ["open"], "ranges": [0.1, 3], "range": [0.1, 3]}
    assert read_description(reply).description.misspelt == ()
