// Results and costs of the search for the quality: `npm run bench:quality`; `-- --quick` takes every sixth image, half of
// the presets, and one photograph for the cost. `--pictures` draws those of docs/quality.md, `--no-quality` and `--no-cost` leave out a half,
// `--no-fixed` the comparison with fixed numbers, `--no-avif` a format, and `--preset=high` takes that preset alone.
// The judge is ssimulacra2 of Debian trixie, which is fetched with apt-get.
import { readFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { PRESET_TARGETS, PRESETS, type Preset } from '#contract/constants';
import { prepareImageLibrary } from '../../server/processing/worker/image-library.ts';
import type { StartTable } from '../../server/processing/worker/quality/codecs.ts';
import { START_TABLE } from '../../server/processing/worker/quality/start-table.ts';
import { createScorer } from '../../server/processing/worker/score/index.ts';
import { inParallel } from '../support/raw-request.ts';
import { assembleCorpus, type CorpusImage, findSources, foldOf } from './quality/corpus.ts';
import { measureCost } from './quality/cost.ts';
import { type FitRow, fitTable } from './quality/fit.ts';
import { type Fixed, findBestFixed, fixedKey } from './quality/fixed.ts';
import { openJudge, WHOLE_PIXELS } from './quality/judge.ts';
import { drawPictures } from './quality/pictures.ts';
import { isDoubtful, type Judged, printReport } from './quality/report.ts';
import {
  JUDGED_FORMATS,
  type JudgedFormat,
  judgeFixed,
  judgeSearch,
  keepOpen,
  type Outcome,
  openLog,
} from './quality/runs.ts';
import { searchVersion } from './quality/search-version.ts';

/** Images, and then series of fixed numbers, that are worked on at once; encoders and judges take a core each. */
const AT_ONCE = Math.min(4, availableParallelism());
/** Images that stay open; of the largest, a hundred megabytes of memory and as much on the disk. */
const KEPT_OPEN = 12;

interface Order {
  format: JudgedFormat;
  preset: Preset;
}

const quick = process.argv.includes('--quick');
const offered = quick ? (['very_high', 'high', 'low'] as const) : PRESETS;
const presets: readonly Preset[] = offered.filter(
  (preset) => !process.argv.some((one) => one.startsWith('--preset=') && one !== `--preset=${preset}`),
);
/** False to judge the searched files alone. */
const withFixed = !process.argv.includes('--no-fixed');
const formats = JUDGED_FORMATS.filter((format) => !process.argv.includes(`--no-${format}`));

prepareImageLibrary(true);
const load = loadavg()[0]?.toFixed(1);
const sources = await findSources();
const images = assembleCorpus(sources);
const corpus = quick ? images.filter((_, index) => index % 6 === 4) : images;
const scorer = await createScorer();
const judge = await openJudge(scorer);
const { rows } = JSON.parse(await readFile(new URL('./quality/fit-rows.json', import.meta.url), 'utf8')) as {
  rows: FitRow[];
};
const searched = await openLog<Outcome>(`search-${await searchVersion()}`);
const fixed = await openLog<Fixed>('fixed');

if (sources.length < 20)
  console.log(
    `ONLY ${sources.length} SOURCES: the fixtures alone. The goals are set for 60 images of at least 20 sources.`,
  );
const large = corpus.filter(({ width, height }) => width * height > 8_000_000).length;
console.log(
  `${corpus.length} images of ${new Set(corpus.map(({ source }) => source.name)).size} sources, ${large} above 8 megapixels; judge: ${judge.name}; load at the start: ${load}`,
);

const open = keepOpen(KEPT_OPEN);
const tables = new Map<number, StartTable>();
const judged: Judged[] = [];
if (!process.argv.includes('--no-quality')) {
  const orders = presets.flatMap((preset) => formats.map((format) => ({ format, preset })));
  const outcomes = new Map<string, Outcome>();
  // One image after the other, so that each is opened once; two renders of one image would write to the same file.
  await inParallel(corpus, AT_ONCE, async (image) => {
    for (const order of orders) outcomes.set(keyOf(image, order), await outcomeOf(image, order));
    console.log(`  searched: ${image.name}`);
  });
  await inParallel(orders, AT_ONCE, async (order, index) => {
    judged[index] = await againstFixed(
      order,
      corpus.map((image) => outcomes.get(keyOf(image, order)) as Outcome),
    );
  });
  await judgeFullImages();
  printReport(judged);
}
await open.close();
if (process.argv.includes('--pictures')) await drawPictures(rows, judged, sources, { scorer, table: START_TABLE });
if (!process.argv.includes('--no-cost')) await measureCost(sources, scorer, formats, quick);

function keyOf({ name }: CorpusImage, { format, preset }: Order): string {
  return [name, format, preset].join(':');
}

function outcomeOf(image: CorpusImage, order: Order): Promise<Outcome> {
  return searched(keyOf(image, order), () =>
    open.use(image, (opened) => judgeSearch(opened, order, toolsFor(image), judge)),
  );
}

/**
 * Judges doubtful files of large images whole, which then counts: windows of an image with uneven content may differ from it by more than ten
 * points.
 */
async function judgeFullImages(): Promise<void> {
  for (const { format, preset, outcomes } of judged) {
    for (const [index, outcome] of outcomes.entries()) {
      const image = corpus[index] as CorpusImage;
      if (image.width * image.height <= WHOLE_PIXELS || !isDoubtful(outcome, preset)) continue;
      const full = await searched(`${keyOf(image, { format, preset })}:whole`, () =>
        open.use(image, (opened) => judgeSearch(opened, { format, preset }, toolsFor(image), judge, true)),
      );
      outcomes[index] = full;
      console.log(
        `  ${image.name} ${preset} ${format}: told ${full.told}, judged whole ${full.judged.toFixed(1)}, on windows ${outcome.judged.toFixed(1)}`,
      );
    }
  }
}

/** Finds the best fixed number of a format and preset, and what no number reaches. */
async function againstFixed({ format, preset }: Order, outcomes: Outcome[]): Promise<Judged> {
  const searchedAlone = { format, preset, images: corpus.map(({ name }) => name), outcomes };
  if (!withFixed) return { ...searchedAlone, fixedBytes: [], fixedNumber: Number.NaN, unreached: [] };
  const worst = Math.min(...outcomes.map((outcome) => outcome.judged));
  // The hardest first, so that the others are mostly judged once.
  const order = corpus
    .map((_, index) => index)
    .sort((one, other) => numberOf(outcomes[other]) - numberOf(outcomes[one]));
  const best = await findBestFixed(order.length, worst, Math.max(...outcomes.map(numberOf)), (place, number) =>
    measureFixed(corpus[order[place] ?? 0] as CorpusImage, format, preset, number),
  );
  const fixedBytes: number[] = [];
  order.forEach((index, place) => {
    fixedBytes[index] = best.bytes[place] ?? 0;
  });
  const unreached: { image: string; judged: number; top: number }[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.stopped !== 'format') continue;
    const image = corpus[index] as CorpusImage;
    unreached.push({
      image: image.name,
      judged: outcome.judged,
      top: (await measureFixed(image, format, 'maximum', 100)).judged,
    });
  }
  const ratio =
    outcomes.reduce((sum, { bytes }, index) => sum + Math.log(bytes / (fixedBytes[index] ?? bytes)), 0) /
    outcomes.length;
  console.log(
    `${preset} ${format}: worst ${worst.toFixed(1)} (promised ${PRESET_TARGETS[preset]}), best fixed number ${best.number}${best.reaches ? '' : ' (does not reach it)'}, bytes ${Math.exp(ratio).toFixed(3)}`,
  );
  return { ...searchedAlone, fixedBytes, fixedNumber: best.number, unreached };
}

function numberOf(outcome: Outcome | undefined): number {
  return typeof outcome?.used === 'number' ? outcome.used : 0;
}

function measureFixed(image: CorpusImage, format: JudgedFormat, preset: Preset, number: number): Promise<Fixed> {
  return fixed(fixedKey(image.name, format, preset, number), () =>
    open.use(image, (opened) => judgeFixed(opened, { format, preset, number }, judge)),
  );
}

/** Model that was fitted without the sources of the image's fold. */
function toolsFor({ source }: CorpusImage) {
  const fold = foldOf(source.name);
  const table = tables.get(fold) ?? fitTable(rows.filter((row) => foldOf(row.source) !== fold));
  tables.set(fold, table);
  return { scorer, table };
}
