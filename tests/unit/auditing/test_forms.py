"""Every form of a fault is in the table, under one general fault that is in it too."""

from nrverify.auditing.core.faults import fault_of, known_faults
from nrverify.auditing.core.faults.forms import FORMS, general_id

CONTRACT = {
    "fresh-noise",
    "wrong-scale",
    "wrong-shape",
    "shifted",
    "wrong-bridge-mean",
    "wrong-bridge-variance",
    "wrong-stay-probability",
    "value-in-clear",
    "depends-on-value",
    "shared-between-coordinates",
    "shared-between-sessions",
    "few-streams",
    "state-between-sessions",
    "repeated-time-redrawn",
    "rounded",
    "single-precision",
    "off-grid",
    "clipped",
    "not-a-number",
    "rare-sessions",
    "threshold-noise-redrawn",
    "wrong-threshold-scale",
    "wrong-query-scale",
    "wrong-epsilon",
    "too-little-noise-for-claim",
    "boundary-crossed",
    "boundary-rises",
    "inverse-too-small",
    "last-bits",
    "claim-violated",
    "unknown",
}
"""The ids with which the table begins: programs that are not in this repository compare them."""


def test_the_table_has_every_id_that_programs_rely_on():
    assert set(known_faults()) >= CONTRACT


def test_every_form_is_a_fault_of_the_table_and_of_one_general_fault_alone():
    forms = [form for group in FORMS.values() for form in group]
    assert len(set(forms)) == len(forms)
    assert set(forms) | set(FORMS) <= set(known_faults())
    assert not set(forms) & set(FORMS)


def test_general_faults_are_those_that_programs_rely_on():
    assert set(FORMS) <= CONTRACT


def test_a_fault_that_is_no_form_is_its_own_general_fault():
    assert general_id(fault_of("clipped")) == "clipped"
    assert general_id(fault_of("all-releases-fresh")) == "fresh-noise"
