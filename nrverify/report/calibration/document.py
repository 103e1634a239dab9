"""The calibration as data: `nrverify/calibration/1`."""

from __future__ import annotations

import json
import math
from typing import Any

from nrverify.auditing.core.document import finite
from nrverify.calibrate.calibration import Calibration
from nrverify.calibrate.causes import Causes
from nrverify.calibrate.effects import Effects
from nrverify.calibrate.efficiency import Efficiency
from nrverify.calibrate.empirical import EmpiricalEpsilon
from nrverify.calibrate.false_alarms import Alarms
from nrverify.calibrate.matrix import Kill, KillMatrix
from nrverify.calibrate.stated.sizes import Stated

SCHEMA = "nrverify/calibration/1"


def calibration_json(calibration: Calibration) -> str:
    """The whole calibration as one JSON document."""
    return json.dumps(calibration_document(calibration), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def calibration_document(calibration: Calibration) -> dict[str, Any]:
    """The document behind the JSON report: a part that did not run is null; numbers without end are strings."""
    return {
        "schema": SCHEMA,
        "green": calibration.green,
        "scope": calibration.scope.name,
        "seed": calibration.seed,
        "matrix": None if calibration.matrix is None else _matrix(calibration.matrix),
        "causes": [_causes(row) for row in calibration.causes],
        "effects": None if calibration.effects is None else _effects(calibration.effects),
        "stated_sizes": None if calibration.sizes is None else [_stated(row) for row in calibration.sizes],
        "false_alarms": None if calibration.alarms is None else [_alarms(row) for row in calibration.alarms],
        "efficiency": None if calibration.efficiency is None else [_efficiency(row) for row in calibration.efficiency],
        "empirical_epsilon": None if calibration.empirical is None else [_empirical(r) for r in calibration.empirical],
    }


def _matrix(matrix: KillMatrix) -> dict[str, Any]:
    standings = [
        {
            "check": standing.id,
            "refutes": standing.refutes,
            "alone": list(standing.alone),
            "claims": list(standing.claims),
            "earned": standing.earned,
        }
        for standing in matrix.standings()
    ]
    return {
        "alpha": matrix.alpha,
        "samples": matrix.samples,
        "mutants": [_kill(kill) for kill in matrix.kills],
        "benign": [{"name": found.benign.name, "verdict": found.trial.verdict} for found in matrix.spared],
        "checks": standings if matrix.whole else None,
    }


def _kill(kill: Kill) -> dict[str, Any]:
    return {
        "name": kill.mutant.name,
        "mistake": kill.mutant.mistake,
        "effect": kill.mutant.effect,
        "verdict": kill.first.verdict,
        "samples": kill.first.samples,
        "refuted_first": list(kill.first.refuted),
        "refuted_within_budget": None if kill.whole is None else list(kill.whole.refuted),
        "limit": None if kill.limit is None else _number(kill.limit),
        "ratio": None if kill.ratio is None else _number(kill.ratio),
    }


def _effects(found: Effects) -> dict[str, Any]:
    return {
        "leaking": [{"name": one.name, "told": list(one.told), "loss": finite(one.loss)} for one in found.leaking],
        "different": [{"name": one.name, "told": list(one.told), "loss": finite(one.loss)} for one in found.different],
    }


def _stated(row: Stated) -> dict[str, Any]:
    return {
        "check": row.name,
        "detectable_size": {"quantity": row.quantity, "value": row.size, "unit": row.unit},
        "trials": row.trials,
        "refuted_at_a_third": row.third,
        "refuted_at_the_size": row.at,
        "refuted_above": row.above,
        "factor_above": row.factor,
        "met": row.met,
    }


def _causes(row: Causes) -> dict[str, Any]:
    return {
        "when": row.when,
        "mutants": len(row.namings),
        "first": row.first,
        "among": row.among,
        "false": row.false,
        "mistaken": {one.mutant: list(one.named) for one in row.mistaken},
        "met": row.green,
    }


def _alarms(row: Alarms) -> dict[str, Any]:
    return {
        "subject": row.name,
        "audits": row.audits,
        "alarms_at_0.05": row.loose,
        "limits_at_0.05": list(row.interval(row.loose)),
        "alarms_at_1e-6": row.strict,
        "limits_at_1e-6": list(row.interval(row.strict)),
        "could_not_be_run": row.failed,
        "met": row.green,
    }


def _efficiency(row: Efficiency) -> dict[str, Any]:
    return {
        "fault": row.name,
        "nats_per_sample": row.nats,
        "limit": row.limit,
        "samples": list(row.samples),
        "missed": row.missed,
        "ratio": _number(row.ratio),
        "met": row.met,
    }


def _empirical(row: EmpiricalEpsilon) -> dict[str, Any]:
    return {
        "mechanism": row.name,
        "runs": row.runs,
        "bounds": list(row.bounds),
        "against": row.against,
        "ratio": row.ratio,
        "met": row.met,
    }


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else repr(value)
