import { expect } from 'vitest';
import { withoutCredentials } from '../../server/processing/worker/containers/credentials.ts';
import { readBoxes } from '../../server/processing/worker/containers/iso-boxes.ts';
import { readReport } from '../support/signed-files.ts';

/** Expects that a validator notices each of `count` flipped bits, spread by a fixed seed over what the signature protects. */
export async function expectFlipsFound(
  signed: Buffer,
  format: 'jpeg' | 'png' | 'webp' | 'avif',
  count: number,
): Promise<void> {
  const places = protectedPlaces(signed, format);
  let state = 20_261_126;
  const missed: number[] = [];
  for (let round = 0; round < count; round += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const at = places[state % places.length] ?? 0;
    const flipped = Buffer.from(signed);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (state >>> 29));
    const report = await readReport(flipped, `image/${format}`).catch(() => null);
    if (report && report.validation_state !== 'Invalid') missed.push(at);
  }
  expect(missed).toEqual([]);
}

/** Places outside the manifest. The standard leaves the type of an AVIF (`ftyp`) unprotected. */
function protectedPlaces(signed: Buffer, format: 'jpeg' | 'png' | 'webp' | 'avif'): number[] {
  const bare = withoutCredentials(format, signed);
  if (!bare) throw new Error('expected content credentials');
  const from = format === 'avif' ? (readBoxes(signed, 0, signed.length)[0]?.end ?? 0) : 0;
  // What is in both files at the same place from the start or the end. The box of an AVIF is overwritten by zeros.
  const [first, last] = format === 'avif' ? boundsOfBlank(signed, bare) : boundsOfCut(signed, bare);
  return Array.from({ length: signed.length }, (_, at) => at).filter((at) => at >= from && (at < first || at >= last));
}

function boundsOfCut(signed: Buffer, bare: Buffer): [number, number] {
  // The size at the start of a WebP changes with its chunks.
  let first = signed.toString('latin1', 0, 4) === 'RIFF' ? 8 : 0;
  while (signed[first] === bare[first]) first += 1;
  return [first, first + signed.length - bare.length];
}

function boundsOfBlank(signed: Buffer, bare: Buffer): [number, number] {
  const places = Array.from(signed, (_, at) => at).filter((at) => signed[at] !== bare[at]);
  return [(places[0] ?? 0) - 8, (places.at(-1) ?? 0) + 1];
}
