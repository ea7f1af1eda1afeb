import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { AnalysisReport, AnalysisResult, Metadata, UploadResult } from '#contract';
import { type ApiClient, readEvents } from '../support/api-client.ts';
import { type FakeVisionServer, GOOD_ANSWER, startFakeVisionServer } from '../support/fake-vision-server.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';

/** Timeout of waits, long enough for a busy machine. */
export const PATIENT = { timeout: PATIENCE_MS };

/** An event of an analysis, with the fields that tests check. */
export interface AnalysisEvent {
  id: string;
  event: string;
  data: {
    imageId: string;
    step: string;
    current: number;
    metadata?: Metadata;
    status: string;
    results: AnalysisResult[];
    provider: string;
    summary: { total: number; completed: number; failed: number };
    code?: string;
  };
}

/** A service with a model server, and a new account for each test. */
export interface AnalyzingService {
  vision: FakeVisionServer;
  test: TestService;
  api: ApiClient;
  accountId: string;
  uploadImages(count: number): Promise<UploadResult>;
  /** Requests an analysis; returns the response, which may be a stream. */
  open(uploaded: UploadResult, body?: Record<string, unknown>, init?: RequestInit): Promise<Response>;
  /** Runs an analysis to its end. */
  analyze(uploaded: UploadResult, body?: Record<string, unknown>): Promise<AnalysisEvent['data']>;
  report(uploaded: UploadResult): Promise<AnalysisReport>;
}

/** Reads all events of a stream. */
export async function collect(response: Response): Promise<AnalysisEvent[]> {
  expect(response.status).toBe(200);
  const events: AnalysisEvent[] = [];
  for await (const event of readEvents(response)) events.push(event as unknown as AnalysisEvent);
  return events;
}

/** Creates a barrier that holds back the model's answers until it is opened. */
export function newHold() {
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { held, end };
}

/**
 * Starts the real service, with further settings if given, and a model server for a test file; before each test the model gives good
 * answers.
 */
export function useAnalyzingService(env: Record<string, string> = {}): AnalyzingService {
  const rig = {
    async uploadImages(count) {
      const files = await plainImages(count, { width: 320, height: 240 });
      return rig.api.upload(files.map(({ bytes }, index) => ({ name: `IMG_000${index}.jpg`, bytes })));
    },
    open: (uploaded, body = {}, init = {}) =>
      rig.api.request(`/v1/sessions/${uploaded.sessionId}/analyze`, { json: body, ...init }),
    async analyze(uploaded, body = {}) {
      const last = (await collect(await rig.open(uploaded, body))).at(-1);
      if (last?.event !== 'complete') throw new Error(`expected complete, but received ${JSON.stringify(last)}`);
      return last.data;
    },
    report: (uploaded) => rig.api.readJson<AnalysisReport>(`/v1/sessions/${uploaded.sessionId}/analysis`),
  } as AnalyzingService;
  beforeAll(async () => {
    rig.vision = await startFakeVisionServer();
    rig.test = await startTestService({
      AI_PROVIDER: 'openai-compatible',
      AI_BASE_URL: rig.vision.url,
      AI_MODEL: 'fake-model',
      AI_CANARY: 'off',
      AI_TIMEOUT_MS: '5000',
      AI_CONCURRENCY: '2',
      AI_MAX_RETRIES: '0',
      ...env,
    });
  });
  afterAll(async () => {
    await rig.test?.close();
    await rig.vision?.close();
  });
  beforeEach(async () => {
    rig.vision.mode = 'good';
    rig.vision.delayMs = 0;
    rig.vision.held = null;
    rig.vision.answer = GOOD_ANSWER;
    // Answers are cached per account.
    const { api, accountId } = await rig.test.createAccount();
    Object.assign(rig, { api, accountId });
  });
  return rig;
}
