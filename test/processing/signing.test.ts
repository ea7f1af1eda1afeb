import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RenderTask } from '../../server/processing/shared/protocol.ts';
import { withoutCredentials } from '../../server/processing/worker/containers/credentials.ts';
import { OUTCOME } from '../../server/processing/worker/signing/c2pa-library.ts';
import { planSigning } from '../../server/processing/worker/signing/plan-signing.ts';
import { makeCertificate } from '../support/make-certificate.ts';
import { actionsOf, activeOf, makeSigner, readReport, signAsCamera } from '../support/signed-files.ts';
import { probeOf } from '../support/turn.ts';
import { expectFlipsFound } from './flipped-bytes.ts';
import { decode, difference, type Harness, only, startHarness } from './processor-harness.ts';
import { makeUltraHdr, splitImages } from './ultra-hdr.ts';

const FORMATS = ['jpeg', 'png', 'webp', 'avif'] as const;

let harness: Harness;
let plain: Harness;
beforeAll(async () => {
  plain = await startHarness({ WORKERS: 1, QUALITY_SEARCH: 'off' });
  const { chain, key } = makeCertificate();
  const [certificate, keyFile] = [join(plain.folder, 'chain.pem'), join(plain.folder, 'key.pem')];
  await writeFile(certificate, chain);
  await writeFile(keyFile, key);
  harness = await startHarness({
    ...{ WORKERS: 1, QUALITY_SEARCH: 'off', CONTENT_CREDENTIALS: 'sign' },
    ...{ CONTENT_CREDENTIALS_CERTIFICATE: certificate, CONTENT_CREDENTIALS_KEY: keyFile },
  });
});
afterAll(() => Promise.all([harness.close(), plain.close()]));

/** A picture that compresses like a photograph. */
async function picture(format: (typeof FORMATS)[number], { width = 320, height = 200 } = {}): Promise<Buffer> {
  const pixels = Buffer.from(
    Uint8Array.from({ length: width * height * 3 }, (_, at) => 128 + 100 * Math.sin(at / 50) * Math.cos(at / 7001)),
  );
  const image = sharp(pixels, { raw: { width, height, channels: 3 } });
  return format === 'png' ? image.png({ palette: true }).toBuffer() : image[format]({ quality: 90 }).toBuffer();
}

async function camera(format: (typeof FORMATS)[number] = 'jpeg', size?: { width: number; height: number }) {
  return signAsCamera(await picture(format, size), `image/${format}`);
}

/** Changes a signed file so that it decodes as before. */
function changed(format: (typeof FORMATS)[number], file: Buffer): Buffer {
  const copy = Buffer.from(file);
  if (format === 'png') {
    const text = Buffer.from('tEXtTitle\0changed', 'latin1');
    const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(text.length - 4);
    checksum.writeUInt32BE(crc32(text));
    return Buffer.concat([file.subarray(0, 33), length, text, checksum, file.subarray(33)]);
  }
  const places = { jpeg: file.length - 8, webp: file.indexOf('VP8 ') + 40, avif: file.indexOf('pict') + 4 };
  const at = places[format];
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

const codes = ({ warnings }: { warnings: { code: string }[] }) => warnings.map(({ code }) => code);

/** Expects a valid file with the upload as its only parent. @returns its own manifest */
async function expectSigned(file: string, format: string, from: string) {
  const report = await readReport(await readFile(file), `image/${format}`);
  expect(report.validation_status ?? []).toEqual([]);
  expect(report.validation_state).toBe('Valid');
  const active = activeOf(report);
  expect(active.ingredients).toMatchObject([{ relationship: 'parentOf', title: 'Upload', format: `image/${from}` }]);
  expect(report.manifests).toHaveProperty([active.ingredients[0]?.active_manifest ?? '']);
  expect(active.claim_generator_info).toMatchObject([{ name: 'Imagewright' }]);
  return { report, active };
}

const SIZES = [
  { name: 'full' },
  { name: '160w', width: 160 },
  { name: '90w', width: 90, height: 90, fit: 'cover' as const },
];

describe('content credentials with CONTENT_CREDENTIALS=sign', () => {
  it.each([
    ['jpeg', 'webp'],
    ['png', 'png'],
    ['webp', 'avif'],
    ['avif', 'jpeg'],
  ] as const)(
    'of a %s are signed on into %s: full size, width and crop, with the upload as parent',
    async (from, to) => {
      const file = await harness.store(`camera.${from}`, await camera(from));
      const made = await harness.render(file, { format: to, signs: true, variants: SIZES });
      for (const [index, variant] of made.entries()) {
        expect(codes(variant)).not.toContain('content_credentials_dropped');
        expect((await readFile(variant.file)).length).toBe(variant.size);
        const { report, active } = await expectSigned(variant.file, to, from);
        expect(Object.keys(report.manifests)).toHaveLength(2);
        const last = from === to ? 'c2pa.transcoded' : 'c2pa.converted';
        const scaled = [[], ['c2pa.resized'], ['c2pa.cropped', 'c2pa.resized']][index] ?? [];
        expect(actionsOf(active)).toEqual(['c2pa.opened', ...scaled, last]);
        const own = active.assertions.find(({ label }) => label === OUTCOME)?.data;
        expect(own).toMatchObject({ preset: 'high', target: 76, width: variant.width, height: variant.height });
        expect(own).toHaveProperty('score');
      }
    },
  );

  it('leave the pixels as they are, and a file without credentials byte for byte', async () => {
    const bare = await harness.store('bare.jpg', await picture('jpeg'));
    const file = await harness.store('camera.jpg', await camera());
    for (const format of FORMATS) {
      const render = async (one: Harness, source: string) =>
        only(await one.render(source, { format, signs: true })).file;
      const [signed, unsigned] = [await render(harness, file), await render(plain, file)];
      expect(difference(await decode(signed), await decode(unsigned))).toBe(0);
      expect((await readFile(unsigned)).equals(await readFile(await render(harness, bare)))).toBe(true);
    }
  });

  it('do not bring back what exports remove: pictures, places, devices and unknown statements are redacted', async () => {
    const thumbnail = Buffer.concat([await picture('jpeg', { width: 60, height: 40 }), Buffer.from('SecretPicture')]);
    const assertions = {
      'stds.exif': { 'exif:GPSLatitude': 'SecretPlace' },
      'cawg.metadata': { '@context': { dc: 'http://purl.org/dc/elements/1.1/' }, 'dc:contributor': 'SecretPerson' },
      'org.example.maker': { serial: 'SecretSerial' },
      'stds.schema-org.CreativeWork': { '@type': 'CreativeWork', author: [{ '@type': 'Person', name: 'Ada Artist' }] },
    };
    const upload = await signAsCamera(await picture('jpeg'), 'image/jpeg', { assertions, thumbnail });
    expect(upload.toString('latin1').match(/Secret/g)?.length).toBe(4);
    const file = await harness.store('private.jpg', upload);
    for (const { file: made } of await harness.render(file, { format: 'webp', signs: true, variants: SIZES })) {
      const bytes = (await readFile(made)).toString('latin1');
      expect(bytes).not.toContain('Secret');
      expect(bytes).toContain('Ada Artist');
      const { active } = await expectSigned(made, 'webp', 'jpeg');
      expect(active.redactions).toHaveLength(4);
      expect(actionsOf(active).filter((action) => action === 'c2pa.redacted')).toHaveLength(4);
    }
  });

  it.each([
    ['stds.schema-org.CreativeWork', { contentLocation: 'SecretPlace' }],
    ['c2pa.actions', { actions: [{ action: 'c2pa.edited', parameters: { GPSLatitude: 'SecretPlace' } }] }],
  ])('with a place in the public statement %s do not bring it back', async (label, data) => {
    const upload = await signAsCamera(await picture('jpeg'), 'image/jpeg', { assertions: { [label]: data } });
    const file = await harness.store('place.jpg', upload);
    for (const format of ['webp', 'original'] as const)
      for (const { file: made } of await harness.render(file, { format, signs: true }))
        expect((await readFile(made)).includes('SecretPlace')).toBe(false);
  });

  it('that were signed on before are signed on again, with the whole chain', async () => {
    const file = await harness.store('camera.jpg', await camera());
    const first = only(await harness.render(file, { format: 'webp', signs: true }));
    const again = await harness.store('again.webp', await readFile(first.file));
    const second = only(await harness.render(again, { format: 'jpeg', signs: true, widths: [] }));
    const { report } = await expectSigned(second.file, 'jpeg', 'webp');
    expect(Object.keys(report.manifests)).toHaveLength(3);
  });

  it.each(FORMATS)(
    'of a %s that are broken are named at the upload and in the result, and not signed on',
    async (from) => {
      const upload = changed(from, await camera(from));
      const file = await harness.store(`broken.${from}`, upload);
      const probed = await harness.processor.probe(probeOf(file));
      expect(codes(probed)).toEqual(['content_credentials_invalid']);
      expect(codes(await plain.processor.probe(probeOf(file)))).toEqual([]);
      const made = only(await harness.render(file, { format: 'jpeg', signs: true, widths: [] }));
      expect(codes(made)).toEqual(
        expect.arrayContaining(['content_credentials_invalid', 'content_credentials_dropped']),
      );
      await expect(readReport(await readFile(made.file), 'image/jpeg')).rejects.toBeTruthy();
    },
  );

  it.each(['tiff', 'gif'] as const)(
    'of a %s are found, signed on into WebP, and kept or dropped with a warning otherwise',
    async (from) => {
      const upload = await signAsCamera(
        await sharp(await picture('jpeg'))
          [from]()
          .toBuffer(),
        `image/${from}`,
      );
      const file = await harness.store(`camera.${from}`, upload);
      const facts = await harness.facts(file);
      expect(facts).toMatchObject({ carries: expect.arrayContaining(['content_credentials']) });
      await expectSigned(only(await harness.render(file, { format: 'webp', signs: true })).file, 'webp', from);
      for (const one of [harness, plain]) {
        const kept = only(await one.render(file, { format: 'original', signs: true }));
        // A GIF that has nothing private is kept byte for byte; a TIFF never is.
        const bytes = await readFile(kept.file);
        expect(codes(kept).includes('content_credentials_dropped')).toBe(from === 'tiff');
        expect(from === 'tiff' ? bytes.includes('c2pa') : !bytes.equals(upload)).toBe(false);
      }
      for (let length = 0; length < upload.length; length += 97)
        expect(() => withoutCredentials(from, upload.subarray(0, length))).not.toThrow();
    },
  );

  it('that are no manifest at all are named, and the next image is signed all the same', async () => {
    const upload = await camera();
    const store = upload.indexOf('jumd');
    for (const [length, name] of [
      [12, 'box'],
      [300, 'store'],
    ] as const) {
      const damaged = Buffer.from(upload);
      damaged.fill(0xff, store + 24, store + 24 + length);
      const file = await harness.store(`${name}.jpg`, damaged);
      const made = only(await harness.render(file, { format: 'webp', signs: true }));
      expect(codes(made)).toContain('content_credentials_dropped');
    }
    const file = await harness.store('camera.jpg', upload);
    await expectSigned(only(await harness.render(file, { format: 'webp', signs: true })).file, 'webp', 'jpeg');
  });

  it('are removed without a word with metadata: none', async () => {
    const file = await harness.store('camera.jpg', await camera());
    const made = only(await harness.render(file, { format: 'webp', metadata: 'none', signs: true }));
    expect(codes(made)).toEqual([]);
    await expect(readReport(await readFile(made.file), 'image/webp')).rejects.toBeTruthy();
  });
});

describe('a certificate that has expired since the start', () => {
  it('fails an image with credentials, says when, and leaves others alone', async () => {
    const [signed, bare] = [await camera(), await picture('jpeg')];
    const signer = { ...makeSigner(), expiresAt: Date.UTC(2026, 0, 31) };
    const facts = { ...(await harness.facts(await harness.store('camera.jpg', signed))) };
    const task = { facts, preset: 'high', metadata: 'rights', signer } as unknown as RenderTask;
    await expect(planSigning(signed, true, task, 'webp')).rejects.toMatchObject({
      code: 'signing_failed',
      message: expect.stringContaining('expired on 2026-01-31'),
    });
    const changes = { width: 1, height: 1, resized: false, cropped: false, quality: 80, score: null };
    const plan = await planSigning(bare, false, task, 'webp');
    expect(await plan.finish(bare, changes)).toEqual({ data: bare, warnings: [] });
  });
});

describe('format: original with CONTENT_CREDENTIALS=sign', () => {
  it('keeps a file that has nothing private byte for byte, if it is not larger than the signed one', async () => {
    const upload = await signAsCamera(
      await sharp(await picture('jpeg'))
        .jpeg({ quality: 20 })
        .toBuffer(),
      'image/jpeg',
    );
    const file = await harness.store('small.jpg', upload);
    const made = only(await harness.render(file, { format: 'original', preset: 'maximum', signs: true }));
    expect(made).toMatchObject({ keptOriginal: true, warnings: [] });
    expect((await readFile(made.file)).equals(upload)).toBe(true);
  });

  it('never exceeds the upload: a file that private data was removed from is signed where that fits, else it says so', async () => {
    const exif = { IFD0: { Make: 'SecretCam', Artist: 'Ada' } };
    const pixels = await sharp(await picture('jpeg'))
      .jpeg({ quality: 30 })
      .withExif(exif)
      .toBuffer();
    const statement = { thumbnail: await picture('jpeg', { width: 400, height: 300 }) };
    const sizes = [await signAsCamera(pixels, 'image/jpeg', statement), await signAsCamera(pixels, 'image/jpeg')];
    for (const [index, upload] of sizes.entries()) {
      const file = await harness.store(`exif-${index}.jpg`, upload);
      const made = only(await harness.render(file, { format: 'original', preset: 'maximum', signs: true }));
      expect(made.size).toBeLessThanOrEqual(upload.length);
      expect((await readFile(made.file)).includes('SecretCam')).toBe(false);
      expect(made.keptOriginal).toBe(true);
      if (index === 0) {
        const { active } = await expectSigned(made.file, 'jpeg', 'jpeg');
        expect(actionsOf(active).at(-1)).toBe('c2pa.edited.metadata');
        expect(codes(made)).toEqual([]);
      } else expect(codes(made)).toEqual(['content_credentials_dropped']);
    }
  });

  it('keeps the gain map of an HDR photograph in its place', async () => {
    const hdr = await makeUltraHdr({ width: 320, height: 200 }, (x, y) => 0.2 + 0.7 * (x / 320) * (y / 200));
    const file = await harness.store('hdr.jpg', await signAsCamera(hdr, 'image/jpeg'));
    expect(await harness.facts(file)).toMatchObject({
      carries: expect.arrayContaining(['gain_map', 'content_credentials']),
    });
    for (const made of await harness.render(file, { format: 'jpeg', signs: true, widths: [160] })) {
      expect(codes(made)).not.toContain('hdr_dropped');
      await expectSigned(made.file, 'jpeg', 'jpeg');
      const [base, map] = splitImages(await readFile(made.file));
      for (const image of [base, map]) await sharp(image, { failOn: 'error' }).stats();
    }
  });
});

describe('a signed file', () => {
  it.each(FORMATS)('with one flipped byte outside its manifest is found out: %s, 25 of 25 places', async (format) => {
    const signed = await camera(format, { width: 200, height: 120 });
    await expectFlipsFound(signed, format, 25);
  });
});
