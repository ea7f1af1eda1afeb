// Bare sharp: decodes and encodes the files of a plan, two at a time. Prints its wall and processor seconds.
// Argument: a JSON file with a `Plan`.
import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import sharp from 'sharp';
import type { EncoderSettings } from '../../../server/processing/shared/presets.ts';

/** Files to encode, after those that only warm the process up. */
export interface Plan {
  warmUp: Encoding[];
  files: Encoding[];
}

/** One file to encode. */
export interface Encoding {
  source: string;
  target: string;
  settings: Extract<EncoderSettings, { quality: number }>;
}

const plan = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as Plan;
// The service's encoders' own: on a shared machine the other users would decide the comparison.
setPriority(5);
sharp.concurrency(1);
sharp.cache(false);
await encodeAll(plan.warmUp);
const usedBefore = process.cpuUsage();
const startedAt = performance.now();
await encodeAll(plan.files);
const wall = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage(usedBefore);
console.log(JSON.stringify({ wall, cpu: (user + system) / 1e6 }));

async function encodeAll(encodings: Encoding[]): Promise<void> {
  const waiting = [...encodings];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { source, target, settings } = next;
      const image = sharp(source).autoOrient().toColourspace('srgb');
      const { format, quality } = settings;
      if (format === 'webp') {
        image.webp({ quality, effort: settings.effort, smartSubsample: settings.smartSubsample });
      } else if (format === 'jpeg') {
        image.jpeg({ quality, chromaSubsampling: settings.chromaSubsampling, mozjpeg: true });
      } else {
        image.avif({ quality, effort: settings.effort, chromaSubsampling: settings.chromaSubsampling });
      }
      await image.toFile(target);
    }
  };
  await Promise.all([lane(), lane()]);
}
