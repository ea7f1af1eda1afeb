// An export after a sample with the same settings encodes nothing. `npm run bench:sample-cache`
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, createAccountIn, startServiceProcess } from '../crash/service-process.ts';
import { metric } from '../support/aftermath.ts';
import { photographFolder } from './support/photographs.ts';
import { median, printFigures, ROUNDS } from './support/table.ts';

const IMAGES = 5;

const folder = await photographFolder();
const names = (await readdir(folder)).slice(0, IMAGES);
const files = await Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(folder, name)) })));
const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-bench-'));
const load = loadavg()[0]?.toFixed(1);
const apiKey = await createAccountIn({ DATA_DIR: dataDir }, 'bench@example.com', 1000);
const service = await startServiceProcess({ DATA_DIR: dataDir });
try {
  const api = clientOf(service, apiKey);
  const perImage: number[] = [];
  const sampleMs: number[] = [];
  let encodes = 0;
  for (const preset of ['high', 'medium', 'low', 'minimum', 'very_high'].slice(0, ROUNDS)) {
    const uploaded = await api.upload(files);
    const sampleAt = performance.now();
    await api.run('sample', uploaded, { preset });
    sampleMs.push((performance.now() - sampleAt) / IMAGES);
    const before = await metric(service.url, 'imagewright_encode_seconds_count');
    const startedAt = performance.now();
    const { last } = await api.run('export', uploaded, { preset });
    perImage.push((performance.now() - startedAt) / IMAGES);
    encodes += (await metric(service.url, 'imagewright_encode_seconds_count')) - before;
    if (last.event !== 'complete' || last.data.results.some(({ fromCache }) => !fromCache))
      throw new Error('not cached');
  }
  const ms = median(perImage);
  printFigures(`Export of ${IMAGES} after their sample, median of ${perImage.length} (load at the start: ${load})`, [
    { what: 'sample, encoding', measured: `${median(sampleMs).toFixed(0)} ms an image`, target: '' },
    { what: 'export afterwards', measured: `${ms.toFixed(1)} ms an image`, target: '<= 50 ms', met: ms <= 50 },
    { what: 'files encoded by the exports', measured: String(encodes), target: '0', met: encodes === 0 },
  ]);
} finally {
  await service.kill();
  await rm(dataDir, { recursive: true, force: true });
}
