// Cost of six responsive widths beside `full`: six photographs, two at a time, through the real processor.
// `npm run bench:variants`, for another format `npm run bench:variants -- avif`
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OutputFormat, Settings } from '#contract';
import { createProcessor, planVariants, processingConfig, type SourceFacts } from '../../server/processing/index.ts';
import { probeOf, turnOf } from '../support/turn.ts';
import { cpuSecondsOf, memoryOf } from './support/process-tree.ts';
import { median, printFigures, ROUNDS } from './support/table.ts';

const PHOTOS = ['stream', 'mountains', 'dandelion', 'nuthatch', 'brushes', 'dogs-portrait'];
const WIDTHS = [320, 480, 768, 1024, 1440, 1920];

const format = (process.argv[2] ?? 'webp') as OutputFormat;
const load = loadavg()[0]?.toFixed(1);

interface Run {
  wall: number;
  cpu: number;
}

const folder = await mkdtemp(join(tmpdir(), 'imagewright-bench-'));
const processor = createProcessor({
  config: processingConfig.parse({ WORKERS: 2, QUALITY_SEARCH: 'off' }),
  logger: { info() {}, warn: console.warn, error: console.error },
});
await processor.start();

const sources: { file: string; facts: SourceFacts }[] = [];
for (const name of PHOTOS) {
  const file = fileURLToPath(new URL(`../fixtures/photos/photo-${name}.jpg`, import.meta.url));
  const { size } = await stat(file);
  sources.push({ file, facts: { ...(await processor.probe(probeOf(file))), size } });
}

// As an export plans them: nothing is enlarged, so the smallest photograph has four widths.
const full = { responsive: false };
const all = { responsive: true, responsiveSizes: WIDTHS.map((width) => ({ width, fit: 'inside' as const })) };
await measure(full);
const alone: Run[] = [];
const together: Run[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  // In turn, so that a noisy neighbour meets both.
  alone.push(await measure(full));
  together.push(await measure(all));
}
// Reading every page's share holds the processes up: a round of its own.
let peak = 0;
const sampling = setInterval(() => {
  peak = Math.max(peak, memoryOf(process.pid).pss);
}, 50);
await measure(all);
clearInterval(sampling);
await processor.close();
await rm(folder, { recursive: true });

const ratio = (field: keyof Run) => median(together.map((run, round) => run[field] / (alone[round]?.[field] ?? 0)));
const seconds = (runs: Run[]) => `${median(runs.map(({ wall }) => wall)).toFixed(2)} s`;
const [wall, cpu] = [ratio('wall'), ratio('cpu')];
printFigures(
  `${PHOTOS.length} photographs to ${format} high, two at a time, median of ${ROUNDS} (load at the start: ${load})`,
  [
    { what: 'full alone', measured: seconds(alone), target: '' },
    { what: 'full and 6 widths', measured: seconds(together), target: '' },
    { what: 'wall, with widths / full', measured: wall.toFixed(2), target: '<= 1.35', met: wall <= 1.35 },
    { what: 'processor time, the same', measured: cpu.toFixed(2), target: '<= 1.9', met: cpu <= 1.9 },
    { what: 'peak memory, sum of PSS', measured: `${peak.toFixed(0)} MB`, target: '<= 700 MB', met: peak <= 700 },
  ],
);

async function measure(settings: Pick<Settings, 'responsive' | 'responsiveSizes'>): Promise<Run> {
  const cpuBefore = cpuOfWorkers();
  const startedAt = performance.now();
  await Promise.all(
    sources.map(({ file, facts }, index) =>
      processor.render(
        {
          source: file,
          facts,
          format,
          preset: 'high',
          metadata: 'rights',
          variants: planVariants(facts, settings).variants.map((variant) => ({
            ...variant,
            target: join(folder, `${index}-${variant.name}`),
          })),
        },
        { turn: turnOf() },
      ),
    ),
  );
  return { wall: (performance.now() - startedAt) / 1000, cpu: cpuOfWorkers() - cpuBefore };
}

function cpuOfWorkers(): number {
  return processor.stats().pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
}
