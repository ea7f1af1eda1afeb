import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Preset } from '#contract';
import type { SourceFacts } from '../../server/processing/index.ts';
import { turnOf } from '../support/turn.ts';
import { type Harness, photo, startHarness } from './processor-harness.ts';

const PHOTO = photo('photo-brushes.jpg');

describe('an error of the program in an image process', () => {
  const errors: { cause?: string; code?: string; message: string }[] = [];
  let counted = 0;
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness(
      { QUALITY_SEARCH: 'off' },
      {
        logger: { info() {}, warn() {}, error: (details, message) => errors.push({ ...details, message }) },
        metrics: { encodeSeconds() {}, unexpectedError: () => (counted += 1) },
      },
    );
  });
  afterAll(() => harness.close());

  // A preset or facts that the program never sends: what happens is a TypeError, as of a defect.
  const defects: [string, () => Promise<unknown>][] = [
    ['a render', () => harness.render(PHOTO, { format: 'webp', preset: 'unknown' as Preset })],
    [
      'an inspection',
      () => {
        const facts = { format: 'png', pages: 1 } as SourceFacts;
        Object.defineProperty(facts, 'width', { value: 'wide', enumerable: true });
        Object.defineProperty(facts, 'height', { value: 'high', enumerable: true });
        const vision = { maxEdge: 512, maxTextEdge: 512 };
        return harness.processor.inspect({ source: PHOTO, facts, vision, language: 'en' }, { turn: turnOf() });
      },
    ],
  ];

  it.each(defects)('never blames the file: %s', async (_name, run) => {
    errors.length = 0;
    counted = 0;
    await expect(run()).rejects.toMatchObject({
      name: 'AppError',
      code: 'internal_error',
      message: expect.stringMatching(/the fault is not in the file/),
    });
    expect(errors).toMatchObject([{ code: 'internal_error', message: 'an image failed unexpectedly' }]);
    // The stack names the place.
    expect(errors[0]?.cause).toMatch(/\n\s+at /);
    expect(counted).toBe(1);
  });
});

it('a long screenshot that is stored sideways is measured', async () => {
  const harness = await startHarness({ QUALITY_SEARCH: 'off' });
  try {
    const lines = { create: { width: 3000, height: 400, channels: 3 as const, background: '#fff' } };
    const file = await harness.store('long.png', await sharp(lines).withMetadata({ orientation: 6 }).png().toBuffer());
    const facts = await harness.facts(file);
    expect(facts).toMatchObject({ width: 400, height: 3000 });
    const { pixels } = await harness.processor.inspect({ source: file, facts, language: 'en' }, { turn: turnOf() });
    expect(pixels).not.toBeNull();
  } finally {
    await harness.close();
  }
});
