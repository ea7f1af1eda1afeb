// What a script of a dozen lines would do: every file of a folder to WebP, two at a time. Prints its wall and CPU seconds.
import { readdir } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { presetSettings } from '../../../server/processing/presets.ts';

const [from = '', to = ''] = process.argv.slice(2);
// The encoders' own: on a shared machine the other users would decide the comparison.
setPriority(5);
sharp.concurrency(1);
sharp.cache(false);
const settings = presetSettings('webp', 'high');
if (settings.format !== 'webp') throw new Error('expected WebP settings');
const { quality, effort, smartSubsample } = settings;
const names = await readdir(from);
// As with the service: one image beforehand, into another format.
await sharp(join(from, names[0] ?? ''))
  .autoOrient()
  .toColourspace('srgb')
  .jpeg({ mozjpeg: true })
  .toBuffer();
const usedBefore = process.cpuUsage();
const startedAt = performance.now();
const lane = async () => {
  for (let name = names.shift(); name; name = names.shift()) {
    const image = sharp(join(from, name)).autoOrient().toColourspace('srgb');
    await image.webp({ quality, effort, smartSubsample }).toFile(join(to, `${name}.webp`));
  }
};
await Promise.all([lane(), lane()]);
const wall = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage(usedBefore);
console.log(JSON.stringify({ wall, cpu: (user + system) / 1e6 }));
