// The fair deal, checked by the page itself: the server promised a secret before it knew the number
// that the browser chose, so neither could pick the cards. Here the secret is held against the
// promise, and the cards are dealt again from both numbers, exactly as the server deals them.
// SHA-256 is written out because browsers offer theirs only on https and localhost.

// --- SHA-256 ---------------------------------------------------------------------------------------

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

// --- random numbers: as in src/kibitz/rng.py -------------------------------------------------------

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

function nextWord(rng) {
  const [a] = rng;
  const b = rng[1] ^ a;
  const out = (rotated((a + rng[1]) & WORD, 17n) + a) & WORD;
  rng[0] = rotated(a, 49n) ^ b ^ ((b << 21n) & WORD);
  rng[1] = rotated(b, 28n);
  return out;
}

function below(rng, n) {
  const bound = BigInt(n);
  let product = (nextWord(rng) >> 32n) * bound;
  if ((product & LOW) < bound) {
    const threshold = (LOW - bound + 1n) % bound;
    while ((product & LOW) < threshold) product = (nextWord(rng) >> 32n) * bound;
  }
  return Number(product >> 32n);
}

// --- the deal of UNO -------------------------------------------------------------------------------
// Cards are numbered colour * 16 + rank, wilds 13 and +4 14 with one bit in each lane for a copy.

const COLOURS = "RYGB";
const RANKS = "0123456789SR+";
const WILD = 13;

function unoText(card) {
  const rank = card % 16;
  if (rank >= WILD) return rank === WILD ? "W" : "W+4";
  return COLOURS[Math.floor(card / 16)] + (rank === 12 ? "+2" : RANKS[rank]);
}

/** The deck as the kernels keep it: cards there at least once, and cards there twice. */
function unoDeck({ colours = 4, ranks = "0112233445566778899SSRR++", wilds = 4, wild_fours: fours = 4 }) {
  const ones = new Set();
  const twos = new Set();
  for (let colour = 0; colour < colours; colour += 1) {
    for (const rank of ranks) {
      const card = colour * 16 + RANKS.indexOf(rank);
      (ones.has(card) ? twos : ones).add(card);
    }
  }
  for (let copy = 0; copy < wilds; copy += 1) ones.add(16 * copy + WILD);
  for (let copy = 0; copy < fours; copy += 1) ones.add(16 * copy + WILD + 1);
  return { ones, twos };
}

/** Which card the next number of the stream points at; first the single copies, then the second. */
function unoPick(deck, rng) {
  const order = (set) => [...set].sort((a, b) => a - b);
  return [...order(deck.ones), ...order(deck.twos)][below(rng, deck.ones.size + deck.twos.size)];
}

function unoTake(deck, card) {
  if (card % 16 >= WILD) {
    const copies = [...deck.ones].filter((other) => other % 16 === card % 16);
    deck.ones.delete(Math.max(...copies));
  } else if (!deck.twos.delete(card)) {
    deck.ones.delete(card);
  }
}

function unoDeal(rules, rng) {
  for (;;) {
    const deck = unoDeck(rules);
    const hands = [0, 1].map(() => {
      const hand = [];
      for (let n = 0; n < (rules.hand_size ?? 7); n += 1) {
        const card = unoPick(deck, rng);
        unoTake(deck, card);
        hand.push(card);
      }
      return hand.map(unoText);
    });
    const top = unoPick(deck, rng);
    if (top % 16 < WILD) return { hands, top: unoText(top) };
  }
}

// --- the deal of Blob ------------------------------------------------------------------------------

const SUITS = ["clubs", "diamonds", "hearts", "spades"];
const blobText = (card) => "23456789TJQKA"[card % 16] + "CDHS"[Math.floor(card / 16)];

function blobDeal(rules, rng, cards, trump) {
  const { players = 4, suits = 4, ranks = 13 } = rules;
  const stock = [];
  for (let suit = 0; suit < suits; suit += 1) {
    for (let rank = 0; rank < ranks; rank += 1) stock.push(16 * suit + rank);
  }
  const draw = () => stock.splice(below(rng, stock.length), 1)[0];
  const hands = [];
  for (let seat = 0; seat < players; seat += 1) {
    const hand = [];
    for (let n = 0; n < cards; n += 1) hand.push(blobText(draw()));
    hands.push(hand);
  }
  if (trump === "turned") {
    const card = draw();
    return { hands, trump: SUITS[Math.floor(card / 16)], turned: blobText(card) };
  }
  if (trump === "random") return { hands, trump: SUITS.slice(0, suits)[below(rng, suits + 1)] ?? "none" };
  return { hands, trump };
}

// --- the check -------------------------------------------------------------------------------------

/** The seed that secret and nonce make together, as a number of 128 bits. */
export function seedOf(secret, nonce) {
  return BigInt(`0x${sha256(`${secret}:${nonce}`).slice(0, 32)}`);
}

/** The deal that a seed gives: hands as lists of cards, and `top`, or `trump` and `turned`. */
export function dealOf(game, rules, seed) {
  const rng = generator(seed);
  if (game === "uno") return unoDeal(rules, rng);
  if (game === "blob") return blobDeal(rules, rng, rules.cards ?? 7, rules.trump ?? "random");
  if (game === "blob-game") {
    const cards = rules.schedule?.[0] ?? rules.start ?? 7;
    return blobDeal(rules, rng, cards, rules.trumps?.[0] ?? "spades");
  }
  throw new Error(`${game} is a game whose deal this page cannot repeat`);
}

const listed = (hand) => (typeof hand === "string" ? hand.split(/\s+/).filter(Boolean) : [...(hand ?? [])]);
const sorted = (hand) => listed(hand).sort().join(" ");

const FACE_UP_NAMES = { top: "top card", trump: "trump", turned: "card turned up" };
const FACE_UP = Object.keys(FACE_UP_NAMES);

function difference(found, told) {
  if ((told.hands ?? []).length !== found.hands.length) return "The number of hands is wrong.";
  const seat = found.hands.findIndex((hand, k) => sorted(hand) !== sorted(told.hands[k]));
  if (seat >= 0) {
    return `Seat ${seat} should have been dealt ${found.hands[seat].join(" ")}, not ${listed(told.hands[seat]).join(" ")}.`;
  }
  const name = FACE_UP.find((one) => (told[one] ?? null) !== (found[one] ?? null));
  if (name) return `The ${FACE_UP_NAMES[name]} should have been ${found[name] ?? "none"}, not ${told[name] ?? "none"}.`;
  const more = Object.keys(told).find((name) => !(name in found) && told[name] !== null);
  return more ? `A deal has no ${more}.` : null;
}

/** What the player saw at the table must be of this deal, whatever the server tells of it at the end. */
function unlikeSeen(found, seen, seat) {
  if (seen.hand && sorted(seen.hand) !== sorted(found.hands[seat])) {
    return `You were dealt ${listed(seen.hand).join(" ")}, not ${found.hands[seat].join(" ")}.`;
  }
  const name = FACE_UP.find((one) => (seen[one] ?? found[one]) !== found[one]);
  return name ? `You were shown ${seen[name]} as the ${FACE_UP_NAMES[name]}, not ${found[name] ?? "none"}.` : null;
}

/** A rule in the one way to write it: ranks may be typed in any order, and lists as "7 6 5". */
function plainRule(name, value) {
  if (name === "ranks") return [...String(value)].sort().join("");
  const words = Array.isArray(value) ? value : String(value).split(/[\s,]+/).filter(Boolean);
  return words.map((word) => (Number.isNaN(Number(word)) ? word : Number(word))).join(" ");
}

function otherRules(asked, rules) {
  const names = Object.keys(asked).filter((name) => name !== "start" || !asked.schedule); // a schedule has its own start
  const name = names.find((one) => plainRule(one, asked[one]) !== plainRule(one, rules[one]));
  return name ? `You asked for ${name} ${asked[name]}, and it was ${rules[name]}.` : null;
}

/**
 * Whether a finished game was dealt fairly. Give the commitment that was shown BEFORE the deal and
 * the nonce that this browser chose, not what the server says of them afterwards; so with `seen`,
 * what `seat` saw when it sat down (its hand, and what lay face up), and `asked`, the rules that were
 * agreed on. `rules` and `deal` are as in the game's record. What is dealt or drawn later is not
 * checked here. The answer: {ok, text for people, seed in hex}.
 */
export function verifyDeal({ commitment, secret, nonce, game, rules, deal, seat = 0, seen = {}, asked = {} }) {
  const no = (text, seed = null) => ({ ok: false, text, seed });
  if (!/^[0-9a-f]{64}$/.test(commitment ?? "")) return no("There is no commitment to hold the deal against.");
  if (!/^[0-9a-f]{32}$/.test(secret ?? "")) return no("The server has not shown its secret.");
  if (typeof nonce !== "string" || nonce === "") return no("This browser's own number is not known any more.");
  if (sha256(secret) !== commitment) {
    return no("NOT FAIR: the secret is not the one that was promised before the deal.");
  }
  const seed = seedOf(secret, nonce);
  const digits = seed.toString(16).padStart(32, "0");
  let wrong;
  try {
    const found = dealOf(game, rules ?? {}, seed);
    wrong = otherRules(asked, rules ?? {}) ?? difference(found, deal ?? {}) ?? unlikeSeen(found, seen, seat);
  } catch (error) {
    return no(`The deal cannot be checked: ${error.message}.`, digits);
  }
  if (wrong) return no(`NOT FAIR: this is not the deal that the two numbers give. ${wrong}`, digits);
  return {
    ok: true,
    text: `Fair: the secret is the one promised before the deal, and with your browser's number it gives exactly the cards of the ${game === "blob-game" ? "first " : ""}deal.`,
    seed: digits,
  };
}
