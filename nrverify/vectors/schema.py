"""The JSON Schema of a file of vectors: enough to use them from any language, without this package."""

from __future__ import annotations

import json
from typing import Any

from nrverify.vectors.document import SCHEMA

_DECIMAL = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?(e-?[1-9][0-9]*)?$"


def schema() -> dict[str, Any]:
    """The schema, draft 2020-12, with descriptions."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:nrverify:vectors:1",
        "title": "nrverify test vectors",
        "description": (
            "Certified test vectors of one function of noise-reduction differential privacy. To test an "
            "implementation: for each case, read the inputs as your own numbers (IEEE doubles are enough) and call "
            'your function with them. Where result is "valid", the case passes when for every output '
            '|computed − value| ≤ tolerance·|value| + radius; an output "0" has to come out as zero. Where result is '
            '"invalid", the case passes when your function refuses the input (an exception, an error code, an empty '
            "result: its own way of refusing); a number, an infinity or NaN is a failure. A failing case names in its "
            "flags the bugs that make it fail, and the flags of the file say what they do. All numbers are decimal "
            'strings and denote exactly what they say: "0.1" is one tenth, not a double. Logarithms are natural.'
        ),
        "type": "object",
        "required": ["schema", "function", "statement", "domain", "inputs", "outputs", "flags", "cases"],
        "additionalProperties": False,
        "properties": {
            "schema": {"const": SCHEMA, "description": "The version of this format."},
            "function": {
                "type": "string",
                "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
                "description": "The name of the function; also of the file, without .json.",
            },
            "statement": {
                "type": "string",
                "description": (
                    "What the function is, as a formula in its inputs. Φ is the standard normal distribution function, "
                    "log the natural logarithm, W standard Brownian motion."
                ),
            },
            "domain": {"type": "string", "description": "Where it is defined; anything else has to be refused."},
            "inputs": {
                "type": "object",
                "description": "Every input by name; each case has exactly these.",
                "additionalProperties": {"$ref": "#/$defs/input"},
            },
            "outputs": {
                "type": "object",
                "description": "Every output by name, with its meaning; each valid case has exactly these.",
                "additionalProperties": {"type": "string"},
            },
            "flags": {
                "type": "object",
                "description": (
                    "The bugs that the cases of this file catch. Every case that lists a flag fails an implementation "
                    "with that bug."
                ),
                "additionalProperties": {"$ref": "#/$defs/flag"},
            },
            "cases": {
                "type": "array",
                "minItems": 1,
                "items": {"$ref": "#/$defs/case"},
                "description": "The cases, by id.",
            },
        },
        "$defs": {
            "decimal": {
                "type": "string",
                "pattern": _DECIMAL,
                "description": "A finite decimal number, for example 0.25, -3 or 1e-300.",
            },
            "number": {
                "description": "A decimal; or inf, -inf, nan: to be refused, unless the input's meaning allows inf.",
                "anyOf": [{"$ref": "#/$defs/decimal"}, {"enum": ["inf", "-inf", "nan"]}],
            },
            "input": {
                "type": "object",
                "required": ["type", "meaning"],
                "additionalProperties": False,
                "properties": {
                    "type": {
                        "enum": ["real", "reals", "integer", "integers", "bits"],
                        "description": (
                            "real and integer: one number. reals, integers: a list of them. bits: a list of 0 and 1. "
                            "An integer input that is no integer, or a bit that is neither, has to be refused."
                        ),
                    },
                    "meaning": {"type": "string", "description": "What the input is."},
                },
            },
            "flag": {
                "type": "object",
                "required": ["bug", "effect"],
                "additionalProperties": False,
                "properties": {
                    "bug": {"type": "string", "description": "The mistake in the code."},
                    "effect": {"type": "string", "description": "What it does to privacy or accuracy."},
                },
            },
            "output": {
                "type": "object",
                "required": ["value", "radius", "tolerance"],
                "additionalProperties": False,
                "properties": {
                    "value": {
                        "$ref": "#/$defs/decimal",
                        "description": "The result. Trailing zeros are left out; the radius says how many digits hold.",
                    },
                    "radius": {
                        "$ref": "#/$defs/decimal",
                        "description": (
                            "Certified by ball arithmetic: the true result for exactly these inputs lies within it of "
                            "value. 0 where value is exact."
                        ),
                    },
                    "tolerance": {
                        "$ref": "#/$defs/decimal",
                        "description": (
                            "A hint, relative to |value|, for implementations in IEEE double precision: 2^-53 times "
                            "the number of operations (16 for a closed form, 1024 for a series or an integral, 65536 "
                            "for an integral equation) times one plus the sum of the condition numbers of the "
                            "function in its real inputs."
                        ),
                    },
                },
            },
            "case": {
                "type": "object",
                "required": ["id", "comment", "flags", "inputs", "result"],
                "properties": {
                    "id": {
                        "type": "string",
                        "pattern": "^[a-z0-9]+(-[a-z0-9]+)*-[0-9]{4}$",
                        "description": "Permanent: an id never denotes another input, in any later version.",
                    },
                    "comment": {"type": "string", "description": "What is special about the case."},
                    "flags": {
                        "type": "array",
                        "uniqueItems": True,
                        "items": {"type": "string"},
                        "description": "The bugs, among the flags of the file, that this case catches.",
                    },
                    "inputs": {
                        "type": "object",
                        "description": "A number for each input, or a list of numbers.",
                        "additionalProperties": {
                            "anyOf": [
                                {"$ref": "#/$defs/number"},
                                {"type": "array", "items": {"$ref": "#/$defs/number"}},
                            ]
                        },
                    },
                    "result": {
                        "enum": ["valid", "invalid"],
                        "description": "valid: the outputs have to be computed. invalid: the input has to be refused.",
                    },
                    "outputs": {
                        "type": "object",
                        "additionalProperties": {"$ref": "#/$defs/output"},
                        "description": "Each output by name.",
                    },
                    "reason": {"type": "string", "description": "Why the input is invalid."},
                },
                "oneOf": [
                    {
                        "properties": {"result": {"const": "valid"}, "reason": False},
                        "required": ["outputs"],
                    },
                    {
                        "properties": {"result": {"const": "invalid"}, "outputs": False},
                        "required": ["reason"],
                    },
                ],
            },
        },
    }


def schema_text() -> str:
    """The schema as it is written."""
    return json.dumps(schema(), ensure_ascii=False, indent=1) + "\n"
