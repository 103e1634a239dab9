"""Lines of the protocol: what is right is read in every encoding, what is wrong is said in one short sentence."""

import base64
import json
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nrverify.subjects.command import json_lines as wire
from nrverify.subjects.command.describe_reply import read_description
from nrverify.subjects.command.json_lines import BadReply, Reply, excerpt, read_array, read_reply, request_line
from nrverify.subjects.errors import SubjectFailed
from tests.support.awkward import AWKWARD, awkward, one_short_printable_sentence
from tests.support.cases import CASES

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=3)


def packed(array, name="f64le", kind="<f8"):
    return {"shape": list(array.shape), name: base64.b64encode(array.astype(kind).tobytes()).decode()}


def test_a_request_is_one_line_of_json_with_its_id():
    line = request_line(7, "open", {"value": [1.0, -2.5], "seed": 2**53 - 1})
    assert line == b'{"id":7,"op":"open","value":[1.0,-2.5],"seed":9007199254740991}\n'


@settings(deadline=None)
@given(FINITE)
def test_a_number_arrives_as_it_was_sent(x):
    assert json.loads(request_line(1, "release", {"session": 1, "at": x}))["at"] == x


@settings(deadline=None)
@given(st.data(), SHAPES)
def test_an_array_is_the_same_in_every_encoding(data, shape):
    count = math.prod(shape)
    array = np.array(data.draw(st.lists(FINITE, min_size=count, max_size=count))).reshape(shape)
    for result in (array.tolist(), packed(array)):
        line = json.dumps({"id": 3, "result": result, "unknown": 1}).encode() + b"\r\n"
        assert np.array_equal(read_array(read_reply(line, 3).content), array)


@settings(deadline=None)
@given(st.data(), SHAPES)
def test_whole_numbers_are_the_same_in_every_encoding(data, shape):
    count = math.prod(shape)
    entries = data.draw(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=count, max_size=count))
    array = np.array(entries, dtype=np.int64).reshape(shape)
    for result in (array.tolist(), packed(array, "i64le", "<i8")):
        assert np.array_equal(read_array(result), array)


def test_packed_doubles_keep_nan_and_infinity():
    array = np.array([math.nan, math.inf, -math.inf, -0.0])
    assert read_array(packed(array)).tobytes() == array.tobytes()


def test_null_in_an_array_is_nan_and_numbers_beyond_doubles_are_infinite():
    array = read_array(json.loads("[1, null, 1e999, -1" + "0" * 400 + "]"))
    assert array[0] == 1
    assert np.isnan(array[1])
    assert array[2:].tolist() == [math.inf, -math.inf]


@pytest.mark.parametrize(
    "line",
    [
        '{"id":1,"result":{"shape":[2,2000],"f64le":"%s"}}',
        '{"id": 1, "result": {"f64le" :\t"%s", "shape": [2, 2000]}}',
        '{"note": "\\"f64le\\":\\"", "result": {"shape": [2, 2000], "f64le": "%s"}, "id": 1}',
        '{"f64le": "", "result": {"shape": [2, 2000], "f64le": "%s"}, "id": 1}',
        '{"id": 1, "result": {"shape": [2, 2000], "f64le": "%s"}, "i64le": ""}',
    ],
)
@pytest.mark.parametrize("slash", ["/", "\\/"])
def test_a_long_packed_array_is_read_however_its_line_is_written(line, slash):
    array = np.random.default_rng(0).standard_normal((2, 2000))
    text = line % packed(array)["f64le"].replace("/", slash)
    assert np.array_equal(read_array(read_reply(text.encode(), 1).content), array)


@pytest.mark.parametrize("result", [5, 5.5, [5], [[5, 6]], True])
def test_scalars_lists_and_bits_are_arrays(result):
    assert np.array_equal(read_array(result), np.asarray(result))


@pytest.mark.parametrize("outcome", ["result", "refused", "skipped", "error"])
def test_a_reply_holds_one_outcome(outcome):
    line = json.dumps({"id": 12, outcome: "because"}).encode()
    assert read_reply(line, 12) == Reply(outcome, "because")


@pytest.mark.parametrize("found", [b"4", b"4.0", b"4e0"])
def test_an_id_is_compared_as_a_number(found):
    assert read_reply(b'\xef\xbb\xbf{"id": %s, "result": null}' % found, 4).content is None


def test_true_is_no_id():
    with pytest.raises(BadReply, match="has the id True"):
        read_reply(b'{"id": true, "result": null}', 1)


WRONG = {
    b"": "is not JSON",
    b"Harness ready": "is not JSON, one object on one line: Harness ready",
    b'{"id": 4, "result": [1, 2': "is not JSON",
    b'{"id": 4, "result": [1.0, NaN]}': "has the bare word NaN, which is not JSON",
    b'{"id": 4, "result": -Infinity}': "has the bare word -Infinity",
    b"[4]": "is not a JSON object",
    b"null": "is not a JSON object",
    b'{"id": 4, "result": "\xff"}': "is not UTF-8",
    b'{"result": 1}': "has no id: it must repeat the request's, 4",
    b'{"id": 5, "result": 1}': "has the id 5: it must repeat the request's, 4",
    b'{"id": "4", "result": 1}': 'has the id "4" \\(text\\)',
    b'{"id": null, "error": "cannot parse"}': "has the id None and says cannot parse",
    b'{"id": 4}': "holds no outcome: exactly one",
    b'{"id": 4, "result": 1, "error": "x"}': "holds result and error: exactly one",
    b'{"id": 4, "result": 1, "result": 2}': "has the same key twice",
    b'{"id": 4, "result": ' + b"[" * 100_000: "is nested too deeply|is not JSON",
    b'{"id": 4, "result": ' + b"1" * 5000 + b"}": "is not JSON",
}


@pytest.mark.parametrize("line", WRONG, ids=lambda line: line[:40].decode(errors="replace"))
def test_what_is_wrong_with_a_line_is_said(line):
    with pytest.raises(BadReply, match=WRONG[line]):
        read_reply(line, 4)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ([[1, 2], [3]], "rows differ in length"),
        ("nan", "not an array of numbers"),
        (["nan"], "not an array of numbers"),
        ([1.5, "inf"], "not an array of numbers"),
        ([{}], "not an array of numbers"),
        ({}, "neither f64le nor i64le"),
        ({"f64le": "", "i64le": "", "shape": [0]}, "f64le and i64le"),
        ({"f64le": "AAAAAAAA8D8="}, "shape None"),
        ({"f64le": "AAAAAAAA8D8=", "shape": [-1]}, "shape"),
        ({"f64le": "AAAAAAAA8D8=", "shape": [1.5]}, "shape"),
        ({"f64le": "AAAAAAAA8D8=", "shape": [True]}, "shape"),
        ({"f64le": "AAAAAAAA8D8=", "shape": [2**47, 2**47]}, "8 bytes of f64le"),
        ({"f64le": "AAAAAAAA8D8=", "shape": [2]}, "8 bytes of f64le: shape .2. needs 16"),
        ({"f64le": "AAAAAAAA8D8", "shape": [1]}, "not base64"),
        ({"f64le": "AAAA\nAAAA8D8=", "shape": [1]}, "not base64"),
        ({"f64le": "AAAAAAAA8D8_", "shape": [1]}, "not base64"),
        ({"f64le": "é", "shape": [1]}, "not base64"),
        ({"f64le": [1.0], "shape": [1]}, "not text"),
    ],
)
def test_what_is_wrong_with_an_array_is_said(result, words):
    with pytest.raises(BadReply, match=words):
        read_array(result)


def read_everything(line):
    """Every reader on a line, taken as short and as long: the sentences of those that did not like it."""
    with pytest.MonkeyPatch.context() as patch:
        short, array = read_by_all(line), array_on(line)
        patch.setattr(wire, "LONG", 0)
        assert array_on(line) == array
        return short + read_by_all(line)


def array_on(line):
    try:
        array = read_array(read_reply(line, 1).content)
    except BadReply:
        return None
    return (array.shape, array.dtype, array.tobytes())


def read_by_all(line):
    try:
        content = read_reply(line, 1).content
    except BadReply as bad:
        return [str(bad)]
    sentences = []
    for read in (read_array, read_description):
        try:
            read(content)
        except (BadReply, SubjectFailed) as bad:
            sentences.append(str(bad))
    return sentences


@settings(max_examples=500 * CASES, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode(errors="surrogatepass")))
def test_any_bytes_are_read_or_refused_in_one_sentence(line):
    assert all(map(one_short_printable_sentence, read_everything(line)))


@settings(max_examples=200 * CASES, deadline=None)
@given(st.integers(0, 2**32))
def test_any_json_is_read_or_refused_in_one_sentence(seed):
    rng = random.Random(seed)
    for _ in range(20):
        assert all(map(one_short_printable_sentence, read_everything(json.dumps(awkward(rng)).encode())))


RIGHT = json.dumps({"id": 1, "result": packed(np.array([[1.0, 2.0], [3.0, 4.0]]))}).encode()


@settings(max_examples=500 * CASES, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(RIGHT)), st.integers(0, 2), st.binary(max_size=2)), max_size=4))
def test_a_right_reply_with_bytes_changed_is_read_or_refused_in_one_sentence(changes):
    line = bytearray(RIGHT)
    for at, cut, put in changes:
        line[at : at + cut] = put
    assert all(map(one_short_printable_sentence, read_everything(bytes(line))))


@settings(deadline=None)
@given(st.sampled_from(AWKWARD) | st.binary() | st.text())
def test_an_excerpt_is_printable_and_short(thing):
    assert excerpt(thing, 50).isprintable()
    assert len(excerpt(thing, 50)) <= 50
