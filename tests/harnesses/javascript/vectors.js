// Checks an implementation in JavaScript against nrverify's certified test vectors.
//
//   node vectors.js DIR [--bug NAME]
//
// DIR holds the JSON files. Replace the functions in the middle by your own. A case passes when every output is within
// tolerance·|value| + radius or, for an invalid case, when the function throws. Exit 0 when all pass, 1 when a case
// fails, 2 when the files cannot be read. --bug plants a bug, to see the vectors catch it.
"use strict";
const fs = require("node:fs");
const path = require("node:path");

const usage = process.argv.length === 3 || (process.argv.length === 5 && process.argv[3] === "--bug");
if (!usage) {
  console.error("usage: node vectors.js DIR [--bug NAME]");
  process.exit(2);
}
const folder = process.argv[2];
const bug = process.argv[4] ?? "";
let planted = false; // whether the bug asked for is one of these functions'
const has = (name) => {
  planted ||= bug === name;
  return bug === name;
};

// ---- the implementation under test: each function returns its outputs, or throws ----

const demand = (condition) => {
  if (!condition && !has("unchecked")) throw new RangeError("refused");
};
const positive = (...xs) => demand(xs.every((x) => Number.isFinite(x) && x > 0));
const finite = (...xs) => demand(xs.every(Number.isFinite));
const probability = (p) => demand(p > 0 && p < 1);
const ordered = (s, t) => demand(s > 0 && s <= t && Number.isFinite(t));
const ln = (x) => (has("log10") ? Math.log10(x) : Math.log(x));

function erfc(x) {
  if (x < 0) return 2 - erfc(-x);
  if (x < 2) {
    // erf by its series with positive terms: (2/√π) e^(−x²) Σ 2^k x^(2k+1) / (1·3···(2k+1))
    let term = x;
    let sum = x;
    for (let k = 1; term > 1e-18 * sum; k++) sum += term *= (2 * x * x) / (2 * k + 1);
    return 1 - (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }
  let tail = 0; // the continued fraction of e^(x²) erfc(x), from far out inwards
  for (let k = 200; k > 0; k--) tail = k / 2 / (x + tail);
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + tail);
}

function loss(time, value, neighbour, release, term) {
  positive(time);
  finite(...value, ...neighbour, ...release);
  demand(value.length > 0 && value.length === neighbour.length && value.length === release.length);
  const terms = value.map((v, i) => term(v, neighbour[i], 0.5 * (release[i] - v) + 0.5 * (release[i] - neighbour[i])));
  return (terms.reduce((sum, one) => sum + one, 0) / time) * (has("swapped") ? -1 : 1);
}

const mixture = ({ rho, delta, sensitivity }, t) => {
  const growth = has("log10") ? Math.log10(1 + t / rho) : Math.log1p(t / rho);
  const level = (has("missing-2") ? 1 : 2) * (growth / 2 - ln(delta));
  return (sensitivity / t) * (sensitivity / 2 + Math.sqrt((t + rho) * level));
};

// log 2Φ(u) + u²/2 = log(1/δ) + ½ log(1 + t/ρ), by bisection; the left side increases in u > 0.
const halfNormal = ({ rho, delta, sensitivity }, t) => {
  const level = -ln(delta) + (has("log10") ? Math.log10(1 + t / rho) : Math.log1p(t / rho)) / 2;
  const excess = (u) => (u * u) / 2 + Math.log((has("missing-2") ? 0.5 : 1) * erfc(-u / Math.SQRT2)) - level;
  let [low, high] = [0, Math.sqrt(2 * level) + 2];
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2;
    [low, high] = excess(middle) > 0 ? [low, middle] : [middle, high];
  }
  return (sensitivity / t) * (sensitivity / 2 + low * Math.sqrt(t + rho));
};

function inverse(boundary, parameters, epsilon) {
  let low = parameters.sensitivity * (parameters.sensitivity / (2 * epsilon)); // below the root
  let high = low;
  for (let i = 0; i < 2000 && boundary(parameters, high) > epsilon; i++) high *= 4;
  for (let i = 0; i < 200; i++) {
    const middle = Math.sqrt(low) * Math.sqrt(high);
    [low, high] = boundary(parameters, middle) > epsilon ? [middle, high] : [low, middle];
  }
  return low;
}

const brownianBridge = ({ s, t, given }) => {
  ordered(s, t);
  finite(given);
  const variance = s * ((t - s) / t);
  return { mean: given * (s / t), variance: has("sd-for-variance") ? Math.sqrt(variance) : variance };
};

const functions = {
  "brownian-loss": ({ time, value, neighbour, release }) => {
    const found = loss(time, value, neighbour, release, (v, n, middle) => (v - n) * middle);
    return { loss: (found * (has("missing-half") ? 2 : 1)) / (has("sd-for-variance") ? time : 1) };
  },
  "laplace-loss": ({ time, value, neighbour, release }) => {
    const cut = (x, gap) => Math.max(-gap, Math.min(gap, x));
    const term = (v, n, middle) => Math.sign(v - n) * cut(2 * middle, Math.abs(v - n));
    return { loss: loss(time, value, neighbour, release, term) };
  },
  "linear-boundary": ({ a, b, sensitivity, time }) => {
    positive(a, b, sensitivity, time);
    return { epsilon: (sensitivity / time) * (sensitivity * (has("missing-half") ? 1 : 0.5) + b) + sensitivity * a };
  },
  "linear-inverse": ({ a, b, sensitivity, epsilon }) => {
    positive(a, b, sensitivity, epsilon);
    if (!has("floor")) demand(epsilon > sensitivity * a); // the boundary never falls to its floor
    const mean = sensitivity * (has("missing-half") ? 1 : 0.5);
    return { time: (sensitivity * (mean + b)) / (epsilon - sensitivity * a) };
  },
  "linear-tightest": ({ epsilon, delta, sensitivity }) => {
    positive(epsilon, sensitivity);
    probability(delta);
    const level = -ln(delta) * (has("missing-2") ? 2 : 1);
    const root = Math.sqrt(level);
    const a = (epsilon * root) / (Math.sqrt(level + epsilon) + root) / sensitivity; // no difference of roots
    const b = level / (2 * a);
    return { a, b, time: b / a };
  },
  "mixture-boundary": (inputs) => {
    positive(inputs.rho, inputs.sensitivity, inputs.time);
    probability(inputs.delta);
    return { epsilon: mixture(inputs, inputs.time) };
  },
  "mixture-inverse": (inputs) => {
    positive(inputs.rho, inputs.sensitivity, inputs.epsilon);
    probability(inputs.delta);
    return { time: inverse(mixture, inputs, inputs.epsilon) };
  },
  "half-normal-boundary": (inputs) => {
    positive(inputs.rho, inputs.sensitivity, inputs.time);
    probability(inputs.delta);
    return { epsilon: halfNormal(inputs, inputs.time) };
  },
  "half-normal-inverse": (inputs) => {
    positive(inputs.rho, inputs.sensitivity, inputs.epsilon);
    probability(inputs.delta);
    return { time: inverse(halfNormal, inputs, inputs.epsilon) };
  },
  "brownian-bridge-moments": brownianBridge,
  "brownian-bridge-cdf": (inputs) => {
    const { mean, variance } = brownianBridge(inputs);
    finite(inputs.x);
    if (variance === 0) return { cdf: inputs.x >= mean ? 1 : 0, sf: inputs.x < mean ? 1 : 0 };
    const z = (inputs.x - mean) / Math.sqrt(variance) / Math.SQRT2;
    return { cdf: erfc(-z) / 2, sf: erfc(z) / 2 };
  },
  "laplace-tie": ({ s, t }) => {
    ordered(s, t);
    return { probability: has("atom-s-over-t") ? s / t : (s / t) * (s / t) };
  },
  "laplace-bridge-atom": ({ s, t, given }) => {
    ordered(s, t);
    finite(given);
    return { atom: (s / t) * (has("atom-s-over-t") ? 1 : Math.exp((-Math.abs(given) / s) * ((t - s) / t))) };
  },
  "laplace-bridge-cdf": ({ s, t, given, x }) => {
    ordered(s, t);
    finite(given, x);
    const [z, y] = [Math.abs(given), given < 0 ? -x : x]; // the frame where the last noise is not negative
    const [outside, inside] = [(t - s) / (2 * t), (t + s) / (2 * t)];
    const slow = (length) => (length / s) * ((t - s) / t);
    const fast = (length) => (length / s) * ((t + s) / t);
    const beyond = outside * Math.exp(-slow(z) - fast(y - z));
    const before = outside * Math.exp(fast(Math.min(y, 0)));
    const above = (atom) => (y < 0 ? 1 - before : y < z || (y === z && atom) ? inside * Math.exp(-slow(y)) : beyond);
    const below = (atom) =>
      y < 0 ? before : y < z || (y === z && !atom) ? outside - inside * Math.expm1(-slow(y)) : 1 - beyond;
    const right =
      given < 0
        ? { cdf: above(true), cdf_left: above(false), sf: below(false) }
        : { cdf: below(true), cdf_left: below(false), sf: above(false) };
    return has("left-limit") ? { ...right, cdf_left: right.cdf } : right;
  },
  "threshold-worst-loss": ({ epsilons }) => {
    positive(...epsilons);
    demand(epsilons.length > 0 && epsilons.every((e, i) => i === 0 || e >= epsilons[i - 1]));
    const sum = epsilons.reduce((total, e) => total + e, 0);
    return { loss: Math.min(epsilons[epsilons.length - 1], sum / (has("half-for-quarter") ? 2 : 4)) };
  },
  "threshold-margin-tail": ({ eta, epsilon, sensitivity }) => {
    finite(eta);
    positive(epsilon, sensitivity);
    const q = Math.exp(-Math.abs(eta) * (epsilon / (4 * sensitivity)));
    const tail = (q * (4 - q)) / 6;
    return { probability: eta < 0 ? 1 - tail : tail };
  },
};

// ---- the comparison ----

const number = (text) => ({ inf: Infinity, "-inf": -Infinity, nan: NaN })[text] ?? Number(text);
const read = (value) => (Array.isArray(value) ? value.map(number) : number(value));

function passes(one, compute) {
  const inputs = Object.fromEntries(Object.entries(one.inputs).map(([name, value]) => [name, read(value)]));
  let outputs;
  try {
    outputs = compute(inputs);
  } catch (error) {
    if (error instanceof RangeError) return one.result === "invalid";
    throw error;
  }
  if (one.result === "invalid") return false;
  return Object.entries(one.outputs).every(([name, { value, radius, tolerance }]) => {
    const allowed = number(tolerance) * Math.abs(number(value)) + number(radius);
    return Math.abs(outputs[name] - number(value)) <= allowed; // NaN fails too
  });
}

let failed = false;
for (const [name, compute] of Object.entries(functions)) {
  let file;
  try {
    file = JSON.parse(fs.readFileSync(path.join(folder, `${name}.json`), "utf8"));
  } catch (error) {
    console.error(`cannot read ${name}.json: ${error.message}`);
    process.exit(2);
  }
  const wrong = file.cases.filter((one) => !passes(one, compute)).map((one) => one.id);
  const total = file.cases.length;
  console.log([wrong.length ? "FAIL" : "pass", name, `${total - wrong.length}/${total}`, ...wrong].join(" "));
  failed ||= wrong.length > 0 || total === 0;
}
if (bug && !planted) {
  console.error(`no function here has a bug "${bug}"`);
  process.exit(2);
}
process.exit(failed ? 1 : 0);
