/**
 * What six responsive widths cost beside `full`: six photographs, two at a time, through the real processor.
 * Run: node --import tsx test/bench/variants.bench.ts [format] [rounds]
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OutputFormat } from '#contract';
import {
  createProcessor,
  processingConfig,
  type SourceFacts,
  type VariantSpec,
} from '../../server/processing/index.ts';

const PHOTOS = ['stream', 'mountains', 'dandelion', 'nuthatch', 'brushes', 'dogs-portrait'];
const WIDTHS = [320, 480, 768, 1024, 1440, 1920];
const TARGETS = { wall: 1.35, cpu: 1.9, peakMB: 700 };

const format = (process.argv[2] ?? 'webp') as OutputFormat;
const rounds = Number(process.argv[3] ?? 5);
const ticksPerSecond = 100;

interface Run {
  wall: number;
  cpu: number;
}

const folder = await mkdtemp(join(tmpdir(), 'imagewright-bench-'));
const processor = createProcessor({
  config: processingConfig.parse({ WORKERS: 2 }),
  logger: { info() {}, warn: console.warn, error: console.error },
});
await processor.start();

const sources: { file: string; facts: SourceFacts }[] = [];
for (const name of PHOTOS) {
  const file = fileURLToPath(new URL(`../fixtures/photos/photo-${name}.jpg`, import.meta.url));
  const { size } = await stat(file);
  sources.push({ file, facts: { ...(await processor.probe({ file, originalFilename: file })), size } });
}

const full: VariantSpec[] = [{ name: 'full' }];
const all: VariantSpec[] = [...full, ...WIDTHS.map((width) => ({ name: `${width}w`, width }))];
await measure(full);
const alone: Run[] = [];
const together: Run[] = [];
for (let round = 0; round < rounds; round += 1) {
  // In turn, so that a noisy neighbour meets both.
  alone.push(await measure(full));
  together.push(await measure(all));
}
// Reading every page's share holds the processes up: a round of its own.
let peakMB = 0;
const sampling = setInterval(() => {
  const total = processor.stats().pids.reduce((sum, pid) => sum + proportionalMB(pid), proportionalMB(process.pid));
  peakMB = Math.max(peakMB, total);
}, 50);
await measure(all);
clearInterval(sampling);
await processor.close();
await rm(folder, { recursive: true });

const ratio = (field: keyof Run): number =>
  median(together.map((run) => run[field])) / median(alone.map((run) => run[field]));
console.log(
  `${format} high, ${PHOTOS.length} photographs, 2 at a time, ${rounds} rounds, ${availableParallelism()} cores`,
);
console.log(
  `full alone      wall ${median(alone.map(({ wall }) => wall)).toFixed(2)} s  cpu ${median(alone.map(({ cpu }) => cpu)).toFixed(2)} s`,
);
console.log(
  `full + 6 widths wall ${median(together.map(({ wall }) => wall)).toFixed(2)} s  cpu ${median(together.map(({ cpu }) => cpu)).toFixed(2)} s`,
);
report('wall', ratio('wall'), TARGETS.wall);
report('cpu', ratio('cpu'), TARGETS.cpu);
report('peak MB of all processes', peakMB, TARGETS.peakMB);

async function measure(variants: VariantSpec[]): Promise<Run> {
  const cpuBefore = cpuSeconds();
  const startedAt = performance.now();
  await Promise.all(
    sources.map(({ file, facts }, index) =>
      processor.render(
        {
          source: file,
          facts,
          format,
          preset: 'high',
          keepCopyright: true,
          variants: variants.map((variant) => ({ ...variant, target: join(folder, `${index}-${variant.name}`) })),
        },
        { group: 'bench' },
      ),
    ),
  );
  return { wall: (performance.now() - startedAt) / 1000, cpu: cpuSeconds() - cpuBefore };
}

/** User and system time of the worker processes so far (proc(5), fields 14 and 15). */
function cpuSeconds(): number {
  return processor.stats().pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }, 0);
}

/** Memory of a process in which pages shared with others count in part (proc(5), smaps_rollup). */
function proportionalMB(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function report(name: string, value: number, target: number): void {
  console.log(`${value <= target ? 'ok  ' : 'OVER'} ${name} ${value.toFixed(2)} (target ${target})`);
}
