// The service with and without the search, bare sharp and IPX, side by side: bytes, score and processor time of photographs 1,600 pixels
// wide. `npm run bench:peers`
// Arguments: a format (`-- avif`; webp), `--quick` for six photographs once, `--write` for the table and picture of `docs/performance.md`.
// IPX has its own sharp and is no package of the project: IPX_FOLDER names a folder in which `npm install ipx@3.1.1` was run.
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { createScorer } from '../../server/processing/worker/score/index.ts';
import { type Folders, type Run, throughIpx, throughService, throughSharp } from './peers/contestants.ts';
import { drawPeers, type Row, tableOf } from './peers/draw.ts';
import { pagePhotographs } from './peers/photographs.ts';
import { JUDGED_FORMATS } from './quality/runs.ts';
import { smallImageFolder } from './support/photographs.ts';
import { median, ROUNDS } from './support/table.ts';

const FIXED = [80, 90];
const REFERENCE = 'bare sharp, numbers of the search';

const quick = process.argv.includes('--quick');
const rounds = quick ? 1 : ROUNDS;
const format = JUDGED_FORMATS.find((one) => process.argv.includes(one)) ?? 'webp';
const ipx = process.env.IPX_FOLDER;
if (!ipx) console.log('IPX IS SKIPPED: set IPX_FOLDER to a folder in which `npm install ipx@3.1.1` was run.');
const load = loadavg()[0]?.toFixed(1);
const folders: Folders = { photographs: await pagePhotographs(quick ? 6 : 18), small: await smallImageFolder() };

const runs = new Map<string, Run[]>();
const add = async (who: string, running: Promise<Run>) => {
  const run = await running;
  runs.set(who, [...(runs.get(who) ?? []), run]);
  console.log(`  ${who}: ${run.wall.toFixed(1)} s, processor ${run.cpu.toFixed(1)} s`);
  return run;
};
for (let round = 0; round < rounds; round += 1) {
  // In turn, so that a noisy neighbour meets all of them.
  const searched = await add('Imagewright', throughService(folders, format, 'on'));
  await add('Imagewright, QUALITY_SEARCH=off', throughService(folders, format, 'off'));
  await add(REFERENCE, throughSharp(folders, format, searched.files));
  for (const number of FIXED) await add(`bare sharp, ${number}`, throughSharp(folders, format, number));
  for (const number of ipx ? FIXED : []) await add(`IPX, ${number}`, throughIpx(ipx ?? '', folders, format, number));
}

const rows: Row[] = [];
for (const [who, all] of runs) rows.push(await rowOf(who, all));
const count = runs.get(REFERENCE)?.[0]?.files.size ?? 0;
const often = quick ? 'one round (`--quick`)' : `median of ${rounds}`;
const title = `${count} photographs of 1,600 pixels to ${format}, ${often}`;
const date = new Date().toISOString().slice(0, 10);
const machine = `${date}, ${availableParallelism()} cores, Node ${process.versions.node}, load at the start ${load}`;
console.log(`\n${title} (${machine})\n\n${tableOf(rows)}`);
if (process.argv.includes('--write')) await publish();

async function rowOf(who: string, all: Run[]): Promise<Row> {
  const reference = runs.get(REFERENCE) ?? [];
  const files = all[0]?.files ?? new Map();
  const scores = await scoresOf(files);
  return {
    who,
    wall: median(all.map(({ wall }) => wall)),
    cpu: median(all.map(({ cpu }) => cpu)),
    ratio: median(all.map(({ cpu }, index) => cpu / (reference[index]?.cpu ?? Number.NaN))),
    bytes: [...files.values()].reduce((sum, { data }) => sum + data.length, 0),
    worst: Math.min(...scores),
    mean: scores.reduce((sum, score) => sum + score, 0) / scores.length,
  };
}

/** Scores of files against the photographs, by all lines. */
async function scoresOf(files: Run['files']): Promise<number[]> {
  const scorer = await createScorer();
  const scores: number[] = [];
  for (const [name, { data }] of files) {
    const original = await rgbOf(join(folders.photographs, name));
    scores.push(scorer.prepare(original).score(await rgbOf(data)));
  }
  return scores;
}

async function rgbOf(source: string | Buffer) {
  const image = sharp(source).autoOrient().toColourspace('srgb').removeAlpha();
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Puts the table between its marks, and the picture beside it. */
async function publish(): Promise<void> {
  const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
  await writeFile(join(docs, `images/peers-${format}.svg`), drawPeers(title, rows));
  const page = join(docs, 'performance.md');
  const text = await readFile(page, 'utf8');
  const [begin, end] = [`<!-- peers ${format} -->`, `<!-- end of peers ${format} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`expected the marks ${begin} and ${end} in ${page}`);
  const picture = `![Processor seconds against megabytes of each](images/peers-${format}.svg)`;
  const block = `${begin}\n${title}; ${machine}:\n\n${tableOf(rows)}\n\n${picture}\n`;
  await writeFile(page, text.slice(0, from) + block + text.slice(to));
}
