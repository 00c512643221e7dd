// The random numbers of a table: the same as in src/kibitz/rng.py and src/kibitz/table/chance.py.

import { sha256 } from "./sha256.js";

const WORD = (1n << 64n) - 1n;
const GOLDEN = 0x9e3779b97f4a7c15n;
const LOW = 0xffffffffn;

function mixed(x) {
  x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD;
  x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & WORD;
  return x ^ (x >> 31n);
}

/** The chance of the game: the stream 0 of a seed of 128 bits, as two words. */
function generator(seed, index = 0n, stream = 0n) {
  const a = mixed(((seed >> 64n) + GOLDEN) & WORD);
  const b = mixed((seed & WORD) ^ mixed(a));
  const tag = mixed(mixed((index + GOLDEN) & WORD) ^ ((stream + GOLDEN) & WORD));
  let left = a ^ tag;
  let right = (b + tag) & WORD;
  right ^= mixed(left);
  left ^= mixed(right);
  right ^= mixed(left);
  return [(left + a) & WORD, ((right + b) & WORD) | 1n];
}

const rotated = (x, n) => ((x << n) | (x >> (64n - n))) & WORD;

/** The numbers of version 1, xoroshiro128++. */
function plainWords(seed) {
  const rng = generator(seed);
  return () => nextWord(rng);
}

/** Those of version 2: SHA-256 of the seed and the number of the block, four words each. */
function secretWords(seed, index = 0) {
  const start = `kibitz chance 2:${seed.toString(16).padStart(32, "0")}:${index}:`;
  let read = 0;
  let block = "";
  return () => {
    const at = read % 4;
    if (at === 0) block = sha256(`${start}${read / 4}`);
    read += 1;
    return BigInt(`0x${block.slice(16 * at, 16 * at + 16)}`);
  };
}

/** The chance of a game dealt by that version: a function that gives the next word. */
export function chanceOf(version, seed) {
  return version === 1 ? plainWords(seed) : secretWords(seed);
}

function nextWord(rng) {
  const [a] = rng;
  const b = rng[1] ^ a;
  const out = (rotated((a + rng[1]) & WORD, 17n) + a) & WORD;
  rng[0] = rotated(a, 49n) ^ b ^ ((b << 21n) & WORD);
  rng[1] = rotated(b, 28n);
  return out;
}

/** A whole number from 0 to n - 1. */
export function below(chance, n) {
  const bound = BigInt(n);
  let product = (chance() >> 32n) * bound;
  if ((product & LOW) < bound) {
    const threshold = (LOW - bound + 1n) % bound;
    while ((product & LOW) < threshold) product = (chance() >> 32n) * bound;
  }
  return Number(product >> 32n);
}
