// A harness in JavaScript: `node harness.js brownian | brownian-fresh | threshold | threshold-fresh`.
// The -fresh variants are wrong: noise that must be reduced, or kept, is drawn afresh.
"use strict";

const kind = process.argv[2];
if (!/^(brownian|threshold)(-fresh)?$/.test(kind)) {
  console.error(`no kind ${kind}: brownian | brownian-fresh | threshold | threshold-fresh`);
  process.exit(2);
}
const fresh = kind.endsWith("-fresh");

// Random numbers: sfc32, seeded with all 53 bits.
function generator(seed) {
  let [a, b, c, counter] = [seed % 2 ** 32 | 0, Math.floor(seed / 2 ** 32) | 0, 0x9e3779b9 | 0, 1];
  const bits = () => {
    const t = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 20; i++) bits();
  const uniform = () => (bits() * 2 ** 21 + (bits() >>> 11) + 0.5) / 2 ** 53;
  return {
    uniform,
    seed: () => bits() * 2 ** 21 + (bits() >>> 11),
    normal: () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
    laplace: (scale) => scale * Math.log(uniform() / uniform()),
  };
}

class Refusal extends Error {}

// f(x) plus a Brownian path at times that never increase: the next noise is drawn from the bridge to 0.
class Session {
  constructor(value, seed) {
    this.value = value;
    this.random = generator(seed);
    this.time = Infinity;
    this.noise = value.map(() => 0);
  }

  release(at) {
    if (!(at > 0 && at <= this.time)) throw new Refusal(`time ${at} must be positive and must not increase`);
    const first = this.time === Infinity || fresh;
    const kept = first ? 0 : at / this.time;
    const deviation = Math.sqrt(first ? at : at * (1 - at / this.time));
    if (at !== this.time) this.noise = this.noise.map((noise) => kept * noise + deviation * this.random.normal());
    this.time = at;
    return this.value.map((x, i) => x + this.noise[i]);
  }
}

// The bits printed: 0 for each utility below the threshold, a last 1 for the first above, with noise on both.
function aboveThreshold({ utilities, epsilons, threshold, sensitivity }, random) {
  const scale = sensitivity / epsilons[0];
  let noise = random.laplace(2 * scale);
  const bits = [];
  for (const utility of utilities) {
    if (fresh) noise = random.laplace(2 * scale);
    bits.push(Number(utility + random.laplace(4 * scale) >= threshold + noise));
    if (bits.at(-1)) break;
  }
  return bits;
}

function packed(transcripts) {
  const numbers = Float64Array.from(transcripts.flat(2)); // little-endian on every machine that runs node
  const shape = [transcripts.length, transcripts[0].length, transcripts[0][0].length];
  return { shape, f64le: Buffer.from(numbers.buffer).toString("base64") };
}

const sessions = new Map();
let opened = 0;
const answers = {
  describe: () => ({
    protocol: 1,
    name: `JavaScript ${kind}`,
    version: "1",
    language: "javascript",
    ...(kind.startsWith("brownian")
      ? { mechanism: "brownian", methods: ["open", "sample"], encodings: ["json", "f64le"] }
      : { mechanism: "above-threshold", methods: ["run", "run_many"] }),
  }),
  open: ({ value, seed }) => {
    sessions.set(++opened, new Session(value, seed));
    return { session: opened };
  },
  release: ({ session, at }) => sessions.get(session).release(at),
  close: ({ session }) => void sessions.delete(session),
  sample: (request) => {
    const random = generator(request.seed);
    const transcripts = Array.from({ length: request.sessions }, () => {
      const session = new Session(request.value, random.seed());
      return request.schedule.map((at) => session.release(at));
    });
    return request.encoding === "f64le" ? packed(transcripts) : transcripts;
  },
  run: (request) => aboveThreshold(request, generator(request.seed)),
  run_many: (request) => {
    const random = generator(request.seed);
    return Array.from({ length: request.runs }, () => aboveThreshold(request, random).indexOf(1) + 1);
  },
  stop: () => null,
};

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  let reply;
  try {
    reply = { result: answers[request.op](request) ?? null };
  } catch (error) {
    reply = error instanceof Refusal ? { refused: error.message } : { error: String(error) };
  }
  process.stdout.write(JSON.stringify({ id: request.id, ...reply }) + "\n", () => {
    if (request.op === "stop") process.exit(0);
  });
});
