import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readableFormats } from '../../server/processing/index.ts';
import { probeOf, turnOf } from '../support/turn.ts';
import { fixture, type Harness, nasty, only, startHarness } from './processor-harness.ts';

const heic = (name: string) => fixture(`heic/${name}.heic`);
const SETTINGS = { WORKERS: 1, QUALITY_SEARCH: 'off', HEIC_INPUT: 'on' } as const;

let on: Harness;
beforeAll(async () => {
  on = await startHarness(SETTINGS);
});
afterAll(() => on.close());

describe('HEIC', () => {
  it('is read only where it is switched on', () => {
    expect(readableFormats({ HEIC_INPUT: 'on' })).toEqual([...readableFormats({ HEIC_INPUT: 'off' }), 'heic']);
  });

  it('does not take AVIF, which shares its container', async () => {
    expect(await on.processor.probe(probeOf(nasty('avif-input.avif')))).toMatchObject({ format: 'avif' });
    expect(await on.processor.probe(probeOf(nasty('heic-hevc.heic')))).toMatchObject({ format: 'heic', warnings: [] });
  });

  it('is refused by the pixels of its header, before anything is decoded', async () => {
    const small = await startHarness({ ...SETTINGS, MAX_PIXELS: 8000 });
    try {
      await expect(small.processor.probe(probeOf(heic('plain')))).rejects.toMatchObject({
        code: 'too_many_pixels',
        details: { limit: 8000, received: 8192 },
      });
      const facts = await on.facts(heic('plain'));
      const target = `${small.folder}/small`;
      const rendered = small.processor.render(
        {
          source: heic('plain'),
          facts,
          format: 'webp',
          preset: 'high',
          metadata: 'rights',
          variants: [{ name: 'full', target }],
        },
        { turn: turnOf() },
      );
      await expect(rendered).rejects.toMatchObject({ code: 'too_many_pixels' });
    } finally {
      await small.close();
    }
  });

  it('that is other than its header says is damaged', async () => {
    const file = await readFile(heic('exact'));
    const at = file.indexOf('ispe', 0, 'latin1');
    file.writeUInt32BE(64, at + 8);
    const source = await on.store('other.heic', file);
    await expect(on.render(source, { format: 'png' })).rejects.toMatchObject({
      code: 'invalid_image',
      message: expect.stringMatching(/^The file is damaged/),
    });
  });

  it('has a copy for a vision model', async () => {
    const source = heic('exact');
    const vision = { maxEdge: 1024, maxTextEdge: 1024 };
    const inspected = await on.processor.inspect({ source, facts: await on.facts(source), vision }, { turn: turnOf() });
    expect(inspected.pixels?.facts).toMatchObject({ orientation: 'landscape', transparent: false, animated: false });
    const { data } = await sharp(inspected.vision?.jpeg).raw().toBuffer({ resolveWithObject: true });
    expect(Math.max(Math.abs(255 - (data[0] ?? 0)), data[1] ?? 255, data[2] ?? 255)).toBeLessThan(12);
  });

  it('that was uploaded before the setting was switched off is refused with what to do', async () => {
    const off = await startHarness({ ...SETTINGS, HEIC_INPUT: 'off' });
    try {
      const source = heic('plain');
      const facts = await on.facts(source);
      const target = `${off.folder}/off`;
      const options = { turn: turnOf() };
      const order = { source, facts, format: 'webp', preset: 'high', metadata: 'rights' } as const;
      const listening = { signal: new AbortController().signal, hasCaller: () => true };
      const works = [
        off.processor.render({ ...order, variants: [{ name: 'full', target }] }, options),
        off.processor.preview({ account: 'account', source, facts, width: 64, target }, listening),
        off.processor.placeholder({ source, facts }, options),
        off.processor.inspect({ source, facts }, options),
      ];
      for (const outcome of await Promise.allSettled(works)) {
        const message = expect.stringMatching(/export the photo as JPEG.*HEIC_INPUT=on/);
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unsupported_image', message } });
      }
    } finally {
      await off.close();
    }
  });

  it('is not delivered in its own format', async () => {
    const rendered = only(await on.render(heic('plain'), { format: 'original' }));
    expect(rendered).toMatchObject({ format: 'jpeg', mimeType: 'image/jpeg', keptOriginal: false });
  });
});
