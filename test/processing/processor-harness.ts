import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { OutputFormat, Preset } from '#contract';
import {
  createProcessor,
  type ProcessingConfig,
  type Processor,
  type ProcessorDeps,
  processingConfig,
  type RenderedVariant,
  type RenderOptions,
  type RenderOrder,
  type SourceFacts,
  type VariantSpec,
} from '../../server/processing/index.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { probeOf, turnOf } from '../support/turn.ts';

/** Returns the path of a hostile file. */
export const nasty = (file: string): string => fixture(`nasty/${file}`);

/** Returns the path of a photograph or graphic. */
export const photo = (file: string): string => fixture(`photos/${file}`);

/** Returns the path of a file below `test/fixtures`. */
export function fixture(path: string): string {
  return fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));
}

export interface RenderChoice extends Partial<Omit<RenderOrder, 'source' | 'facts' | 'variants'>> {
  format: OutputFormat;
  preset?: Preset;
  widths?: readonly number[];
  variants?: VariantSpec[];
  options?: Partial<RenderOptions>;
}

export interface Harness {
  processor: Processor;
  folder: string;
  warnings: object[];
  /** Stores bytes as a source file. */
  store(name: string, bytes: Buffer): Promise<string>;
  facts(file: string): Promise<SourceFacts>;
  /** Probes and renders a file: `full`, and these widths. */
  render(file: string, choice: RenderChoice): Promise<RenderedVariant[]>;
  /** Returns the names of the remaining temporary files. */
  leftovers(): Promise<string[]>;
  close(): Promise<void>;
}

/** Starts a real processor with real child processes and a new folder. */
export async function startHarness(
  overrides: Partial<ProcessingConfig> = {},
  deps: Partial<ProcessorDeps> = {},
): Promise<Harness> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-test-'));
  const warnings: object[] = [];
  const processor = createProcessor({
    config: { ...processingConfig.parse({ WORKERS: 2 }), ...overrides },
    logger: { info() {}, warn: (details) => warnings.push(details), error: (details) => warnings.push(details) },
    ...deps,
  });
  await processor.start();
  let count = 0;
  const harness: Harness = {
    processor,
    folder,
    warnings,
    async store(name, bytes) {
      const file = join(folder, name);
      await writeFile(file, bytes);
      return file;
    },
    async facts(file) {
      const { size } = await stat(file);
      return { ...(await processor.probe(probeOf(file))), size };
    },
    async render(file, { widths = [], variants, options, preset = 'high', ...choice }) {
      const specs = variants ?? [{ name: 'full' }, ...widths.map((width) => ({ name: `${width}w`, width }))];
      count += 1;
      const run = count;
      return processor.render(
        {
          source: file,
          facts: await harness.facts(file),
          preset,
          metadata: 'rights',
          ...choice,
          variants: specs.map((spec) => ({ ...spec, target: join(folder, `out-${run}-${spec.name}`) })),
        },
        { turn: turnOf(), ...options },
      );
    },
    leftovers: async () => (await readdir(folder)).filter((name) => name.endsWith('.part')),
    async close() {
      await processor.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return harness;
}

/** Returns the only variant. */
export function only(variants: RenderedVariant[]): RenderedVariant {
  const [variant] = variants;
  if (!variant || variants.length !== 1) throw new Error(`expected 1 variant but received ${variants.length}`);
  return variant;
}

/** Decodes a file to RGBA. */
export async function decode(file: string): Promise<{ data: Buffer; width: number; height: number }> {
  const { data, info } = await sharp(await readFile(file))
    .ensureAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Computes the mean absolute difference per channel of two decoded images of one size. */
export function difference(a: { data: Buffer }, b: { data: Buffer }): number {
  if (a.data.length !== b.data.length) throw new Error(`expected ${a.data.length} bytes but received ${b.data.length}`);
  let sum = 0;
  for (let at = 0; at < a.data.length; at += 1) sum += Math.abs((a.data[at] ?? 0) - (b.data[at] ?? 0));
  return sum / a.data.length;
}

/** Returns the colour of a decoded pixel. */
export function pixel(image: { data: Buffer; width: number }, x: number, y: number): [number, number, number, number] {
  const at = (y * image.width + x) * 4;
  const [r = 0, g = 0, b = 0, a = 0] = image.data.subarray(at, at + 4);
  return [r, g, b, a];
}

/** Reads the header of an output with the image library. */
export async function header(file: string) {
  return sharp(await readFile(file), { pages: -1 }).metadata();
}

/** Settings whose rendering takes several seconds. */
export const SLOW = { format: 'avif', preset: 'maximum', widths: [4000, 3000, 2000] } as const;

/** Source to render with {@link SLOW}. */
export const slowSource = photo('photo-dandelion.jpg');

/** Waits until the condition holds. @throws Error after {@link PATIENCE_MS} */
export async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 5) {
    if (waited > PATIENCE_MS) throw new Error('the condition did not come true');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Measures the duration of work, in milliseconds. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Returns the pids of the encoding processes; the last process is for headers and previews. */
export const encoders = (harness: Harness): number[] => harness.processor.stats().pids.slice(0, -1);

/** Returns true if the process is alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
