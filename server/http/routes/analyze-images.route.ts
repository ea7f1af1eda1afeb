import type { Context } from 'koa';
import type { AnalyzeRequest } from '#contract';
import type { Caller } from '../../gateway/index.ts';
import { defineRoute } from '../define-route.ts';
import type { Services } from '../services.ts';
import { streamJob } from '../streams/stream-job.ts';

interface StreamAnalysisInput {
  ctx: Context;
  account: Caller;
  sessionId: string;
  body: AnalyzeRequest;
}

function streamAnalysis({ ctx, account, sessionId, body }: StreamAnalysisInput, services: Services): Promise<void> {
  const resolve = () => services.analyzeImages.resolve({ accountId: account.id, sessionId, body });
  // What is paid is limited by credits.
  const daily = { counter: 'analyses' as const, countNew: services.analyzeImages.countNew };
  const limited = services.analyzeImages.isPaid ? {} : { daily };
  const order = { kind: 'analyze' as const, sessionId, settings: body.options };
  return streamJob({ ctx, account, ...order, asked: [sessionId, body], resolve, ...limited }, services);
}

/**
 * `POST /v1/sessions/:sessionId/analyze`: stops when its last client disconnects, 30 s later if it costs credits. Finished
 * descriptions are kept.
 */
export const analyzeImagesRoute = defineRoute('analyzeImages', ({ ctx, account, params, body }, services) =>
  streamAnalysis({ ctx, account, sessionId: params.sessionId, body }, services),
);

/** `POST /v1/analyze`: the same with the session id in the body. */
export const analyzeImagesFlatRoute = defineRoute('analyzeImagesFlat', ({ ctx, account, body }, services) =>
  streamAnalysis({ ctx, account, sessionId: body.sessionId, body }, services),
);
