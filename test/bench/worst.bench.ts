// What one credit can cost at most: the worst picture that we know, in all formats and ten sizes. `npm run bench:worst`. It takes long at
// 25 megapixels, the largest AVIF of the defaults; `IMAGEWRIGHT_BENCH_MEGAPIXELS` makes it smaller, since the time grows with the pixels.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { MAX_RESPONSIVE_SIZES, OUTPUT_FORMATS, type OutputFormat } from '#contract/constants';
import { processingConfig } from '../../server/processing/config.ts';
import { startEngine } from '../../server/processing/index.ts';
import { cpuSecondsOf } from './support/process-tree.ts';
import { printFigures } from './support/table.ts';

const { MAX_AVIF_PIXELS, IMAGE_TIMEOUT_SECONDS } = processingConfig.parse({});
const pixels = Number(process.env.IMAGEWRIGHT_BENCH_MEGAPIXELS ?? MAX_AVIF_PIXELS / 1e6) * 1e6;
const edge = Math.floor(Math.sqrt(pixels));
/** Sizes that are hardly smaller than the picture: each costs as much as the whole. */
const sizes = Array.from({ length: MAX_RESPONSIVE_SIZES }, (_, index) => ({ width: edge - 1 - index }));
const FORMATS = OUTPUT_FORMATS.filter((format) => format !== 'original');

const folder = await mkdtemp(join(tmpdir(), 'imagewright-bench-'));
const engine = await startEngine({ timeoutSeconds: 3600, maxPixels: 50_000_000 });
try {
  const source = join(folder, 'worst.png');
  await writeFile(source, await worstPicture(edge));
  let sum = 0;
  const rows = [];
  for (const format of FORMATS) {
    const seconds = await secondsOf(source, [format]);
    sum += seconds;
    rows.push({ what: `${format}, full and ${sizes.length} sizes`, measured: `${seconds.toFixed(0)} s`, target: '' });
  }
  const scale = MAX_AVIF_PIXELS / pixels;
  const atLimit = sum * scale;
  printFigures(`processor time of the worst picture of ${(pixels / 1e6).toFixed(1)} megapixels, preset maximum`, [
    ...rows,
    { what: 'all formats', measured: `${sum.toFixed(0)} s`, target: '' },
    {
      what: `the same at ${MAX_AVIF_PIXELS / 1e6} megapixels${scale === 1 ? '' : ', by the pixels'}`,
      measured: `${atLimit.toFixed(0)} s`,
      target: `the budget of an image ends it at ${IMAGE_TIMEOUT_SECONDS} s`,
    },
  ]);
} finally {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
}

/** Noise in all channels at the finest scale over a slow gradient: nothing can be predicted, and the search tries most. */
function worstPicture(size: number): Promise<Buffer> {
  const data = Buffer.alloc(size * size * 4);
  let state = 1;
  for (let at = 0; at < data.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    data[at] = state >>> 24;
  }
  return sharp(data, { raw: { width: size, height: size, channels: 4 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

async function secondsOf(source: string, formats: OutputFormat[]): Promise<number> {
  const before = cpuSecondsOf(process.pid);
  const [format = 'webp'] = formats;
  const settings = {
    format,
    formats,
    preset: 'maximum',
    quality: 'exact',
    responsive: true,
    responsiveSizes: sizes,
  } as const;
  const { files } = await engine.optimize({ source, settings, folder: join(folder, 'out') } as never);
  console.log(`${formats.join()}: ${files.length} files, ${availableParallelism()} cores`);
  return cpuSecondsOf(process.pid) - before;
}
