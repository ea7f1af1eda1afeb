import sharp from 'sharp';
import { planQuality } from '../../../server/processing/worker/quality/plan-quality.ts';
import { START_TABLE } from '../../../server/processing/worker/quality/start-table.ts';
import type { Scorer } from '../../../server/processing/worker/score/index.ts';
import { median, printFigures, ROUNDS } from '../support/table.ts';
import type { CorpusImage, Source } from './corpus.ts';
import { type JudgedFormat, openImage, render } from './runs.ts';

const GOALS: Record<JudgedFormat, number> = { webp: 1.25, jpeg: 1.5, avif: 1.15 };
const WIDTHS = [320, 480, 768, 1024, 1440, 1920];
const WIDTHS_GOAL = 1.35;
const SEARCH_MS = 250;
const PHOTOGRAPHS = ['photo-dandelion', 'photo-nuthatch', 'photo-leaves'];
const PIXELS = 12_000_000;

/** Measures the processor time of renders with the search against without, and the time of searches. */
export async function measureCost(
  sources: Source[],
  scorer: Scorer,
  formats: JudgedFormat[],
  quick: boolean,
): Promise<void> {
  const tools = { scorer, table: START_TABLE };
  const photographs = sources
    .filter(({ name }) => PHOTOGRAPHS.includes(name))
    .slice(0, quick ? 1 : PHOTOGRAPHS.length)
    .map(atTwelveMegapixels);
  const rounds = quick ? 1 : ROUNDS;
  const figures = [];
  const searches: number[] = [];
  for (const format of formats) {
    const [alone, widths]: [number[], number[]] = [[], []];
    for (const image of photographs) {
      const open = await openImage(image);
      for (let round = 0; round < rounds; round += 1) {
        const cost = (search: boolean, sizes: number[]) =>
          cpuOf(() => render(open, { format, preset: 'high', search, widths: sizes }, tools));
        alone.push((await cost(true, [])) / (await cost(false, [])));
        widths.push((await cost(true, WIDTHS)) / (await cost(false, WIDTHS)));
        searches.push(
          await cpuOf(() => planQuality(open.reference.pixels, { format, preset: 'high', metadata: {} }, tools)),
        );
      }
      await open.close();
    }
    const goal = GOALS[format];
    figures.push(
      {
        what: `CPU with search / without, ${format}`,
        measured: median(alone).toFixed(2),
        target: `<= ${goal}`,
        met: median(alone) <= goal,
      },
      {
        what: `the same with six widths, ${format}`,
        measured: median(widths).toFixed(2),
        target: `<= ${WIDTHS_GOAL}`,
        met: median(widths) <= WIDTHS_GOAL,
      },
    );
  }
  const p95 = searches.sort((one, other) => one - other)[Math.ceil(searches.length * 0.95) - 1] ?? 0;
  figures.push({
    what: 'CPU of a search, p95',
    measured: `${p95.toFixed(0)} ms`,
    target: `<= ${SEARCH_MS} ms`,
    met: p95 <= SEARCH_MS,
  });
  printFigures(`Cost, ${photographs.length} photographs of 12 megapixels, median of ${rounds}`, figures);
}

function atTwelveMegapixels(source: Source): CorpusImage {
  const width = Math.round(Math.sqrt((PIXELS * source.width) / source.height));
  const height = Math.round(PIXELS / width);
  const open = () => sharp(source.file).autoOrient().resize({ width, height, fit: 'fill' });
  return { name: `${source.name}-12mp`, source, width, height, open };
}

/** Processor time of work in this process, in milliseconds. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
