import type { Context } from 'koa';
import type { ExportRequest } from '#contract';
import type { Caller } from '../../gateway/index.ts';
import type { Services } from '../services.ts';
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
  /** An image without a gain is free, as a sample is: with no samples left, such an export may not encode anything. */
  const refuse = async (order: Parameters<typeof services.exports.countNew>[0]) => {
    if ((await services.exports.countNew(order)) > 0) await services.accounts.limits.requireLeft(account.id, 'samples');
  };
  const daily = { counter: 'samples' as const, countNew: services.exports.countNew };
  const { settings } = body;
  const limited = kind === 'sample' ? { daily } : settings.onlySmaller ? { refuse } : {};
  return streamJob(
    { ctx, account, kind, sessionId, settings, asked: [sessionId, body], resolve, ...limited },
    services,
  );
}
