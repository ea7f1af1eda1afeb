import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type ProgressEvent, SAMPLE_IMAGE_LIMIT } from '#contract';
import { createClient } from './client.ts';
import { startInstance } from './instance.ts';
import { createProgress } from './progress.ts';
import { bytes, type Finished, reportTable } from './report.ts';

/** What the demonstration works on. */
export interface DemoOptions {
  /** Folder with the photographs. */
  photographs: string;
  /** Only files whose names contain this. @default '' */
  only?: string;
  /** Folder that the results go to. */
  target: string;
  output: NodeJS.WriteStream;
}

const IMAGE = /\.(?:jpe?g|png|webp|avif|gif|tiff?)$/i;
const SETTINGS = { format: 'webp', preset: 'high' };

/** Runs the documented workflow on a throw-away service: create, sample, export, download. */
export async function runDemo({ photographs, only = '', target, output }: DemoOptions): Promise<void> {
  const names = (await readdir(photographs)).filter((name) => IMAGE.test(name) && name.includes(only)).sort();
  const [first, ...others] = names;
  if (first === undefined) throw new Error(`no photographs in ${photographs}`);
  const print = (line = '') => output.write(`${line}\n`);
  const progress = await createProgress(output);
  print();
  print(`  Imagewright: ${names.length} photographs to ${SETTINGS.format}, preset ${SETTINGS.preset}`);
  print();
  const instance = await startInstance();
  try {
    const client = createClient(instance);
    const uploading = progress('Upload', names.length);
    const { sessionId, images } = await client.upload(join(photographs, first));
    for (const [index, name] of others.entries()) {
      uploading.update(index + 1, name);
      images.push(...(await client.upload(join(photographs, name), sessionId)).images);
    }
    uploading.end();

    const byId = new Map(images.map((image) => [image.id, image.originalFilename]));
    const times = new Map<string, { from: number; to: number }>();
    const job = { sessionId, images: images.map(({ id }) => ({ id })), settings: SETTINGS };
    const run = async (kind: 'sample' | 'export', body: typeof job) => {
      const bar = progress(kind === 'sample' ? 'Sample' : 'Export', body.images.length);
      const complete = await client.run(kind, body, (event) => {
        clock(times, event);
        bar.update(event.current, `${event.step} ${byId.get(event.imageId) ?? ''}`);
      });
      bar.end();
      return complete;
    };
    const sampled = await run('sample', { ...job, images: job.images.slice(0, SAMPLE_IMAGE_LIMIT) });
    const { results, summary, credits } = await run('export', job);

    await mkdir(target, { recursive: true });
    const downloading = progress('Download', summary.completed);
    let saved = 0;
    for (const { variants } of results) {
      for (const { url, filename } of variants) {
        await writeFile(join(target, filename), await client.download(url));
        downloading.update(++saved, filename);
      }
    }
    downloading.end();

    const finished: Finished[] = results.map((result) => ({ result, ms: elapsed(times.get(result.imageId)) }));
    const reused = results.filter(({ fromCache }) => fromCache).length;
    print();
    print(await reportTable(finished, { colour: output.isTTY && output.hasColors?.() }));
    print();
    print(
      `  Saved ${bytes(summary.savedBytes)} (${summary.savedPercent} %) in ${seconds(sampled.summary.durationMs + summary.durationMs)}.`,
    );
    print(`  The sample of ${sampled.summary.total} was free; the export reused ${reused} of its files.`);
    print(`  Credits: ${credits.charged} charged, ${credits.refunded} refunded, ${await client.balance()} left.`);
    print(`  Results: ${relative(process.cwd(), target) || target}`);
    print();
  } finally {
    await instance.close();
  }
}

/** Notes when an image was first in work, and when it was done for the first time: the second time it comes from the cache. */
function clock(times: Map<string, { from: number; to: number }>, { imageId, status, step }: ProgressEvent): void {
  const now = performance.now();
  const time = times.get(imageId);
  if (status === 'processing' && !time) times.set(imageId, { from: now, to: 0 });
  if (step === 'done' && time && time.to === 0) time.to = now;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

function elapsed(time: { from: number; to: number } | undefined): number {
  return time ? Math.max(0, time.to - time.from) : 0;
}
