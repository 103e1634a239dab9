"""Vectors: certified test vectors for implementers in any language.

`nrverify vectors` writes one JSON file for each function; every number in it is a decimal string. A file says what the
function is (`statement`, `domain`), what goes in and comes out, and which bugs its cases were made to catch (`flags`).

How to compare. Read the inputs as your own numbers (double precision is enough) and compute. A case with
`"result": "valid"` passes when, for each output,

    |computed − value| ≤ tolerance·|value| + radius.

`radius` is certified: the true result for exactly the decimals written lies within it of `value`. It comes from ball
arithmetic (Arb), never from floating point; where it is "0" the value is exact, and otherwise the value is the true one
correctly rounded to its digits. (Where no closed form is known, it is the middle of a proved enclosure.) `tolerance` is
a hint for double precision: 16 roundings for a closed form, 1024 for a series or an integral, 65536 for an integral
equation, magnified by the condition of the function there (`nrverify.vectors.conditioning`). An exact zero has to come
out as zero. Software that computes with more digits takes a tighter tolerance, down to 0. A case with
`"result": "invalid"` passes when the implementation refuses the input, whichever way it refuses things; a number, an
infinity or NaN is a failure.

Case ids are permanent: a number is never given to another input, and a case is never changed, only added.
"""
