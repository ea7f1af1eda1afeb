import sharp from 'sharp';
import { afterEach, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.ts';
import { type AttackedService, fresh, photographOf, startAttackedService } from './attacked-service.ts';

/** Longest upload beside an attack, in seconds on a quiet machine, and in parts of the slowest one without an attack. */
const MOST_SECONDS = 2;
const MOST_TIMES = 10;

let service: AttackedService;
afterEach(() => service.close());

/** Uploads a good photograph five times and returns the longest time, in seconds. */
async function slowestUpload(victim: ApiClient): Promise<number> {
  const photograph = await photographOf(2);
  let slowest = 0;
  for (let round = 0; round < 5; round += 1) {
    const begun = performance.now();
    await victim.upload([fresh(photograph)]);
    slowest = Math.max(slowest, (performance.now() - begun) / 1000);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return slowest;
}

/** Checks uploads beside an attack against those before it: a busy machine slows both. */
function expectNoDelay(attacked: number, quiet: number): void {
  console.log(`slowest upload: ${attacked.toFixed(2)} s, without an attack ${quiet.toFixed(2)} s`);
  expect(attacked).toBeLessThanOrEqual(Math.max(MOST_SECONDS, MOST_TIMES * quiet));
}

/** Makes a TIFF whose directories follow each other, without pixels. */
function tiffOf(directories: number): Buffer {
  const bytes = 2 + 12 + 4;
  const file = Buffer.alloc(8 + directories * bytes);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(8, 4);
  for (let index = 0; index < directories; index += 1) {
    const at = 8 + index * bytes;
    file.writeUInt16LE(1, at);
    // The width, a LONG.
    file.writeUInt16LE(256, at + 2);
    file.writeUInt16LE(4, at + 4);
    file.writeUInt32LE(1, at + 6);
    file.writeUInt32LE(64, at + 10);
    file.writeUInt32LE(index + 1 < directories ? at + bytes : 0, at + 14);
  }
  return file;
}

it('TIFFs of 60,000 directories are refused, and delay no upload', async () => {
  service = await startAttackedService({ attackers: 10 });
  const quiet = await slowestUpload(service.victim);
  const tiff = tiffOf(60_000);
  let attacking = true;
  const answers: string[] = [];
  const attacks = service.attackers.map(async (api) => {
    while (attacking)
      answers.push(
        await api.upload([fresh(tiff)]).then(
          () => 'accepted',
          (error: Error) => error.message,
        ),
      );
  });
  const slowest = await slowestUpload(service.victim);
  attacking = false;
  await Promise.all(attacks);
  expect(new Set(answers.map((answer) => answer.slice(0, 3)))).toEqual(new Set(['422']));
  expectNoDelay(slowest, quiet);
});

it('previews of small files with 49 megapixels, whose clients leave, delay no upload', async () => {
  service = await startAttackedService({ attackers: 10 });
  const quiet = await slowestUpload(service.victim);
  const avif = await sharp({ create: { width: 7000, height: 7000, channels: 3, background: '#204060' } })
    .avif({ effort: 0, quality: 30 })
    .toBuffer();
  const uploads = await Promise.all(
    service.attackers.map((api) => api.upload(Array.from({ length: 5 }, () => ({ name: 'flat.avif', bytes: avif })))),
  );
  const requested = service.attackers.flatMap((api, index) => {
    const { sessionId, images } = uploads[index] ?? { sessionId: '', images: [] };
    return images.flatMap(({ id }) =>
      [160, 320, 640, 1280].map(async (width) => {
        const signal = AbortSignal.timeout(3000);
        await api.request(`/v1/sessions/${sessionId}/images/${id}/preview?width=${width}`, { signal });
      }),
    );
  });
  const ended = Promise.allSettled(requested);
  const slowest = await slowestUpload(service.victim);
  await ended;
  expectNoDelay(slowest, quiet);
  expectNoDelay(await slowestUpload(service.victim), quiet);
});
