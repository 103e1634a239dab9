"""A subject behind the subprocess protocol, as small as it can be: bare normals in the batch encoding.

Run as `python -m nrverify.benchmark.harness`; what is measured with it is the pipe, the encoding and the reading.
"""

from __future__ import annotations

import base64
import json
import sys
from typing import Any

import numpy as np

DESCRIPTION = {
    "protocol": 1,
    "name": "bare normals",
    "version": "1",
    "language": "Python",
    "mechanism": "brownian",
    "knob": "time",
    "methods": ["sample"],
    "encodings": ["f64le"],
}
"""Nothing but what a request for samples needs: the protocol alone is measured."""


def answer(request: dict[str, Any]) -> Any:
    """The result of a request; anything but `describe`, `sample` and `stop` is no business of this subject."""
    if request["op"] == "describe":
        return DESCRIPTION
    if request["op"] == "sample":
        shape = (request["sessions"], len(request["schedule"]), len(request["value"]))
        noise = np.random.default_rng(request["seed"]).standard_normal(shape)
        return {"shape": list(shape), "f64le": base64.b64encode(noise.astype("<f8", copy=False).tobytes()).decode()}
    return None


def main() -> None:
    """Answers line by line until it is told to stop."""
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"id": request["id"], "result": answer(request)}), flush=True)
        if request["op"] == "stop":
            return


if __name__ == "__main__":
    main()
