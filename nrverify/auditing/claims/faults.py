"""Faults as they are worded for a mechanism whose law is not known; their ids are those of the common table."""

from __future__ import annotations

from dataclasses import replace

from nrverify.auditing.core.faults import noise
from nrverify.auditing.core.faults.outputs import PRICE_OF_STATE

__all__ = ["CLAIM_VIOLATED", "FEW_STREAMS", "PRICE_OF_STATE"]

CLAIM_VIOLATED = replace(
    noise.CLAIM_VIOLATED,
    cause="less noise than the claim needs, or something is released that was not paid for",
    consequence="whoever sees the output learns more about the data than is claimed",
    look="the scale of the noise, the sensitivity, and everything else that the output shows",
)
FEW_STREAMS = replace(
    noise.FEW_STREAMS,
    cause="the seed is ignored, cut down, or shared, so that the same noise comes again",
    consequence="whoever knows the few noises there are subtracts them",
    look="how the seed reaches the generator",
)
