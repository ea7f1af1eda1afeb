import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type AnalyzeOptions, analyzeOptionsSchema, type Metadata } from '#contract';
import { type Analysis, type AnalyzedImage, analysisConfig, createAnalysis } from '../../server/analysis/index.ts';
import { type Database, type ImageRecord, openDatabase, startEmbedded } from '../../server/db/index.ts';
import { createLogger } from '../../server/observability/index.ts';
import { createProcessor, type Processor, processingConfig } from '../../server/processing/index.ts';
import { type FakeVisionServer, startFakeVisionServer } from '../support/fake-vision-server.ts';
import { probeOf, turnOf } from '../support/turn.ts';

/** A key that must appear only in the header. */
export const SECRET_KEY = 'sk-secret-7f3a9b2c4d5e6f70';

/** An image to describe. */
export interface TestImage {
  name: string;
  bytes: Buffer;
  metadata?: Metadata | null;
  accountId?: string;
}

/** The real processor and database, and analyses built on them. */
export interface AnalysisHarness {
  processor: Processor;
  database: Database;
  /** The whole log as one string. */
  logged(): string;
  clearLog(): void;
  /** Creates an analysis with these settings; closed with the harness. */
  analysis(env?: Record<string, unknown>, deps?: { now?: () => Date; monotonicNow?: () => number }): Analysis;
  /** Stores an image as an upload. */
  place(image: TestImage): Promise<ImageRecord>;
  close(): Promise<void>;
}

/** Starts a processor and a database in a folder of their own. */
export async function startAnalysisHarness(): Promise<AnalysisHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-test-'));
  const lines: string[] = [];
  const logger = createLogger({ level: 'trace', format: 'json', destination: { write: (line) => lines.push(line) } });
  const processor = createProcessor({ config: processingConfig.parse({ WORKERS: 1 }), logger });
  const embedded = await startEmbedded({ directory: join(folder, 'db'), logger: { warn() {} } });
  const database = await openDatabase({ uri: embedded.uri });
  await processor.start();
  const analyses: Analysis[] = [];
  let count = 0;
  return {
    processor,
    database,
    logged: () => lines.join(''),
    clearLog: () => lines.splice(0),
    analysis(env = {}, clocks = {}) {
      const analysis = createAnalysis({
        processor,
        store: { withLocalFile: (key, use) => use(key) },
        config: analysisConfig.parse(env),
        logger,
        cache: database.visionAnswers,
        ...clocks,
      });
      analyses.push(analysis);
      return analysis;
    },
    async place({ name, bytes, metadata = null, accountId }) {
      count += 1;
      // A different one for each image, also if several are placed at once.
      const number = count;
      const file = join(folder, `upload-${number}`);
      await writeFile(file, bytes);
      const { warnings, ...facts } = await processor.probe(probeOf(file, name));
      return {
        _id: `img_${number}`,
        // One account per image, unless the test is about sharing.
        accountId: accountId ?? `acct_${number}`,
        sessionId: 'sess_1',
        position: number,
        originalFilename: name,
        uploadPath: file,
        ...facts,
        warnings,
        size: (await stat(file)).size,
        sha256: String(number),
        clientRef: null,
        metadata,
        metadataVersion: 0,
      };
    },
    async close() {
      for (const analysis of analyses) await analysis.close();
      await processor.close();
      await database.close();
      await embedded.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A harness, a model server and a picture. */
export interface VisionRig {
  harness: AnalysisHarness;
  server: FakeVisionServer;
  bytes: Buffer;
  /** Returns the settings of the model server. */
  settings(extra?: Record<string, unknown>): Record<string, unknown>;
}

/** Starts a harness and a model server for a test file; before each test the model gives good answers and the log is empty. */
export function useVision(): VisionRig {
  const rig = {} as VisionRig;
  rig.settings = (extra = {}) => ({
    AI_PROVIDER: 'openai-compatible',
    AI_BASE_URL: rig.server.url,
    AI_MODEL: 'fake-vision',
    AI_CANARY: 'off',
    ...extra,
  });
  beforeAll(async () => {
    [rig.harness, rig.server, rig.bytes] = await Promise.all([startAnalysisHarness(), startFakeVisionServer(), jpeg()]);
  });
  beforeEach(() => {
    rig.server.reset();
    rig.harness.clearLog();
  });
  afterAll(async () => {
    await rig.harness.close();
    await rig.server.close();
  });
  return rig;
}

/** Options with their defaults. */
export function optionsOf(options: object = {}): AnalyzeOptions {
  return analyzeOptionsSchema.parse(options);
}

/** Describes an image and returns the reported steps, too. */
export async function describeImage(
  analysis: Analysis,
  image: ImageRecord,
  options: object = {},
  signal = new AbortController().signal,
): Promise<AnalyzedImage & { steps: string[] }> {
  const steps: string[] = [];
  const run = { signal, turn: turnOf(), onStep: (step: string) => void steps.push(step) };
  return { ...(await analysis.describe(image, optionsOf(options), run)), steps };
}

/** Creates a JPEG with some content. */
export function jpeg(width = 200, height = 150, colour = '#aa3322'): Promise<Buffer> {
  return sharp({
    create: { width, height, channels: 3, background: colour, noise: { type: 'gaussian', mean: 128, sigma: 40 } },
  })
    .jpeg()
    .toBuffer();
}
