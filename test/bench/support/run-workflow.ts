import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Image, ImageResult, OutputFormat } from '#contract';
import { clientOf, type ServiceProcess } from '../../crash/service-process.ts';
import { inParallel } from '../../support/raw-request.ts';
import { createLeanClient } from './lean-client.ts';

const REQUESTS_AT_ONCE = 4;

/** Duration of each part of a workflow, in seconds. */
export interface Phases {
  upload: number;
  export: number;
  download: number;
}

/**
 * Uploads the files of a folder, exports them at `high`, and downloads the results, four at a time.
 * @param target where the downloads go: the path up to `-<index>`, in the order of the results
 * @throws Error if an image is not exported
 */
export async function runWorkflow(
  service: ServiceProcess,
  apiKey: string,
  folder: string,
  target: string,
  format: OutputFormat = 'webp',
): Promise<{ phases: Phases; results: ImageResult[] }> {
  const startedAt = performance.now();
  const api = clientOf(service, apiKey);
  const files = (await readdir(folder)).sort().map((name) => join(folder, name));
  const lean = createLeanClient({ url: service.url, apiKey }, REQUESTS_AT_ONCE);
  const { sessionId, images } = await lean.create(files[0] ?? '');
  const more: Image[] = [];
  await inParallel(files.slice(1), REQUESTS_AT_ONCE, async (file) => {
    more.push(...(await lean.add(sessionId, file)).images);
  });
  const uploadedAt = performance.now();
  const uploaded = { sessionId, images: [...images, ...more] };
  const { last } = await api.run('export', uploaded as never, { format, preset: 'high' });
  if (last.event !== 'complete' || last.data.summary.completed !== files.length) throw new Error(JSON.stringify(last));
  const exportedAt = performance.now();
  const { results } = last.data;
  await inParallel(results, REQUESTS_AT_ONCE, async ({ variants }, index) => {
    await writeFile(`${target}-${index}`, await lean.download(variants[0]?.url ?? ''));
  });
  lean.close();
  const upload = (uploadedAt - startedAt) / 1000;
  const phases = {
    upload,
    export: (exportedAt - uploadedAt) / 1000,
    download: (performance.now() - exportedAt) / 1000,
  };
  return { phases, results };
}
