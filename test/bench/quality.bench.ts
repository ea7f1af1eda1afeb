// What the search for the quality reaches and what it costs: `npm run bench:quality`, a short form with `-- --quick`; `--pictures` draws those of
// docs/quality.md, `--no-quality` and `--no-cost` leave out a half, `--no-avif` a format.
// The judge is ssimulacra2 of Debian trixie, which is fetched with apt-get.
import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { PRESET_TARGETS, PRESETS, type Preset } from '#contract/constants';
import { prepareImageLibrary } from '../../server/processing/worker/image-library.ts';
import { START_TABLE } from '../../server/processing/worker/quality/start-table.ts';
import { createScorer } from '../../server/processing/worker/score/index.ts';
import { assembleCorpus, type CorpusImage, findSources, foldOf } from './quality/corpus.ts';
import { measureCost } from './quality/cost.ts';
import { type FitRow, fitTable } from './quality/fit.ts';
import { type Fixed, findBestFixed, fixedKey } from './quality/fixed.ts';
import { openJudge } from './quality/judge.ts';
import { drawPictures } from './quality/pictures.ts';
import { type Judged, printReport } from './quality/report.ts';
import {
  JUDGED_FORMATS,
  type JudgedFormat,
  judgeFixed,
  judgeSearch,
  type OpenImage,
  type Outcome,
  openImage,
  openLog,
} from './quality/runs.ts';
import { searchVersion } from './quality/search-version.ts';

const quick = process.argv.includes('--quick');
const presets: readonly Preset[] = quick ? ['very_high', 'high', 'low'] : PRESETS;
const formats = JUDGED_FORMATS.filter((format) => !process.argv.includes(`--no-${format}`));

prepareImageLibrary(true);
const load = loadavg()[0]?.toFixed(1);
const sources = await findSources();
const all = assembleCorpus(sources);
const corpus = quick ? all.filter((_, index) => index % 4 === 1) : all;
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

let opened: OpenImage | undefined;
const judged: Judged[] = [];
if (!process.argv.includes('--no-quality')) {
  for (const preset of presets) {
    for (const format of formats) judged.push(await judgeAll(format, preset));
  }
  printReport(judged);
}
if (process.argv.includes('--pictures')) await drawPictures(rows, judged, sources, { scorer, table: START_TABLE });
await opened?.close();
if (!process.argv.includes('--no-cost')) await measureCost(sources, scorer, formats, quick);

async function judgeAll(format: JudgedFormat, preset: Preset): Promise<Judged> {
  const outcomes: Outcome[] = [];
  for (const image of corpus) {
    const key = [image.name, format, preset].join(':');
    outcomes.push(
      await searched(key, () =>
        withOpen(image, (open) => judgeSearch(open, { format, preset }, toolsFor(image), judge)),
      ),
    );
  }
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
    if (outcome.reached) continue;
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
  return {
    format,
    preset,
    images: corpus.map(({ name }) => name),
    outcomes,
    fixedBytes,
    fixedNumber: best.number,
    unreached,
  };
}

function numberOf(outcome: Outcome | undefined): number {
  return typeof outcome?.used === 'number' ? outcome.used : 0;
}

function measureFixed(image: CorpusImage, format: JudgedFormat, preset: Preset, number: number): Promise<Fixed> {
  return fixed(fixedKey(image.name, format, preset, number), () =>
    withOpen(image, (open) => judgeFixed(open, { format, preset, number }, judge)),
  );
}

/** Keeps the image open that was used last. */
async function withOpen<T>(image: CorpusImage, use: (open: OpenImage) => Promise<T>): Promise<T> {
  if (opened?.image.name !== image.name) {
    await opened?.close();
    opened = await openImage(image);
  }
  return use(opened);
}

/** What was learnt without the sources of the image's fold. */
function toolsFor({ source }: CorpusImage) {
  const fold = foldOf(source.name);
  return { scorer, table: fitTable(rows.filter((row) => foldOf(row.source) !== fold)) };
}
