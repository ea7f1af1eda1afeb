import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_INPUT_FORMATS, type OutputFormat } from '#contract';
import { renderImage } from '../../server/processing/worker/pipeline.ts';
import { probeImage } from '../../server/processing/worker/probe-image.ts';
import { createVariantQueue } from '../../server/processing/worker/variant-queue.ts';
import type { Eye } from './chromium-eye.ts';
import type { JudgedFile } from './patches.ts';
import { type Distance, distanceOf, type Picture } from './picture.ts';

const LIMITS = { maxPixels: 1e8, maxFrames: 100, maxAvifPixels: 1e8, formats: DEFAULT_INPUT_FORMATS };
/** Steps of 255 that are not seen: of the worst block, and on average. */
const MOST = { worst: 6, mean: 4 };

/** A cell of the matrix that is neither right nor named by a warning. */
export interface Defect {
  file: string;
  format: OutputFormat;
  found: Distance | string;
}

/** Encodes each file in each format by the real pipeline, and compares what the eyes see of the upload and of the export. */
export async function judge(
  files: JudgedFile[],
  formats: readonly OutputFormat[],
  eyes: { browser: Eye; tiff: Eye | undefined },
): Promise<{ cells: number; defects: Defect[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-judge-'));
  const defects: Defect[] = [];
  let cells = 0;
  try {
    for (const [index, file] of files.entries()) {
      const eye = file.format === 'tiff' ? eyes.tiff : eyes.browser;
      if (!eye) continue;
      const upload = await eye.see(file.bytes, `image/${file.format}`);
      const source = join(folder, `${index}`);
      await writeFile(source, file.bytes);
      for (const format of formats) {
        cells += 1;
        const defect = await judgeCell({ file, source, upload, format }, eyes);
        if (defect) defects.push({ file: file.name, format, found: defect });
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { cells, defects };
}

async function judgeCell(
  { file, source, upload, format }: { file: JudgedFile; source: string; upload: Picture; format: OutputFormat },
  eyes: { browser: Eye; tiff: Eye | undefined },
): Promise<Distance | string | null> {
  const facts = { ...(await probeImage({ file: source, limits: LIMITS })), size: file.bytes.length };
  const variants = [{ name: 'full', target: `${source}.out`, part: `${source}.part` }];
  const order = {
    source,
    facts,
    format,
    preset: 'maximum',
    metadata: 'rights',
    limits: LIMITS,
    search: false,
  } as const;
  const [report] = await renderImage({ ...order, variants }, createVariantQueue(facts, variants), () => {});
  if (!report) return 'no file';
  if (file.warning && !report.keptOriginal && !report.warnings.includes(file.warning as never)) return 'no warning';
  if (file.isVague) return null;
  const eye = report.format === 'tiff' ? eyes.tiff : eyes.browser;
  if (!eye) return null;
  const shown = await eye.see(await readFile(`${source}.part`), `image/${report.format}`);
  const distance = distanceOf(report.format === 'jpeg' ? onWhite(upload) : upload, shown);
  return distance.worst > MOST.worst || distance.mean > MOST.mean ? distance : null;
}

function onWhite({ width, height, data }: Picture): Picture {
  const flat = Uint8Array.from(data, (value, at) => {
    const alpha = data[at | 3] ?? 255;
    return at % 4 === 3 ? 255 : Math.round((value * alpha + 255 * (255 - alpha)) / 255);
  });
  return { width, height, data: flat };
}
