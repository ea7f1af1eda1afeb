/** Returns the first 32 bits of the fractional parts of the roots of the first primes (FIPS 180-4). */
function rootFractions(count: number, root: (prime: number) => number): Uint32Array {
  const fractions: number[] = [];
  for (let candidate = 2; fractions.length < count; candidate += 1) {
    let prime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) prime &&= candidate % divisor !== 0;
    if (prime) fractions.push((root(candidate) % 1) * 2 ** 32);
  }
  return Uint32Array.from(fractions);
}

/**
 * Returns the SHA-256 in hexadecimal. Pages without HTTPS have no `crypto.subtle`; there it is computed in JavaScript, at
 * about 50 MB a second.
 */
export async function sha256(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const subtle = globalThis.crypto?.subtle;
  return toHex(subtle ? new Uint8Array(await subtle.digest('SHA-256', bytes)) : digest(bytes));
}

/** Computes the SHA-256 of bytes (FIPS 180-4). */
export function digest(bytes: Uint8Array): Uint8Array {
  const constants = rootFractions(64, Math.cbrt);
  const state = rootFractions(8, Math.sqrt);
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const words = new Uint32Array(64);
  for (let offset = 0; offset < padded.length; offset += 64) {
    for (let index = 0; index < 16; index += 1) words[index] = view.getUint32(offset + index * 4);
    compress(state, words, constants);
  }
  const result = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) result.setUint32(index * 4, word);
  return new Uint8Array(result.buffer);
}

function compress(state: Uint32Array, w: Uint32Array, k: Uint32Array): void {
  const at = (words: Uint32Array, index: number) => words[index] ?? 0;
  const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by));
  for (let i = 16; i < 64; i += 1) {
    const [x, y] = [at(w, i - 15), at(w, i - 2)];
    const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    w[i] = at(w, i - 16) + s0 + at(w, i - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(k, i) + at(w, i)) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = at(state, index) + word;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
