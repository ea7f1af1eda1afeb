// 200 images of a site, 1,200 x 800 pixels, to WebP `high` by the packed command line program in an empty project, as
// `npx imagewright optimize --local` with two processes: time, a second run, and what the files are. `npm run bench:build`
// Argument: `--quick` for 20 of the images.
// The peer is no package of the project: PEER_FOLDER names a folder in which
// `npm install vite@8 vite-plugin-image-optimizer@2 sharp@0.35 svgo@4` was run. Without it nothing is compared.
import { execFile } from 'node:child_process';
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PRESET_TARGETS } from '#contract/constants';
import type { ImageReport, Report } from '../../plugin-bridge/cli/report.ts';
import { createScorer } from '../../server/processing/worker/score/index.ts';
import { createEmptyProject, type EmptyProject } from '../packages/empty-project.ts';
import { envOutside } from '../support/install-packages.ts';
import { inParallel } from '../support/raw-request.ts';
import { cropFolder } from './build/crops.ts';
import { openPeer } from './build/peer.ts';
import { findBestFixed } from './quality/fixed.ts';
import { openJudge, referenceOf } from './quality/judge.ts';
import { decode } from './quality/runs.ts';
import { cpuSecondsOfEnded } from './support/process-tree.ts';
import { type Figure, printFigures } from './support/table.ts';

const SECONDS_AN_IMAGE = 90 / 200;
const AGAIN_SECONDS = 1;
const BYTES_GOAL = 0.8;
const TOLERANCE = 2;
const NPX = ['npx', '--no-install', 'imagewright'];
/** Judged at once. */
const AT_ONCE = 2;

/** A file that was made of an image, with its score by the judge. */
interface Made {
  image: string;
  bytes: number;
  quality: NonNullable<ImageReport['outputs'][number]['quality']>;
  judged: number;
}

const run = promisify(execFile);
const images = await cropFolder(process.argv.includes('--quick'));
const names = await readdir(images);
const judge = await openJudge(await createScorer());
const load = loadavg()[0]?.toFixed(1);
console.log(
  `${names.length} images; judge: ${judge.name}; ${availableParallelism()} cores, load at the start: ${load}`,
);

const project = await installProgram();
try {
  await cp(images, join(project.folder, 'images'), { recursive: true });
  const first = await optimize(project, NPX);
  // As a script of a package starts it: npx alone takes most of a second.
  const again = await optimize(project, ['node_modules/.bin/imagewright']);
  const againByNpx = await optimize(project, NPX);
  const made = await judgeAll(first.report, join(project.folder, 'made'));
  printFigures(`${names.length} images to WebP high`, [
    ...timesOf(first, again, againByNpx.seconds),
    ...qualityOf(made),
    ...(await againstPeer(made)),
  ]);
} finally {
  await rm(project.folder, { recursive: true, force: true });
}

/** Packs the program and the engine, and installs both in an empty project. */
async function installProgram(): Promise<EmptyProject> {
  const pack = ['--import', 'tsx', 'plugin-bridge/pack/main.ts', '@imagewright/engine', 'imagewright'];
  await run(process.execPath, pack);
  const archives = (await readdir('dist/packages')).filter((name) => name.endsWith('.tgz'));
  const empty = await createEmptyProject();
  await empty.install(archives.map((name) => join(process.cwd(), 'dist/packages', name)));
  return empty;
}

interface Run {
  seconds: number;
  /** Of the processor. */
  cpu: number;
  report: Report;
}

/** Optimizes the images of the project; the same again if it was done before. */
async function optimize({ folder }: EmptyProject, [file = '', ...words]: string[]): Promise<Run> {
  const order = ['--format', 'webp', '--preset', 'high', '--local', '--concurrency', '2', '--out', 'made', '--json'];
  const startedAt = performance.now();
  const usedBefore = cpuSecondsOfEnded();
  const options = { cwd: folder, env: envOutside(), maxBuffer: 1 << 26 };
  const { stdout } = await run(file, [...words, 'optimize', 'images', ...order], options);
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, cpu: cpuSecondsOfEnded() - usedBefore, report: JSON.parse(stdout) as Report };
}

async function judgeAll({ images: reports }: Report, folder: string): Promise<Made[]> {
  const made: Made[] = [];
  await inParallel(reports, AT_ONCE, async ({ source, outputs: [output] }) => {
    if (!output?.quality) throw new Error(`expected a file of ${source}`);
    const judged = await scoreOf(source, await readFile(join(folder, output.file)));
    made.push({ image: source, bytes: output.size, quality: output.quality, judged });
  });
  return made;
}

async function scoreOf(image: string, file: Buffer): Promise<number> {
  const original = referenceOf(image, await decode(join(images, image)));
  return judge.score(original, await decode(file));
}

function timesOf(first: Run, again: Run, byNpx: number): Figure[] {
  const most = names.length * SECONDS_AN_IMAGE;
  const { made } = first.report.summary;
  const { unchanged } = again.report.summary;
  if (made !== names.length || unchanged !== made)
    throw new Error(`${made} made, ${unchanged} unchanged the second time`);
  return [
    figure('npx imagewright optimize --local', `${first.seconds.toFixed(1)} s`, `<= ${most} s`, first.seconds <= most),
    figure('its processor time', `${first.cpu.toFixed(1)} s`),
    figure('the second time', `${again.seconds.toFixed(2)} s`, `<= ${AGAIN_SECONDS} s`, again.seconds <= AGAIN_SECONDS),
    figure('its processor time', `${again.cpu.toFixed(2)} s`),
    figure('the same by npx', `${byNpx.toFixed(2)} s`),
  ];
}

function qualityOf(made: Made[]): Figure[] {
  // A file that stopped below the target promises the score that it tells.
  const promised = ({ quality: { reached, score } }: Made) =>
    reached === false ? (score ?? PRESET_TARGETS.high) : PRESET_TARGETS.high;
  const missed = made.filter((one) => one.judged < promised(one) - TOLERANCE);
  for (const { image, judged, quality } of missed) {
    console.log(`  MISSED ${image}: ${judged.toFixed(1)} by the judge, ${quality.score} told, number ${quality.used}`);
  }
  const stopped = made.filter(({ quality }) => quality.reached === false).length;
  return [
    figure('more than 2 points below the promise', `${missed.length}`, '0', missed.length === 0),
    figure('stopped below the target, and say so', `${stopped}`),
  ];
}

/** Builds the images by the peer with the lowest number whose worst score is at least ours. */
async function againstPeer(made: Made[]): Promise<Figure[]> {
  const worst = Math.min(...made.map(({ judged }) => judged));
  const bytes = made.reduce((sum, one) => sum + one.bytes, 0);
  const ours = [figure('worst score', worst.toFixed(1)), figure('megabytes', (bytes / 1e6).toFixed(2))];
  const installed = process.env.PEER_FOLDER;
  if (!installed) {
    console.log('NO PEER: set PEER_FOLDER to a folder in which vite-plugin-image-optimizer is installed.');
    return ours;
  }
  const numberOf = ({ quality: { used } }: Made) => (typeof used === 'number' ? used : 0);
  // The hardest first, so that few numbers are built.
  const hardest = [...made].sort((one, other) => numberOf(other) - numberOf(one));
  const start = Math.max(...made.map(numberOf));
  const peer = await openPeer(installed, images);
  try {
    const best = await findBestFixed(hardest.length, worst, start, async (place, number) => {
      const { image } = hardest[place] as Made;
      const file = await (await peer.build(number)).read(image);
      return { bytes: file.length, judged: await scoreOf(image, file) };
    });
    const total = best.bytes.reduce((sum, one) => sum + one, 0);
    const { seconds } = await peer.build(best.number);
    const who = `vite-plugin-image-optimizer, ${best.number}`;
    const ratio = bytes / total;
    const reaches = best.reaches ? '' : ' (below our worst score)';
    return [
      ...ours,
      figure(who, `${(total / 1e6).toFixed(2)} MB in ${seconds.toFixed(1)} s${reaches}`),
      figure('bytes / its bytes', ratio.toFixed(3), `<= ${BYTES_GOAL.toFixed(2)}`, ratio <= BYTES_GOAL),
    ];
  } finally {
    await peer.close();
  }
}

function figure(what: string, measured: string, target = '', met?: boolean): Figure {
  return { what, measured, target, ...(met === undefined ? {} : { met }) };
}
