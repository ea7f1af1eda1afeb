// Measures what the start table is fitted to, and writes both: `npm run fit:quality`. Again with every version of the image library.
// Arguments: codecs to measure anew (`npm run fit:quality -- webp`); the rows of the others stay.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { libraryVersions } from '../../../server/processing/cache-key.ts';
import type { EncoderSettings } from '../../../server/processing/shared/presets.ts';
import type { Pixels } from '../../../server/processing/worker/pixels.ts';
import { type CodecName, PALETTES, PROBED, TILE_EFFORT } from '../../../server/processing/worker/quality/codecs.ts';
import { type Sample, takeSample } from '../../../server/processing/worker/quality/sample.ts';
import { chooseLayout } from '../../../server/processing/worker/quality/tiles.ts';
import { measureTraits, type Traits } from '../../../server/processing/worker/quality/traits.ts';
import { createScorer } from '../../../server/processing/worker/score/index.ts';
import { encodePixels } from '../../../server/processing/worker/steps/encode.ts';
import { findSources, type Source } from './corpus.ts';
import { type FitRow, fitTable } from './fit.ts';
import { writeTable } from './write-table.ts';

const ROWS = fileURLToPath(new URL('./fit-rows.json', import.meta.url));
/** Widths of the versions whose parts are measured. */
const WIDTHS = [1600];
/** The ends of straight parts of the score's course. WebP's numbers count three times as much from 75 on. */
const NUMBERS: Record<CodecName, number[]> = {
  webp: [25, 60, 75, 84, 91, 97],
  jpeg420: [22, 55, 80, 95],
  jpeg444: [22, 55, 80, 95],
  avif420: [25, 45, 64, 86],
  avif444: [25, 45, 64, 86],
  palette: [2, 3],
};

const scorer = await createScorer();
const sources = await findSources();
const all = Object.keys(NUMBERS) as CodecName[];
const chosen = all.filter((name) => process.argv.includes(name));
const codecs = chosen.length > 0 ? chosen : all;
const before = JSON.parse(await readFile(ROWS, 'utf8')) as { rows: FitRow[] };
const rows = before.rows.filter(({ codec }) => !codecs.includes(codec));
for (const source of sources) {
  for (const width of WIDTHS) rows.push(...(await measure(source, Math.min(width, source.width))));
  console.log(`${source.name}: ${rows.length} rows`);
}
const place = ({ source, codec }: FitRow) =>
  sources.findIndex(({ name }) => name === source) * all.length + all.indexOf(codec);
rows.sort((one, other) => place(one) - place(other));
await writeFile(ROWS, `${JSON.stringify({ ...libraryVersions(), rows }).replaceAll('{"source"', '\n{"source"')}\n`);
await writeTable(fitTable(rows), libraryVersions());

async function measure(source: Source, width: number): Promise<FitRow[]> {
  const pixels = await readPixels(source, width);
  const parts = takeSample(scorer, pixels, chooseLayout(pixels, PROBED.webp), false);
  const fullSample = takeSample(
    scorer,
    pixels,
    chooseLayout(pixels, { area: width * pixels.height, edge: width }),
    false,
  );
  const traits = rounded(measureTraits(parts.pixels));
  const measured: FitRow[] = [];
  for (const codec of codecs) {
    const scores: [number, number][] = [];
    const scoresOfFile: number[] = [];
    for (const number of NUMBERS[codec]) {
      scores.push([number, await scoreWith(parts, codec, number, TILE_EFFORT)]);
      if (codec !== 'palette') scoresOfFile.push(await scoreWith(fullSample, codec, number, 4));
    }
    measured.push({ source: source.name, codec, traits, scores, scoresOfFile });
  }
  return measured;
}

async function scoreWith(sample: Sample, codec: CodecName, number: number, webpEffort: number): Promise<number> {
  const { data } = await encodePixels(sample.pixels, settingsOf(codec, number, webpEffort), {});
  return Math.round((await sample.score(data, false)) * 100) / 100;
}

function rounded(traits: Traits): Traits {
  const entries = Object.entries(traits).map(([name, value]) => [name, Math.round(value * 1e4) / 1e4]);
  return Object.fromEntries(entries) as Traits;
}

async function readPixels({ file }: Source, width: number): Promise<Pixels> {
  const { data, info } = await sharp(file)
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .resize({ width })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 3, frames: 1 };
}

function settingsOf(codec: CodecName, number: number, effort: number): EncoderSettings {
  const chromaSubsampling = codec.endsWith('444') ? '4:4:4' : '4:2:0';
  if (codec === 'webp') return { format: 'webp', quality: number, effort, smartSubsample: false, lossless: false };
  if (codec === 'palette') {
    const colours = PALETTES[number] ?? 256;
    return { format: 'png', compressionLevel: 1, adaptiveFiltering: false, colours, effort: 4, exact: false };
  }
  if (codec.startsWith('jpeg')) return { format: 'jpeg', quality: number, chromaSubsampling };
  return { format: 'avif', quality: number, effort: 2, chromaSubsampling };
}
