// SHA-256, written out because browsers offer theirs only on https and localhost.

const [ROOTS, CUBE_ROOTS] = sha256Constants();

// The first 32 bits of the fractions of the square and cube roots of the first primes, by whole
// numbers: a table of 72 of them could be mistyped, a root cannot.
function sha256Constants() {
  const primes = [];
  for (let n = 2; primes.length < 64; n += 1) {
    if (primes.every((p) => n % p !== 0)) primes.push(n);
  }
  const root = (prime, power) => {
    const target = BigInt(prime) << BigInt(32 * power);
    let low = 0n;
    let high = 1n << 40n;
    while (high - low > 1n) {
      const middle = (low + high) >> 1n;
      if (middle ** BigInt(power) <= target) low = middle;
      else high = middle;
    }
    return Number(low & 0xffffffffn);
  };
  return [primes.slice(0, 8).map((p) => root(p, 2)), primes.map((p) => root(p, 3))];
}

const turned = (x, n) => (x >>> n) | (x << (32 - n));

function hashBlock(state, block) {
  const w = new Int32Array(64);
  for (let i = 0; i < 16; i += 1) w[i] = block.getInt32(4 * i);
  for (let i = 16; i < 64; i += 1) {
    const a = w[i - 15];
    const b = w[i - 2];
    const s0 = turned(a, 7) ^ turned(a, 18) ^ (a >>> 3);
    const s1 = turned(b, 17) ^ turned(b, 19) ^ (b >>> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i += 1) {
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const first = (h + s1 + ((e & f) ^ (~e & g)) + CUBE_ROOTS[i] + w[i]) | 0;
    const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, i) => {
    state[i] += value;
  });
}

/** SHA-256 of a text, as 64 hex digits. */
export function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  const blocks = Math.floor((bytes.length + 8) / 64) + 1;
  const padded = new DataView(new ArrayBuffer(64 * blocks));
  bytes.forEach((byte, i) => padded.setUint8(i, byte));
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(64 * blocks - 8, Math.floor(bytes.length / 0x20000000));
  padded.setUint32(64 * blocks - 4, bytes.length * 8);
  const state = Uint32Array.from(ROOTS);
  for (let i = 0; i < blocks; i += 1) hashBlock(state, new DataView(padded.buffer, 64 * i, 64));
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}
