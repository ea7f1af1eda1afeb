// The processor time of a search by step and round: photographs of four sizes in three formats. `npm run bench:search`
// Arguments: formats (`npm run bench:search -- webp avif`), `--quick` for one photograph of the two smaller sizes.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { createProcessor, processingConfig } from '../../server/processing/index.ts';
import { prepareImageLibrary } from '../../server/processing/worker/image-library.ts';
import { START_TABLE } from '../../server/processing/worker/quality/start-table.ts';
import { createScorer } from '../../server/processing/worker/score/index.ts';
import { photo } from '../processing/processor-harness.ts';
import { turnOf } from '../support/turn.ts';
import { JUDGED_FORMATS, type JudgedFormat, render } from './quality/runs.ts';
import { cpuMs, createStepMeter, type MeasuredRender, type StepName } from './search/step-meter.ts';
import { cpuSecondsOf } from './support/process-tree.ts';
import { median, ROUNDS } from './support/table.ts';

const quick = process.argv.includes('--quick');
const PHOTOS = ['stream', 'nuthatch', 'dogs-portrait'].slice(0, quick ? 1 : 3);
const MEGAPIXELS = [0.5, 1.9, 5, 12].slice(0, quick ? 2 : 4);
const STEPS: StepName[] = ['decode source', 'encode', 'decode file', 'reference side', 'distorted side'];
const chosen = JUDGED_FORMATS.filter((format) => process.argv.includes(format));
const formats = chosen.length > 0 ? chosen : JUDGED_FORMATS;

interface Photograph {
  file: string;
  facts: Parameters<typeof render>[0]['facts'];
}

prepareImageLibrary(true);
const load = loadavg()[0]?.toFixed(1);
const folder = await mkdtemp(join(tmpdir(), 'imagewright-search-'));
const meter = createStepMeter(await createScorer());
const tools = { scorer: meter.scorer, table: START_TABLE };
/** The same renders by a worker, in milliseconds of all processes. */
const processor = createProcessor({
  config: processingConfig.parse({ WORKERS: 1, QUALITY_SEARCH: 'on' }),
  logger: { info() {}, warn: console.warn, error: console.error },
});
await processor.start();
const rows: Record<string, Record<string, string>> = {};
for (const megapixels of MEGAPIXELS) {
  const photographs = await Promise.all(PHOTOS.map((name) => makePhotograph(name, megapixels)));
  for (const format of formats) {
    // What the first render compiles is no work of the search.
    await measureAll(photographs.slice(0, 1), format, true);
    const runs: Awaited<ReturnType<typeof measureAll>>[] = [];
    for (let round = 0; round < (quick ? 1 : ROUNDS); round += 1) {
      runs.push({ ...(await measureAll(photographs, format, true)) });
    }
    rows[`${format} ${megapixels} MP`] = rowOf(runs, megapixels);
  }
}
await processor.close();
meter.close();
await rm(folder, { recursive: true });
console.log(
  `Processor time at \`high\`, ms a megapixel, mean of ${PHOTOS.length} photographs, median of ${quick ? 1 : ROUNDS} (load at the start: ${load})`,
);
console.table(rows);

/** Writes a photograph of a size as the JPEG that a camera or an editor would. */
async function makePhotograph(name: string, megapixels: number): Promise<Photograph> {
  const source = photo(`photo-${name}.jpg`);
  const { autoOrient } = await sharp(source).metadata();
  const width = Math.round(Math.sqrt((megapixels * 1e6 * autoOrient.width) / autoOrient.height));
  const height = Math.round((megapixels * 1e6) / width);
  const file = join(folder, `${name}-${megapixels}.jpg`);
  await sharp(source).autoOrient().resize({ width, height, fit: 'fill' }).jpeg({ quality: 92 }).toFile(file);
  const { size } = await stat(file);
  return { file, facts: { format: 'jpeg', width, height, hasAlpha: false, pages: 1, size } };
}

interface Measured {
  searched: MeasuredRender[];
  plain: MeasuredRender[];
  /** Processor time of the pool's processes for the same renders, in milliseconds. */
  pool: number;
}

async function measureAll(photographs: Photograph[], format: JudgedFormat, search: boolean): Promise<Measured> {
  const searched: MeasuredRender[] = [];
  const plain: MeasuredRender[] = [];
  for (const photograph of photographs) {
    const order = { format, preset: 'high' } as const;
    searched.push(await meter.measure(() => render(photograph, { ...order, search }, tools)));
    plain.push(await meter.measure(() => render(photograph, { ...order, search: false }, tools)));
  }
  const cpuBefore = cpuMs() + cpuOfWorkers();
  for (const { file, facts } of photographs) {
    const variants = [{ name: 'full', target: `${file}-pool` }];
    const order = { source: file, facts, format, preset: 'high', metadata: 'none', variants } as const;
    await processor.render(order as never, { turn: turnOf() });
  }
  return { searched, plain, pool: cpuMs() + cpuOfWorkers() - cpuBefore };
}

function cpuOfWorkers(): number {
  return processor.stats().pids.reduce((sum, pid) => sum + cpuSecondsOf(pid) * 1000, 0);
}

function rowOf(runs: Measured[], megapixels: number): Record<string, string> {
  const all = megapixels * PHOTOS.length;
  const middle = (value: (run: Measured) => number) => median(runs.map(value));
  const perMegapixel = (value: (run: Measured) => number) => (middle(value) / all).toFixed(1);
  const encodings = runs[0]?.searched.map(({ steps }) => steps.filter(({ name }) => name === 'encode')) ?? [];
  const whole = megapixels * 1e6 * 0.98;
  const countOf = (counts: (pixels: number) => boolean) =>
    encodings.map((steps) => steps.filter(({ pixels }) => counts(pixels)).length).join(' ');
  const total = (renders: MeasuredRender[]) => renders.reduce((sum, { ms }) => sum + ms, 0);
  const steps = STEPS.map((name) => [name, perMegapixel(({ searched }) => timeOf(searched, name))] as const);
  const known = ({ searched }: Measured) => STEPS.reduce((sum, name) => sum + timeOf(searched, name), 0);
  return {
    'files encoded': countOf((pixels) => pixels >= whole),
    'tiles encoded': countOf((pixels) => pixels < whole),
    ...Object.fromEntries(steps),
    'copies, traits': perMegapixel(({ searched, ...run }) => total(searched) - known({ searched, ...run })),
    'processes, IPC': perMegapixel(({ searched, pool }) => pool - total(searched)),
    all: perMegapixel(({ searched }) => total(searched)),
    'without search': perMegapixel(({ plain }) => total(plain)),
    ratio: middle(({ searched, plain }) => total(searched) / total(plain)).toFixed(2),
  };
}

function timeOf(renders: MeasuredRender[], step: StepName): number {
  return renders.flatMap(({ steps }) => steps).reduce((sum, { name, ms }) => sum + (name === step ? ms : 0), 0);
}
