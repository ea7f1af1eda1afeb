// Two nodes on one database: exports against two services that share nothing, one large job on both, small images, and streams that
// are followed on the other node. `npm run bench:cluster`; IMAGEWRIGHT_BENCH_PART=exports|job|small|following|costs runs a part. Needs two
// free cores.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { measureCosts } from '../cluster/costs.ts';
import { measureFollowing } from '../cluster/following.ts';
import { measureOneJob } from '../cluster/one-job.ts';
import { measureTwoServers } from '../cluster/two-services.ts';
import { startS3Server } from '../storage/s3-server.ts';
import { FIXTURES } from '../support/api-client.ts';
import { type Figure, median, printFigures, ROUNDS } from './support/table.ts';

const LARGE = Number(process.env.IMAGEWRIGHT_BENCH_IMAGES ?? 400);
const SMALL = Number(process.env.IMAGEWRIGHT_BENCH_SMALL_IMAGES ?? 2000);
/** Images of each round of exports. */
const EXPORTED = Number(process.env.IMAGEWRIGHT_BENCH_EXPORTS ?? 80);
const STREAMS = Number(process.env.IMAGEWRIGHT_BENCH_STREAMS ?? 1000);
const PARTS: Record<string, () => Promise<Figure[]>> = {
  exports: exportsOfTwo,
  job: oneLargeJob,
  small: smallImages,
  following,
  costs,
};

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

/** Rounds alternate, so that the speed of a shared machine changes both alike. */
async function exportsOfTwo(): Promise<Figure[]> {
  const images = await photographs(EXPORTED, 1733, 1155);
  const s3 = await startS3Server();
  const rounds: { cluster: number; separate: number; helpers: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const separate = await measureTwoServers(images, 'separate', s3);
    const cluster = await measureTwoServers(images, 'cluster', s3);
    rounds.push({
      cluster: cluster.imagesPerSecond,
      separate: separate.imagesPerSecond,
      helpers: cluster.helpersShare,
    });
    const [one, other] = [cluster.imagesPerSecond, separate.imagesPerSecond];
    console.log(`round ${round + 1}: a cluster ${one.toFixed(2)}/s, two services ${other.toFixed(2)}/s`);
  }
  await s3.close();
  const middle = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
  const ratio = middle(({ cluster, separate }) => cluster / separate);
  return [
    {
      what: 'two services side by side, photographs of 2 MP as WebP',
      measured: `${middle(({ separate }) => separate).toFixed(2)}/s`,
      target: '',
    },
    { what: 'two nodes of a cluster', measured: `${middle(({ cluster }) => cluster).toFixed(2)}/s`, target: '' },
    { what: 'two nodes / two services', measured: ratio.toFixed(3), target: '>= 0.90', met: ratio >= 0.9 },
    {
      what: "the helpers' share of the processor time",
      measured: percent(middle(({ helpers }) => helpers)),
      target: '',
    },
  ];
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
    figure("the helpers' share of the processor time", percent(two.helpersShare), '< 10 %', two.helpersShare < 0.1),
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

async function costs(): Promise<Figure[]> {
  const { commands, writes, requests } = await measureCosts();
  return [
    {
      what: 'database commands an image: upload, export in jobs of 20, download',
      measured: commands.toFixed(1),
      target: '',
    },
    { what: 'of these writes', measured: writes.toFixed(1), target: '' },
    { what: 'requests of S3 an image', measured: requests.toFixed(1), target: '' },
  ];
}

const percent = (part: number) => `${(part * 100).toFixed(1)} %`;

const wanted = process.env.IMAGEWRIGHT_BENCH_PART;
for (const [name, measure] of Object.entries(PARTS))
  if (!wanted || wanted === name) printFigures(`cluster: ${name}`, await measure());
process.exit(0);
