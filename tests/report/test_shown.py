"""`nrverify.audit` gives a report that prints itself."""

import inspect

import numpy as np

import nrverify
from nrverify.auditing.audit import audit


class Fresh:
    mechanism = "brownian"

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        return value + np.sqrt(schedule)[:, None] * rng.standard_normal((sessions, len(schedule), len(value)))


def test_a_report_prints_as_on_a_terminal_and_shows_the_page_in_a_notebook():
    report = nrverify.audit(Fresh(), samples=400)
    assert isinstance(report, nrverify.Report)
    text = str(report)
    assert text.startswith("Fresh (brownian, knob time)\nrefuted: ")
    assert "\x1b" not in text
    page = report._repr_html_()
    assert page.startswith("<iframe srcdoc=")
    assert "&lt;!doctype html&gt;" in page.lower()
    assert "<script" not in page


def test_it_is_called_as_the_audit_is():
    assert inspect.signature(nrverify.audit).parameters == inspect.signature(audit).parameters
    assert nrverify.audit.__doc__ == audit.__doc__
