// Utilization of the vision service by a batch: 40 images, 4 requests at once, a service that answers in 300 ms.
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describeImage, startAnalysisHarness } from '../analysis/analysis-harness.ts';
import { photo } from '../processing/processor-harness.ts';
import { startFakeVisionServer } from '../support/fake-vision-server.ts';

const IMAGES = 40;
const CONCURRENCY = 4;
const ANSWER_MS = 300;
const MAX_FACTOR = 1.15;
/** Uploaded images: a size that content systems store, and one of a camera. */
const SOURCES = [
  { name: '1600 px JPEG', edge: 1600, enforced: true },
  { name: '12 megapixel JPEG', edge: 4000, enforced: false },
];

/** Seconds for the same requests from a bare loop: what this machine can do at the moment. */
async function plainRequests(body: string): Promise<number> {
  let left = IMAGES;
  const startedAt = performance.now();
  const work = async () => {
    while (left-- > 0) {
      await fetch(`${server.url}/chat/completions`, { method: 'POST', body }).then((response) => response.json());
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return (performance.now() - startedAt) / 1000;
}

const harness = await startAnalysisHarness();
const server = await startFakeVisionServer();
let failed = false;
for (const { name, edge, enforced } of SOURCES) {
  server.reset();
  server.delayMs = ANSWER_MS;
  const original = await readFile(photo('photo-nuthatch.jpg'));
  const bytes = await sharp(original).resize(edge).jpeg().toBuffer();
  const images = [];
  // Each has an account of its own, so that no answer comes from the cache.
  for (let n = 0; n < IMAGES; n += 1) images.push(await harness.place({ name: `photo-${n}.jpg`, bytes }));
  const analysis = harness.analysis({
    AI_PROVIDER: 'openai-compatible',
    AI_BASE_URL: server.url,
    AI_MODEL: 'fake-vision',
    AI_CANARY: 'off',
    AI_CONCURRENCY: CONCURRENCY,
  });
  // The first question loads the SDK.
  await describeImage(
    analysis,
    await harness.place({ name: 'warm-up.jpg', bytes: await sharp(original).resize(300).jpeg().toBuffer() }),
  );
  server.requests.splice(0);
  server.peak = 0;
  const queue = [...images];
  const startedAt = performance.now();
  const work = async () => {
    for (let image = queue.shift(); image; image = queue.shift()) await describeImage(analysis, image);
  };
  await Promise.all(Array.from({ length: analysis.concurrency }, work));
  const seconds = (performance.now() - startedAt) / 1000;
  const ideal = ((IMAGES / CONCURRENCY) * ANSWER_MS) / 1000;
  const factor = seconds / ideal;
  const { peak } = server;
  const requests = server.questions().length;
  const kilobytes = Math.round(server.questions().reduce((sum, { image }) => sum + image.length, 0) / IMAGES / 1000);
  const plain = await plainRequests(JSON.stringify(server.questions()[0]?.body));
  const verdict = !enforced ? 'for information' : factor <= MAX_FACTOR ? 'ok' : 'TOO SLOW';
  failed ||= verdict === 'TOO SLOW';
  console.log(
    `${name}: ${IMAGES} images in ${seconds.toFixed(2)} s, ${factor.toFixed(2)} x the ideal ${ideal.toFixed(1)} s ` +
      `(limit ${MAX_FACTOR}; plain requests without any work: ${plain.toFixed(2)} s), ${requests} requests, at most ${peak} at once, ${kilobytes} kB each: ${verdict}`,
  );
}
await harness.close();
await server.close();
if (failed) process.exitCode = 1;
