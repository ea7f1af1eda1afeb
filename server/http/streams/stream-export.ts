import type { Context } from 'koa';
import type { ExportRequest } from '#contract';
import type { Caller } from '../../gateway/index.ts';
import type { Services } from '../services.ts';
import { requireSamples } from './count-images.ts';
import { streamJob } from './stream-job.ts';

interface StreamExportInput {
  ctx: Context;
  account: Caller;
  kind: 'export' | 'sample';
  sessionId: string;
  body: ExportRequest;
}

/** Streams an export or a sample, which differ only in their namespace and price. */
export function streamExport(
  { ctx, account, kind, sessionId, body }: StreamExportInput,
  services: Services,
): Promise<void> {
  const resolve = () => services.exports.resolve({ accountId: account.id, sessionId, kind, body });
  const { countMissing, countUncounted } = services.exports;
  /** An image without a gain is free, as a sample is: with no samples left, such an export may not encode anything. */
  const refuse = async (order: Parameters<typeof countMissing>[0]) => {
    if ((await countMissing(order)) > 0) await requireSamples(account, services);
  };
  const daily = { counter: 'samples' as const, countNew: countUncounted };
  const { settings } = body;
  const limited = kind === 'sample' ? { daily } : settings.onlySmaller ? { refuse } : {};
  return streamJob(
    { ctx, account, kind, sessionId, settings, asked: [sessionId, body], resolve, ...limited },
    services,
  );
}
