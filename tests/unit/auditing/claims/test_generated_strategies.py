"""Strategies made from queries: what they ask, and what they find in sessions that count what they spend.

Right subjects are refuted with probability at most 1e-6; seeds are fixed.
"""

import sys

import pytest

import nrverify
from nrverify.subjects.dialogues import dialogue
from nrverify.subjects.generated_strategies import LENGTH, RULES, from_queries, generated, size
from tests.unit.auditing.claims import interactive


def asked(number, queries, answer):
    """What a strategy asks of a session that answers by a function of the queries so far."""
    seen = []

    def ask(query):
        seen.append(query)
        return answer(seen)

    dialogue(ask, from_queries(queries, number))
    return seen


def by_words(words):
    return next(number for number, rule in enumerate(RULES) if words in rule.words)


@pytest.mark.parametrize(
    ("words", "answer", "queries"),
    [
        ("every query in turn", lambda seen: 1, ["a", "b", "c"]),
        ("from the last to the first", lambda seen: 1, ["c", "b", "a"]),
        ("first query again", lambda seen: 1, ["a"] * LENGTH),
        ("last query again", lambda seen: 1, ["c"] * LENGTH),
        ("until an answer falls", lambda seen: [1, 2, 2, 5, 4][len(seen) - 1], ["a", "b", "c", "a", "b"]),
        ("until an answer is above 0", lambda seen: [-1, False, True][len(seen) - 1], ["a", "b", "c"]),
        ("after an answer above 0", lambda seen: [[1], -1, {"x": 2}, "t", None][len(seen) - 1], list("acaca")),
        ("when answers rise", lambda seen: [5, 4, 6, 6, 7, 8][len(seen) - 1], list("abbccc")),
        ("every query in turn", lambda seen: None, ["a"]),
    ],
)
def test_what_a_strategy_asks_depends_on_the_answers_as_its_words_say(words, answer, queries):
    assert asked(by_words(words), ["a", "b", "c"], answer) == queries


def test_one_query_has_the_strategies_that_do_not_choose():
    assert [rule.words for rule in generated([1])] == [rule.words for rule in RULES if not rule.several]
    assert len(generated([1, 2])) == len(RULES) == len({rule.words for rule in RULES})


def test_answers_of_any_kind_have_a_size():
    answers = [3, 2.5, True, None, "text", [], [[4], 1], {"a": 7}, float("nan"), 10**400]
    assert [size(answer) for answer in answers] == [3, 2.5, True, 0, 0, 0, 4, 7, 0, 10**400]


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("RepeatsAreFree", "asked by the "),
        ("BudgetIsACap", "asked by the "),
        ("HighAnswersAreFree", "asked by the "),
        ("DearerAlone", "asked by every query"),
        ("FreshNoise", "asked by every query"),
    ],
)
def test_sessions_that_charge_too_little_are_refuted_and_the_strategy_is_named(name, by):
    report = nrverify.audit(getattr(interactive, name), samples=20_000)
    claim = next(check for check in report.checks if check.id == "privacy.claim")
    assert (report.verdict, claim.verdict) == ("refuted", "refuted")
    assert by in claim.observed


@pytest.mark.parametrize("name", ["TwoReductions", "Odometer"])
def test_sessions_that_charge_what_they_cost_are_consistent(name):
    report = nrverify.audit(getattr(interactive, name), samples=12_000)
    assert (report.verdict, report.privacy) == ("consistent", "consistent")


HARNESS = """
import json, random, sys
said = {
    "protocol": 1, "mechanism": "any", "epsilon": 1.0, "neighbours": [[0, 1]], "queries": ["count"],
    "strategies": "generated", "methods": ["open"],
}
sessions = {}
for line in sys.stdin:
    request = json.loads(line)
    op = request["op"]
    if op == "describe":
        result = said
    elif op == "open":
        sessions[len(sessions)] = request["data"], random.Random(request["seed"]), []
        result = {"session": len(sessions) - 1}
    elif op == "ask":
        data, rng, asked = sessions[request["session"]]
        asked.append(request["query"])
        noise = rng.expovariate(1.0) - rng.expovariate(1.0)
        # Each answer has its own noise, at ε = 1: the second is not paid for.
        result = data + noise if len(asked) <= ANSWERED else None
    else:
        result = None
    print(json.dumps({"id": request["id"], "result": result}), flush=True)
    if op == "exit":
        break
"""


@pytest.mark.parametrize(("answered", "verdict"), [(1, "consistent"), (2, "refuted")])
def test_they_are_played_to_a_program_in_any_language(tmp_path, answered, verdict):
    harness = tmp_path / "harness.py"
    harness.write_text(HARNESS.replace("ANSWERED", str(answered)))
    report = nrverify.audit(f"cmd:{sys.executable} {harness}", samples=10_000)
    assert report.verdict == verdict, report.message


def test_queries_are_read_only_where_strategies_are_to_be_made_from_them():
    """Elsewhere a subject may call something else so."""

    class Runs(interactive.Odometer):
        open = None
        queries = 7

        def run(self, data, seed):
            return [[0.0, 0.5]]

    assert nrverify.audit(Runs, samples=1_200).verdict == "consistent"


def test_sessions_alone_with_queries_need_no_word_for_it():
    class Unsaid(interactive.RepeatsAreFree):
        strategies = None

    assert nrverify.audit(Unsaid, samples=20_000).verdict == "refuted"
