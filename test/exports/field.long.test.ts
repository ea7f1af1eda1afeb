import { afterAll, beforeAll, describe, it } from 'vitest';
import {
  COLOURS,
  type Exported,
  expectColour,
  expectColours,
  exportAll,
  FILES,
  type FieldRig,
  openFieldRig,
  TOLERANCE,
} from './field-files.ts';

let rig: FieldRig;
beforeAll(async () => {
  rig = await openFieldRig();
});
afterAll(() => rig.close());

describe.each(['webp', 'original', 'avif', 'jpeg', 'png'] as const)('files from the field in %s', (format) => {
  it('have their right colours, in widths too', () => expectColours(rig, format));
});

describe('files from the field', () => {
  it('have their right colours in previews and samples', async () => {
    const uploaded = await rig.test.api.upload(FILES);
    const samples = new Map<string, Exported>();
    for (let from = 0; from < uploaded.images.length; from += 5) {
      const part = { ...uploaded, images: uploaded.images.slice(from, from + 5) };
      for (const [file, sample] of await exportAll(rig, part, 'webp', 'maximum', 'sample')) samples.set(file, sample);
    }
    for (const [index, [file, at, colour]] of COLOURS.entries()) {
      const path = `/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[index]?.id}/preview?width=320`;
      const preview = Buffer.from(await (await rig.test.api.request(path)).arrayBuffer());
      const { files } = samples.get(file) as Exported;
      for (const [note, bytes] of Object.entries({ preview, sample: files[0] as Buffer })) {
        expectColour(await rig.eye.see(bytes, 'image/webp'), at, { colour, tolerance: TOLERANCE }, `${file} ${note}`);
      }
    }
  });
});
