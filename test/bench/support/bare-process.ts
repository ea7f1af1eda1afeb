// Baseline of a dozen lines: converts every file of a folder to WebP, two at a time. Prints its wall and CPU seconds.
// Arguments: the folder, where the results go, and a folder that is done first and not measured.
import { readdir } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { presetSettings } from '../../../server/processing/shared/presets.ts';

const [from = '', to = '', warmUp = ''] = process.argv.slice(2);
// The encoders' own: on a shared machine the other users would decide the comparison.
setPriority(5);
sharp.concurrency(1);
sharp.cache(false);
const settings = presetSettings('webp', 'high');
if (settings.format !== 'webp') throw new Error('expected WebP settings');
const { quality, effort, smartSubsample } = settings;
await encodeAll(warmUp);
const usedBefore = process.cpuUsage();
const startedAt = performance.now();
await encodeAll(from);
const wall = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage(usedBefore);
console.log(JSON.stringify({ wall, cpu: (user + system) / 1e6 }));

async function encodeAll(folder: string): Promise<void> {
  const names = await readdir(folder);
  const lane = async () => {
    for (let name = names.shift(); name; name = names.shift()) {
      const image = sharp(join(folder, name)).autoOrient().toColourspace('srgb');
      await image.webp({ quality, effort, smartSubsample }).toFile(join(to, `${name}.webp`));
    }
  };
  await Promise.all([lane(), lane()]);
}
