// Two nodes on one database: one large job on both, small images, and streams that are followed on the other node.
// `npm run bench:cluster`; IMAGEWRIGHT_BENCH_PART=job|small|following runs a part. Needs two free cores.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { measureFollowing } from '../cluster/following.ts';
import { measureOneJob } from '../cluster/one-job.ts';
import { FIXTURES } from '../support/api-client.ts';
import { type Figure, printFigures } from './support/table.ts';

const LARGE = Number(process.env.IMAGEWRIGHT_BENCH_IMAGES ?? 400);
const SMALL = Number(process.env.IMAGEWRIGHT_BENCH_SMALL_IMAGES ?? 2000);
const STREAMS = Number(process.env.IMAGEWRIGHT_BENCH_STREAMS ?? 1000);
const PARTS: Record<string, () => Promise<Figure[]>> = { job: oneLargeJob, small: smallImages, following };

/** Photographs of one size, no two alike. */
async function photographs(count: number, width: number, height: number) {
  const folder = join(FIXTURES, 'photos');
  const names = (await readdir(folder)).filter((name) => /^photo-.*\.jpg$/.test(name));
  const sources = await Promise.all(names.map((name) => readFile(join(folder, name))));
  const images: { name: string; bytes: Uint8Array }[] = [];
  for (let number = 0; number < count; number += 1) {
    const source = sharp(sources[number % sources.length])
      .resize(width, height)
      .modulate({ brightness: 1 + number / (count * 10) });
    images.push({ name: `${number}.jpg`, bytes: await source.jpeg({ quality: 88 }).toBuffer() });
  }
  return images;
}

async function oneLargeJob(): Promise<Figure[]> {
  const images = await photographs(LARGE, 1733, 1155);
  const one = await measureOneJob(images, { format: 'avif' }, 1);
  const two = await measureOneJob(images, { format: 'avif' }, 2);
  const ratio = two.seconds / one.seconds;
  const figure = (what: string, measured: string, target = '', met?: boolean) => ({ what, measured, target, met });
  return [
    figure(`${LARGE} photographs of 2 MP as AVIF, one node`, `${one.seconds.toFixed(1)} s`),
    figure('the same on two nodes', `${two.seconds.toFixed(1)} s`),
    figure('two nodes / one node', ratio.toFixed(3), '<= 0.55', ratio <= 0.55),
    figure(
      'share of the database in the processor time',
      percent(two.databaseShare),
      '< 10 %',
      two.databaseShare < 0.1,
    ),
  ];
}

async function smallImages(): Promise<Figure[]> {
  const images = await photographs(SMALL, 64, 48);
  const one = await measureOneJob(images, { format: 'webp' }, 1);
  const two = await measureOneJob(images, { format: 'webp' }, 2);
  const ratio = two.cpuAnImage / one.cpuAnImage;
  const ms = (seconds: number) => `${(seconds * 1000).toFixed(2)} ms`;
  return [
    { what: `${SMALL} small images: CPU an image, one node`, measured: ms(one.cpuAnImage), target: '' },
    { what: 'the same on two nodes', measured: ms(two.cpuAnImage), target: '' },
    { what: 'two nodes / one node', measured: ratio.toFixed(3), target: '<= 1.10', met: ratio <= 1.1 },
  ];
}

async function following(): Promise<Figure[]> {
  const { streams, queriesPerSecond, grownMb, latencyMs, events, cancelMs } = await measureFollowing(STREAMS, 20);
  const slowest = Math.max(...cancelMs);
  return [
    {
      what: `${streams} streams on another node: queries a second`,
      measured: queriesPerSecond.toFixed(1),
      target: '<= 10',
      met: queriesPerSecond <= 10,
    },
    { what: 'growth of that node', measured: `${grownMb.toFixed(0)} MB`, target: '<= 100 MB', met: grownMb <= 100 },
    {
      what: `delay of ${events} events, p95 (p50 ${latencyMs.p50.toFixed(0)} ms)`,
      measured: `${latencyMs.p95.toFixed(0)} ms`,
      target: '<= 600 ms',
      met: latencyMs.p95 <= 600,
    },
    {
      what: 'slowest of 5 cancellations through that node',
      measured: `${slowest.toFixed(0)} ms`,
      target: '<= 500 ms',
      met: slowest <= 500,
    },
  ];
}

const percent = (part: number) => `${(part * 100).toFixed(1)} %`;

const wanted = process.env.IMAGEWRIGHT_BENCH_PART;
for (const [name, measure] of Object.entries(PARTS))
  if (!wanted || wanted === name) printFigures(`cluster: ${name}`, await measure());
process.exit(0);
